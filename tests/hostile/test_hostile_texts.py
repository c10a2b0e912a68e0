"""Attacks by texts and scopes: restricted terms in every spelling, scopes that cannot be meant, words that widen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnkeeper.errors import InputError
from turnkeeper.modules._masking import mask_restricted
from turnkeeper.signatures.types import AccessScope

from ..scripted import prompt_of
from .hostile import QUERY, SCOPE, TERM, guard, referent, said

SPELLINGS = [
    *("Larkspur", "LARKSPUR", "Larkspur's", "Larkspur\u2019s", "Larkspurs", "Larkspur-2", "/x/larkspur/y", "#Larkspur"),
    *("Lark\u200bspur", "Lark\u00adspur", "Lark\u2060spur", "\uff2carkspur", "L\u00e1rkspur", "La\u0301rkspur"),
    *("L\u0430rkspur", "L\u03b1rks\u03c1ur", "Lark-spur", "Lark spur", "L.a.r.k.s.p.u.r", "L a r k s p u r"),
    *("Larkspur_payroll", "larkspur.pdf", "joe@larkspur.com", "Larkspur&Co", "project:Larkspur", "Larkspur2"),
    *("LarkspurPayroll", "myLARKSPURplan", "Lark\x00spur", "larkSpur", "https://larkspur.example/x?y=1"),
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_restricted_term_reaches_no_prompt_and_no_result(spelling: str) -> None:  # REF-15
    keeper = guard(*[referent(f"the {spelling} plan")] * 2)
    history = said("Tarn", f" The {spelling} plan is the fast one.")
    result = keeper(history=history, query="is it open at night?", access_scope=SCOPE)
    assert spelling not in prompt_of(keeper.lm.engine.requests[0])
    assert spelling not in result.standalone_query


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_restricted_term_in_the_query_is_a_boundary_and_asks_nobody(spelling: str) -> None:
    keeper = guard()
    result = keeper(history=said("Tarn"), query=f"who runs {spelling} now?", access_scope=SCOPE)
    assert [w.code for w in result.warnings] == ["permission_boundary"] and keeper.lm.engine.calls == 0


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Project Larkspur", "Project \n Larkspur's plan"),
        ("Stra\u00dfe", "die STRASSE"),
        ("Project Larkspur", "the project-larkspur plan"),
        ("\u7d2b\u71d5", "\u7d2b\u71d5\u306e\u7d66\u6599"),
        ("\u7d2b\u71d5", "\u7d2b \u71d5"),
        ("\u0e2a\u0e21\u0e0a\u0e32\u0e22", "\u0e04\u0e38\u0e13\u0e2a\u0e21\u0e0a\u0e32\u0e22\u0e04\u0e23\u0e31\u0e1a"),
        ("\ub77c\ud06c", "\ub77c\ud06c\uc758 plan"),
        ("\u0130zmir", "izmir and \u0130ZM\u0130R"),
        ("\u041a\u0430\u043c\u0430", "\u043f\u043b\u0430\u043d \u041a\u0410\u041c\u0410"),
        ("!!!", "the !!! plan"),
        ("C++", "in C++."),
        ("Mary-Ann", "maryann"),
        ("North East", "northeast"),
    ],
)  # fmt: skip
def test_restricted_term_is_masked(term: str, text: str) -> None:
    assert "[restricted]" in mask_restricted(text, AccessScope(restricted_terms=[term]))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Ferran", "a ferranite"),
        ("Intel", "in tel aviv"),
        ("Together", "to get her there"),
        ("Carpet", "to the car. Pet it"),
        ("OS", "on iOS"),
        ("S", "it's"),
        ("C++", "vitamin C"),
        ("123456", "1234.56"),
    ],
)
def test_other_words_are_not_masked(term: str, text: str) -> None:
    assert mask_restricted(text, AccessScope(restricted_terms=[term])) == text


def test_guessed_restricted_term_is_repeated_to_nobody(seen: list[Any]) -> None:
    keeper = guard(referent("the Larkspur plan"), referent("the Tarn ferry"))
    keeper(history=said("Tarn"), query=QUERY, access_scope=SCOPE)
    assert TERM not in prompt_of(keeper.lm.engine.requests[1]) and TERM not in json.dumps(seen)


@pytest.mark.parametrize("guess", ["the Larkspur plan", "Larkspur", "the project\u200b-lark\u200bspur"])
def test_violations_never_quote_a_restricted_term(guess: str, seen: list[Any]) -> None:
    scope = {"restricted_terms": ["Project Larkspur", "Larkspur"]}
    history = [
        {"role": "user", "content": "Fine."},
        {"role": "assistant", "content": "Good."},
    ]  # nothing that "it" may be
    result = guard(*[referent(guess)] * 2)(history=history, query=QUERY, access_scope=scope)
    told = result.model_dump_json() + json.dumps(seen)
    assert "scope_leak" in {v.code for v in result.violations} and "spur" not in told.lower()


@pytest.mark.parametrize("guess", ["the Larkspur plan", "Larkspur", "the project\u200b-lark\u200bspur"])
def test_a_restricted_term_given_twice_makes_way_for_what_the_conversation_names(guess: str, seen: list[Any]) -> None:
    scope = {"restricted_terms": ["Project Larkspur", "Larkspur"]}
    result = guard(*[referent(guess)] * 2)(history=said("Tarn"), query=QUERY, access_scope=scope)
    told = result.model_dump_json() + json.dumps(seen)
    assert "guessed_reference" in {w.code for w in result.warnings} and "spur" not in told.lower()


@pytest.mark.parametrize(
    "scope",
    [
        "Larkspur",
        ["Larkspur"],
        {"restricted_terms": "Larkspur"},
        {"restricted_terms": [1]},
        {"allowed": {"a": ["x"]}, "restricted_term": [TERM]},
        {"allowed": {"a": ["x"]}, "tenant": "nord"},
        {"allowed": None},
        {"regions": {"nord": 1}},
        {"allowed": {"restrictedTerms": [TERM]}},
        {"Restricted-Terms": [TERM]},
        {"regions": {"nord", "sud"}},
        {"regions": [None]},
        {"restricted_terms": ["\ud800"]},
        {"regions": ["\ud800"]},
        {"restricted_terms": [" \u200b"]},
        {"restricted_terms": ["x" * 201]},
    ],
)
def test_scope_that_cannot_be_meant_is_refused(scope: Any) -> None:
    with pytest.raises(InputError):
        guard(referent("the Tarn ferry"))(history=said("Tarn"), query=QUERY, access_scope=scope)


@pytest.mark.parametrize(
    "reach",
    [
        *("in all regions", "in the Sud region", "in each and every region", "in all four regions", "in any region"),
        *("in regions nord and Sud", "in regions other than nord", "in both regions", "outside nord"),
        *("in all of our regions", "in the region sud", "in the whole company", "in re\u200bgions nord and Sud"),
        *("in ALL  REGIONS", "in toutes les r\u00e9gions", "in allen Regionen"),
    ],
)
def test_answer_of_the_assistant_cannot_widen_the_query(reach: str) -> None:  # REF-09
    keeper = guard(*[referent(f"the Tarn ferry {reach}")] * 2)
    result = keeper(history=said("Tarn", f" The Tarn ferry {reach} is the same."), query=QUERY, access_scope=SCOPE)
    assert result.fallback and "scope_leak" in {v.code for v in result.violations}


@pytest.mark.parametrize(
    "answer", ["the [restricted] plan", "[restricted]", "the restricted plan", "[restricted]'s plan"]
)
def test_reference_to_something_restricted_is_a_boundary(answer: str) -> None:
    keeper = guard(referent(answer))
    result = keeper(history=said("Tarn", " The Larkspur plan is open."), query=QUERY, access_scope=SCOPE)
    assert "[restricted]" not in result.standalone_query and "permission_boundary" in {w.code for w in result.warnings}
