"""check of reformulate: a millisecond a turn, linear in the input, and nothing that a user pastes breaks it."""

from __future__ import annotations

import random
import statistics
import time

import pytest

from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import AccessScope, Turn

HISTORY = [
    Turn(role="user", content="What does a tyre change cost on the Corvane T4?"),
    Turn(role="assistant", content="A change of four tyres costs 120 euro; balancing is included, storage is not."),
]


def seconds(history: list[Turn], query: str, result: str, runs: int = 3) -> float:
    def once() -> float:
        start = time.perf_counter()
        check(history=history, query=query, prediction={"standalone_query": result})
        return time.perf_counter() - start

    return min(once() for _ in range(runs))


def noise(size: int) -> str:
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=6)) for _ in range(3000)]
    text = " ".join(draw.choices(words, k=size // 7 + 1))
    return text[:size]


def test_median_turn_takes_a_millisecond() -> None:  # the bound is 1 ms; the test leaves room for a loaded machine
    pairs = [
        ("and new brake pads?", "What do new brake pads cost on the Corvane T4?"),
        ("is it stored?", "Is the Corvane T4 stored?"),
    ]
    times = [seconds(HISTORY, query, result, 1) for _ in range(40) for query, result in pairs]
    assert statistics.median(times) < 0.003


def test_history_costs_linear_time() -> None:
    small, large = ([Turn(role="user", content=noise(size))] for size in (50_000, 100_000))
    ask = ("and the price?", "What is the price of the Corvane?")
    seconds(large, *ask)
    assert seconds(large, *ask) < 3.5 * seconds(small, *ask) + 0.02


def test_query_costs_linear_time() -> None:
    small, large = noise(25_000), noise(50_000)
    seconds(HISTORY, large, large + " now", 1)
    assert seconds(HISTORY, large, large + " now") < 3.5 * seconds(HISTORY, small, small + " now") + 0.05


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
    start = time.perf_counter()
    check(history=HISTORY, query=text, prediction={"standalone_query": text + " x"}, access_scope=scope)
    check(
        history=[Turn(role="assistant", content=text)],
        query="ok",
        prediction={"standalone_query": text},
        access_scope=scope,
    )
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("unit", ["it ", '"it" ', "what about it? ", "the song they ", "or ", "1. a "])
def test_a_hundred_kilobytes_of_mentions(unit: str) -> None:  # half a second; the test leaves room for a loaded machine
    text = (unit * 100_000)[:100_000]
    assert seconds(HISTORY, text, text + " now", 1) < 2


def test_ten_thousand_turns() -> None:
    history = [
        Turn(role="user" if n % 2 == 0 else "assistant", content=f"turn {n} about orla{n}") for n in range(10_000)
    ]
    assert (
        check(history=history, query="and the price?", prediction={"standalone_query": "What is the price of orla5?"})
        == []
    )
    assert seconds(history, "and the price?", "What is the price of orla5?") < 2


def test_same_input_gives_the_same_violations() -> None:
    prediction = {"standalone_query": "Sure! Here is the query: cost of the Zarqun?"}
    first = check(history=HISTORY, query="and pads?", prediction=prediction)
    assert first == check(history=HISTORY, query="and pads?", prediction=prediction)
