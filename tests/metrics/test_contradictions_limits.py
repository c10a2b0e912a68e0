"""Contradictions: any text is accepted, nothing is remembered, and time grows with the length alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._contradictions import contradictions
from turnkeeper.signatures.types import Exclusion, Passage

from ..timing import assert_linear

WORDS = (
    "no not without never drawers drawer lacks free of instead than unlike and or nor but , ; : ? ! . ( ) - \u2014 0 "
    "isn't the a with it has are included optional none yes ohne kein if who \n \u200b \u0301 \u00e9 \u7121\u6263 5"
).split(" ")
UNITS = [
    "no drawers, ",
    "not drawers or ",
    "without drawers and ",
    "drawers ",
    "drawers? ",
    "no ",
    "d-r-a-w-",
    "as for drawers ",
    "the drawers are never ",
    "'s",
    "l.o.c.k ",
    "\u00f8\u0142\u00df drawers not ",
    "\u62bd\u5c49",
    "(",
    "\n",
]


@pytest.mark.parametrize(("unit", "size"), [(unit, 50_000 if unit == UNITS[0] else 15_000) for unit in UNITS])
def test_linear_time(unit: str, size: int) -> None:
    exclusions = [Exclusion(phrase="drawers"), Exclusion(phrase="lock"), Exclusion(phrase="vendor lock-in")]

    def work(size: int) -> Callable[[], object]:
        passage = Passage(doc_id="d", text=(unit * (size // len(unit) + 1))[:size])
        return lambda: contradictions([passage], exclusions)

    assert_linear(work, size, 2 * size, factor=3.5, floor=0.1)


@settings(deadline=None, max_examples=200)
@given(
    text=st.one_of(st.text(alphabet=st.characters(), max_size=120), st.lists(st.sampled_from(WORDS)).map(" ".join)),
    title=st.text(alphabet=st.characters(), max_size=40),
    phrase=st.one_of(st.sampled_from(["drawers", "C++", "-", "the", "\u7121"]), st.text(st.characters(), max_size=30)),
    alias=st.text(st.characters(), max_size=10),
)
def test_any_text_gives_a_span_of_its_own(text: str, title: str, phrase: str, alias: str) -> None:
    passage, exclusion = Passage(doc_id="id of d", title=title, text=text), Exclusion(phrase=phrase, aliases=(alias,))
    found = contradictions([passage], [exclusion])
    assert found == contradictions([passage], [exclusion])
    assert all(c.span and (c.span in text or c.span in title or c.span == "id of d") for c in found)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["a lamp of brass", "it has no door", "not cheap", "never used", "says who?"])))
def test_what_is_not_named_is_never_flagged(sentences: list[str]) -> None:
    assert contradictions([Passage(doc_id="d", text=". ".join(sentences))], [Exclusion(phrase="drawers")]) == ()


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["It is made of brass.", "It has no door.", "Never cheap!", "Who sells it?"]), max_size=6),
    st.integers(0, 6),
)
def test_sentences_around_an_assertion_do_not_hide_it(around: list[str], at: int) -> None:
    text = " ".join([*around[:at], "It has two drawers.", *around[at:]])
    assert contradictions([Passage(doc_id="d", text=text)], [Exclusion(phrase="drawers")])
