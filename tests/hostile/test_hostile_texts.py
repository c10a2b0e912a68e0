"""Attacks by texts, scopes and callers. One that still works is a strict xfail with its cause."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from dspy.lm15 import Request, ServerError

from turnkeeper.errors import InputError
from turnkeeper.modules._masking import mask_restricted
from turnkeeper.signatures.types import AccessScope

from ..scripted import prompt_of
from .hostile import BOATS, QUERY, SCOPE, TERM, guard, referent, said

# Restricted terms


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
        (" \u200b", "any text"),
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
    result = guard(*[referent(guess)] * 2)(history=said("Tarn"), query=QUERY, access_scope=scope)
    told = result.model_dump_json() + json.dumps(seen)
    assert "scope_leak" in {v.code for v in result.violations} and "spur" not in told.lower()


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
        {"restricted_terms": ["\ud800"]},
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


# Callers and hooks


def test_threads_and_tasks_with_failures_never_mix_turns(seen: list[Any]) -> None:
    def reply(request: Request) -> str:
        time.sleep(random.random() * 0.002)
        if random.random() < 0.2:
            raise ServerError("500")
        (boat,) = [name for name in BOATS if name in request.messages[-1].text]
        return referent(f"the {boat} ferry")

    keeper, wrong = guard(*[reply] * 2_000, cache_size=4), []

    def ask(number: int) -> None:
        boats = random.Random(number).choices(BOATS, k=8)
        turns = [{"history": said(b), "query": QUERY, "access_scope": {"regions": [b.lower()]}} for b in boats]

        async def together() -> list[Any]:
            return list(await asyncio.gather(*(keeper.acall(**turn) for turn in turns)))

        results = asyncio.run(together()) if number % 2 else [keeper(**turn) for turn in turns]
        for boat, result in zip(boats, results):  # noqa: B905
            expected = QUERY if result.fallback else f"does the {boat} ferry run at night?"
            reported = (f"regions in [{boat.lower()}]",)
            if (result.standalone_query, result.access_constraints_applied) != (expected, reported):
                wrong.append((boat, result))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(seen) == 256


def test_turns_that_differ_in_scope_or_history_share_no_cache_entry() -> None:
    keeper = guard(*(referent(f"the {boat} ferry") for boat in ("Tarn", "Tarn", "Arle")))
    for boat, regions in [("Tarn", ["nord"]), ("Tarn", ["sud"]), ("Arle", ["sud"]), ("Arle", ["sud"])]:
        result = keeper(history=said(boat), query=QUERY, access_scope={"regions": regions})
        assert boat in result.standalone_query
        assert result.access_constraints_applied == (f"regions in [{regions[0]}]",)
    assert keeper.lm.engine.calls == 3


def test_inputs_changed_after_the_call_change_no_later_answer() -> None:
    keeper, history = guard(referent("the Tarn ferry"), referent("the Arle ferry")), said("Tarn")
    keeper(history=history, query=QUERY)
    history[:] = said("Arle")
    assert "Tarn" in keeper(history=said("Tarn"), query=QUERY).standalone_query
    assert "Arle" in keeper(history=history, query=QUERY).standalone_query


def test_cancelled_call_leaves_the_guard_usable() -> None:
    async def run() -> Any:
        keeper = guard(*[referent("the Tarn ferry")] * 2)
        task = asyncio.create_task(keeper.acall(history=said("Tarn"), query=QUERY))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await keeper.acall(history=said("Tarn"), query=QUERY)

    assert asyncio.run(run()).ok


@pytest.mark.parametrize("given", [tuple, iter, lambda turns: (turn for turn in turns)])
def test_history_may_be_any_iterable(given: Callable[[Any], Any]) -> None:
    assert guard(referent("the Tarn ferry"))(history=given(said("Tarn")), query=QUERY).ok


def test_scrub_that_fails_sends_nothing() -> None:
    keeper = guard(scrub=lambda text: str(1 // 0))
    with pytest.raises(ZeroDivisionError):
        keeper(history=said("Tarn"), query=QUERY)
    assert keeper.lm.engine.calls == 0


def test_refused_input_is_not_quoted() -> None:
    with pytest.raises(InputError) as refused:
        guard()(history=[{"role": "user", "content": "x", "api_key": "sk-canary-0123456789"}], query=QUERY)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("scrub", [5, lambda text: None, lambda text: 7])
def test_scrub_that_gives_no_text_is_an_input_error(scrub: Any) -> None:
    with pytest.raises(InputError):
        guard(scrub=scrub)(history=said("Tarn"), query=QUERY)


class _Odd(list):  # type: ignore[type-arg]
    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")


def test_history_without_a_truth_value_is_read() -> None:
    assert guard(referent("the Tarn ferry"))(history=_Odd(said("Tarn")), query=QUERY).ok


def test_history_that_cannot_be_read_is_an_input_error() -> None:
    with pytest.raises(InputError, match="ZeroDivisionError"):
        guard()(history=(1 // 0 for _ in "a"), query=QUERY)


def test_order_of_turns_changes_no_answer() -> None:  # REF-11
    alone, after = (guard(*[referent("the Tarn ferry")] * 4, cache_size=0) for _ in range(2))
    after(history=said("Arle"), query="is it open?")
    turn = {"history": said("Tarn"), "query": QUERY}
    assert alone(**turn).standalone_query == after(**turn).standalone_query
    assert prompt_of(alone.lm.engine.requests[0]) == prompt_of(after.lm.engine.requests[-1])
