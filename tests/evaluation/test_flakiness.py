"""Repeated runs beside each other, and the gap between dev and test. No model."""

from __future__ import annotations

import math

import pytest

from turnkeeper.evaluation.flakiness import flakiness
from turnkeeper.evaluation.gap import gap_of
from turnkeeper.evaluation.scored import Scored


def run(*scores: float | None, text: str = "same") -> list[Scored]:
    return [
        Scored(id=f"r{n}", kind="k", family=f"f{n}", score=score, prediction={"text": text, "n": n})
        for n, score in enumerate(scores)
    ]


def test_runs_that_say_the_same_are_steady() -> None:
    found = flakiness([run(1.0, 0.2), run(1.0, 0.2), run(1.0, 0.2)])
    assert (found.runs, found.rows, found.same, found.always) == (3, 2, 2, 1)
    assert found.means == pytest.approx((0.6, 0.6, 0.6)) and found.spread == 0.0 and not found.sometimes


def test_what_the_runs_do_not_agree_on_is_named_the_least_steady_first() -> None:
    found = flakiness([run(1.0, 0.85, 0.0), run(0.2, 1.0, 0.0, text="other"), run(0.9, 0.5, 0.0)])
    assert found.sometimes == ("r0", "r1") and found.same == 0 and found.always == 0
    assert found.spread == pytest.approx((0.8 + 0.5 + 0.0) / 3)


def test_a_row_that_failed_once_counts_in_no_run() -> None:
    found = flakiness([run(1.0, None), run(0.0, 1.0)])
    assert found.rows == 1 and found.means == (1.0, 0.0) and found.sometimes == ("r0",)
    nothing = flakiness([run(None), run(1.0)])
    assert nothing.rows == 0 and math.isnan(nothing.spread) and nothing.as_json()["means"] == [None, None]


def side(mean: float, low: float, high: float) -> dict[str, float]:
    return {"mean": mean, "low": low, "high": high}


@pytest.mark.parametrize(
    ("dev", "test", "verdict"),
    [
        (side(0.80, 0.75, 0.85), side(0.60, 0.55, 0.65), "lower"),
        (side(0.60, 0.55, 0.65), side(0.80, 0.75, 0.85), "higher"),
        (side(0.77, 0.69, 0.85), side(0.74, 0.69, 0.79), "not distinguishable"),
    ],
)
def test_a_gap_is_told_with_its_interval(dev: dict[str, float], test: dict[str, float], verdict: str) -> None:
    found = gap_of({"dev": dev, "test": test})
    assert found is not None and found.verdict == verdict
    assert found.low < found.mean < found.high and found.mean == pytest.approx(test["mean"] - dev["mean"])


def test_the_interval_of_a_gap_is_wider_than_either_side() -> None:
    found = gap_of({"dev": side(0.7, 0.6, 0.8), "test": side(0.7, 0.6, 0.8)})
    assert found is not None and found.low == pytest.approx(-math.hypot(0.1, 0.1)) == -found.high


@pytest.mark.parametrize("metrics", [{}, {"dev": side(1, 1, 1)}, {"dev": None, "test": side(1, 1, 1)},
                                     {"dev": {"mean": 1}, "test": {"mean": 1}},
                                     {"dev": side(math.nan, 0, 1), "test": side(0, 0, 1)}])  # fmt: skip
def test_without_both_figures_there_is_no_gap(metrics: dict[str, object]) -> None:
    assert gap_of(metrics) is None
