"""Any text is accepted, and time grows with its length alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._references import (
    Mention,
    antecedent_agrees,
    find_mentions,
    list_items,
    pick_ordinal,
    residual_references,
)

from ..timing import assert_linear

UNITS = [
    "it ",
    "that ",
    "([{<",
    "a",
    "the one, ",
    "Mara Lind and ",
    '"it" ',
    "1. a ",
    "- b\n",
    "what about it? ",
    "is it there in Oslo, ",
    "the song they ",
    "these songs, ",
    "the second sounds, ",
    "😀 he ",
]
WORDS = "it they that this one there the and Mara Lind album who what is did of in , . ? \" ' \n".split(" ")


@pytest.mark.parametrize(("unit", "size"), [(unit, 50_000 if unit == "it " else 12_000) for unit in UNITS])
def test_linear_time(unit: str, size: int) -> None:
    def work(size: int) -> Callable[[], object]:
        text = (unit * (size // len(unit) + 1))[:size]
        return lambda: (residual_references(text, text, []), list_items(text))

    assert_linear(work, size, 2 * size, factor=3.5, floor=0.1)


@settings(deadline=None, max_examples=200)
@given(
    st.one_of(
        st.text(alphabet=st.characters(), max_size=80), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
    )
)
def test_any_text(text: str) -> None:
    found = find_mentions(text)
    assert [text[m.start : m.end] for m in found] == [m.text for m in found]
    assert all(a.end <= b.start for a, b in zip(found, found[1:]))  # noqa: B905, RUF007


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=60), st.text(max_size=60))
def test_helpers_take_any_text(left: str, right: str) -> None:
    items = list_items(left)
    assert all(word in left for item in items for word in item.split())
    assert pick_ordinal(right, items) in [None, *items]
    assert antecedent_agrees(Mention("it", 0, 2, "pronoun"), right) in (True, False)


@pytest.mark.parametrize("text", ["", "\x00", "\ud800 it", "it\ud800", "👩‍👩‍👧 it?", "\u202eit", "İt", "ﬁt it"])
def test_odd_characters(text: str) -> None:
    assert all(text[m.start : m.end] == m.text for m in find_mentions(text))


def test_deterministic() -> None:
    text = "Did she like it when they played there?"
    assert find_mentions(text) == find_mentions(text)


def test_a_question_after_a_pasted_text_is_read() -> None:
    text = "The valve opens at noon. " * 2000 + "Who sells those seals?"
    assert [m.text for m in find_mentions(text)][-1:] == ["those seals"]
    assert text[find_mentions(text)[-1].start :] == "those seals?"


def test_mentions_are_bounded() -> None:
    assert 0 < len(find_mentions("it " * 30_000)) <= 400
