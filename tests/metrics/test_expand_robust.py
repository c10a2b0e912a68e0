"""Detector, leak check and stripping on hostile input: nothing raises, time is linear, results are the same again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._leaks import leaks
from turnkeeper.metrics.expand import check, detect, without_exclusions
from turnkeeper.signatures.types import DomainContext, Exclusion, Turn

from ..timing import assert_linear, assert_within

WORDS = st.sampled_from(
    "without no not except besides glass steel , . ? ! \" ' ( ) - -steel NOT and or nor neither nothing but anything "
    "that are aren't don't want I never mind is fine too if hate allergic to the a with non-glass Glass \u200b \u00df "
    "status:open ohne sin \ud800 \n > ``` \u201c \u201d".split(" ")
)
MESSAGE = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=80)
PHRASE = st.text(max_size=20) | WORDS


@settings(max_examples=300, deadline=None)
@given(st.lists(MESSAGE, max_size=4), MESSAGE, st.dictionaries(PHRASE, st.lists(PHRASE, max_size=2), max_size=2))
def test_nothing_raises_and_the_stripped_query_leaks_nothing(
    earlier: list[str], query: str, aliases: dict[str, list[str]]
) -> None:
    history = [Turn(role="user", content=text) for text in earlier]
    context = DomainContext(aliases=aliases)
    found = detect(history, query, context)
    assert found == detect(history, query, context)
    assert leaks(without_exclusions(query, found.exclusions), found.exclusions) == ()
    check(history=history, query=query, prediction={"expanded_query": query}, domain_context=context)


@settings(max_examples=200, deadline=None)
@given(MESSAGE, st.lists(PHRASE, max_size=3))
def test_places_of_leaks_are_in_order_and_within_the_text(text: str, phrases: list[str]) -> None:
    last = 0
    for leak in leaks(text, [Exclusion(phrase=phrase) for phrase in phrases]):
        assert last <= leak.start < leak.end <= len(text)
        last = leak.end


@settings(max_examples=100, deadline=None)
@given(st.lists(MESSAGE, max_size=3), MESSAGE)
def test_carried_state_and_rebuilt_state_agree(earlier: list[str], query: str) -> None:
    history = [Turn(role="user", content=text) for text in earlier]
    state: tuple[Exclusion, ...] = ()
    for n, turn in enumerate(history):
        state = detect(history[:n], turn.content, None, state).exclusions
    assert detect(history, query).active == detect(history, query, None, state).active


UNITS = [
    "no x ", "not a and ", "without ", "no, ", "besides, ", '"no" ', '"', "(", "-a ", "non-", "n't ", "the man said ",
    "never mind x, ", "if not ", "that are not a ", "neither a nor ", "x: no\n", "> no\n", "```", "a-", "a.b", "a b ",
    "\u200b", "\u00df", "Aa ", "nothing ", "is excluded ", "I'd rather a than b ", "anything but a ", "what ", "x\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_message_costs_linear_time(unit: str) -> None:
    state = [Exclusion(phrase=p) for p in ("x", "a b", "a-b-c")]

    def work(size: int) -> Callable[[], None]:
        text = (unit * size)[:size]

        def read() -> None:
            found = detect([Turn(role="user", content="no x, no a b")], text)
            leaks(text, (*found.exclusions, *state))
            without_exclusions(text, state)

        return read

    assert_linear(work, 5_000, 20_000, factor=10, floor=0.5)


def test_a_turn_takes_a_millisecond() -> None:  # the bound is 1 ms for all checks; room for a slow machine
    history = [Turn(role="user", content="shelves without glass"), Turn(role="assistant", content="Here are some.")]
    prediction = {"expanded_query": "white shelves board rack", "negation_constraints": ["glass"]}
    check(history=history, query="and in white, not wider than a metre?", prediction=prediction)

    def work(number: int) -> Callable[[], object]:
        query = f"in white, not wider than {number} cm?"
        return lambda: check(history=history, query=query, prediction=prediction)

    assert_within(0.004, work, runs=60)


def test_two_thousand_turns() -> None:
    def work(number: int) -> Callable[[], None]:
        history = [Turn(role="user", content=f"no item{number}x{n}") for n in range(2_000)]

        def read() -> None:
            found = detect(history, "more")
            assert len(found.exclusions) <= 200 and found.exclusions[-1].phrase == f"item{number}x1999"

        return read

    assert_within(20, work, rounds=3)
