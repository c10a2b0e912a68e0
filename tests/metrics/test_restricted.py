"""Restricted terms in a text: where they stand, which words are others, and what it costs."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._restricted import find_restricted, masked, named_terms
from turnkeeper.metrics._spelling import spelling, visible
from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import AccessScope, Turn

from ..timing import assert_within


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask Ferran's crew", "ask [restricted] crew"),
        ("Fer\u200bran\u0301 left", "[restricted] left"),
        ("mail ferran@quill.example", "mail [restricted]@quill.example"),
        ("the Basalt plan", "the Basalt plan"),
        ("PROJECT_BASALT, ferrans", "[restricted], [restricted]"),
        ("projects basalt and basalts", "[restricted] and basalts"),
    ],
)
def test_place_of_a_term_is_that_of_the_original(text: str, expected: str) -> None:
    assert masked(text, ["Project Basalt", "Ferran"]) == expected


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Acme Inc.", "Acme's Inc"),
        ("O'Neil", "oneil"),
        ("\u0643\u062a\u0627\u0628", "\u0627\u0644\u0643\u062a\u0627\u0628"),
        ("Kama Ost", "kama-ost"),
    ],
)
def test_term_is_found_with_other_joints(term: str, text: str) -> None:
    assert named_terms(text, [term]) == [term]


@pytest.mark.parametrize(("term", "text"), [("\u0639\u0644\u064a", "\u0639\u0644\u064a\u0647"), ("For Um", "forum")])
def test_short_term_is_not_found_inside_a_word(term: str, text: str) -> None:
    assert named_terms(text, [term]) == []


def test_overlapping_terms_leave_nothing_between_them() -> None:
    assert masked("the Grey Heron Quay", ["Grey Heron", "Heron Quay"]) == "the [restricted]"


def test_terms_are_named_in_the_order_of_the_list() -> None:
    assert named_terms("Ferran of Project Basalt", ["Project Basalt", "Osmund", "Ferran"]) == [
        "Project Basalt",
        "Ferran",
    ]


def test_inflected_words_inside_a_term_are_found() -> None:
    assert named_terms("the ferry boards met", ["Ferries Board"])


def test_spelling_keeps_a_place_for_every_character() -> None:
    spelt = spelling("\u0130\u00df\ufb01 x")
    assert (spelt.text, list(spelt.at)) == ("issfi x", [0, 1, 1, 2, 2, 3, 4]) and len(spelt.shape) == len(spelt.text)


def test_visible_text_keeps_case_and_accents() -> None:
    assert visible("R\u00e9\u200bgion \uff21") == "R\u00e9gion A"


@pytest.mark.parametrize("unit", ["Project ", "a ", "A", "\u7d2b", "\u00e9 Fer ", "no no ", "x-", "1"])
def test_hundred_kilobytes_and_five_hundred_terms_take_linear_time(unit: str) -> None:
    terms = [f"Project t{n}" for n in range(500)] + ["no no no", "\u7d2b\u71d5"]
    find_restricted("warm", terms)
    text = unit * (100_000 // len(unit))
    assert_within(3, lambda n: lambda: find_restricted(text + "x" * n, terms))


def violations(result: str, query: str = "who runs it?") -> list[tuple[str, str | None, str]]:
    history = [Turn(role="user", content="Is the quarry open?"), Turn(role="assistant", content="Yes, till six.")]
    scope = AccessScope(restricted_terms=["Project Basalt"])
    prediction = {"standalone_query": result}
    found = check(history=history, query=query, prediction=prediction, access_scope=scope)
    return [(v.code, v.span, v.message) for v in found]


def test_leak_of_a_restricted_term_is_told_without_its_words() -> None:  # REF-09
    found = violations("Who runs Project Basalt?")
    assert found[0][:2] == ("scope_leak", None)
    assert "basalt" not in str(found).lower()


def test_other_violations_beside_a_leak_are_still_told() -> None:
    found = violations("Who runs the Osmund mill of Project-Basalt?")
    assert ("unsupported_term", "Osmund") in [v[:2] for v in found] and "basalt" not in str(found).lower()


def test_leak_in_a_declared_referent_counts() -> None:
    prediction = {
        "standalone_query": "Who runs the quarry?",
        "resolved_references": [{"mention": "it", "referent": "Ferran"}],
    }
    history = [Turn(role="user", content="Is the quarry open?")]
    scope = AccessScope(restricted_terms=["Ferran"])
    found = check(history=history, query="who runs it?", prediction=prediction, access_scope=scope)
    assert "scope_leak" in {v.code for v in found} and "Ferran" not in str(found)


def test_own_term_of_the_user_is_no_leak_and_not_quoted_either() -> None:
    found = violations("Who leads the quarry?", query="who leads Project Basalt?")
    assert "scope_leak" not in {v[0] for v in found} and found and "basalt" not in str(found).lower()


@pytest.mark.parametrize("term", ["restricted", "Restricted", "[restricted]", "Grey Heron"])
def test_masking_twice_is_masking_once(term: str) -> None:
    once = masked("The restricted Grey Heron's nest", [term, "Grey Heron"])
    assert masked(once, [term, "Grey Heron"]) == once and once.endswith("[restricted] nest")
