"""check of reformulate: a millisecond a turn, linear in the input, and nothing that a user pastes breaks it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import AccessScope, Turn

from ..timing import assert_linear, assert_within

HISTORY = [
    Turn(role="user", content="What does a tyre change cost on the Corvane T4?"),
    Turn(role="assistant", content="A change of four tyres costs 120 euro; balancing is included, storage is not."),
]


def work(history: list[Turn], query: str, result: str) -> Callable[[], object]:
    return lambda: check(history=history, query=query, prediction={"standalone_query": result})


def noise(size: int) -> str:
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=6)) for _ in range(3000)]
    text = " ".join(draw.choices(words, k=size // 7 + 1))
    return text[:size]


def test_median_turn_takes_a_millisecond() -> None:  # the bound is 1 ms; the test leaves room for a slow machine
    pairs = [
        ("and new brake pads?", "What do new brake pads cost on the Corvane T4?"),
        ("is it stored?", "Is the Corvane T4 stored?"),
    ]
    assert_within(0.003, lambda n: work(HISTORY, *pairs[n % 2]), runs=80)


def test_history_costs_linear_time() -> None:
    def asked(size: int) -> Callable[[], object]:
        history = [Turn(role="user", content=noise(size))]
        return work(history, "and the price?", "What is the price of the Corvane?")

    asked(100_000)()  # reads the words
    assert_linear(asked, 50_000, 100_000, factor=3.5, floor=0.02)


def test_query_costs_linear_time() -> None:
    def asked(size: int) -> Callable[[], object]:
        query = noise(size)
        return work(HISTORY, query, query + " now")

    asked(50_000)()  # reads the words
    assert_linear(asked, 25_000, 50_000, factor=3.5, floor=0.05)


HOSTILE = {
    "spaces": " " * 50_000,
    "one word": "a" * 50_000,
    "dots": "." * 50_000,
    "quotes": "'a " * 15_000,
    "no": "no, " * 12_000,
    "the next": "the next " * 5_000,
    "the": "the " * 12_000,
    "dashes": "a-" * 25_000,
    "urls": "http://" * 7_000,
    "lone surrogates": "\ud800x " * 10_000,
    "NUL": "\0" * 50_000,
    "lines": "\n" * 50_000,
    "han": "\u9752" * 50_000,
    "speakers": "User: " * 8_000,
    "taken back": "x, no, " * 7_000,
    "widening": "all the " * 6_000,
    "emoji": "\U0001f600" * 50_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_neither_raises_nor_stalls(text: str) -> None:
    scope = AccessScope(allowed={"regions": ["nord"]}, restricted_terms=["no no no"])

    def checked(text: str) -> None:
        check(history=HISTORY, query=text, prediction={"standalone_query": text + " x"}, access_scope=scope)
        check(
            history=[Turn(role="assistant", content=text)],
            query="ok",
            prediction={"standalone_query": text},
            access_scope=scope,
        )

    assert_within(10, lambda n: lambda: checked(text + "x" * n))


@pytest.mark.parametrize("unit", ["it ", '"it" ', "what about it? ", "the song they ", "or ", "1. a "])
def test_a_hundred_kilobytes_of_mentions(unit: str) -> None:  # half a second; the test leaves room for a slow machine
    text = (unit * 100_000)[:100_000]
    assert_within(2, lambda n: work(HISTORY, text + "x" * n, text + "x" * n + " now"))


def test_ten_thousand_turns() -> None:
    history = [
        Turn(role="user" if n % 2 == 0 else "assistant", content=f"turn {n} about orla{n}") for n in range(10_000)
    ]
    assert (
        check(history=history, query="and the price?", prediction={"standalone_query": "What is the price of orla5?"})
        == []
    )
    assert_within(2, lambda n: work(history, "and the price?", f"What is the price of orla{n}?"))


def test_same_input_gives_the_same_violations() -> None:
    prediction = {"standalone_query": "Sure! Here is the query: cost of the Zarqun?"}
    first = check(history=HISTORY, query="and pads?", prediction=prediction)
    assert first == check(history=HISTORY, query="and pads?", prediction=prediction)
