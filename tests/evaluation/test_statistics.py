"""Intervals, exact tests and wording, against known numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from turnkeeper.evaluation.statistics import (
    Interval,
    bootstrap_difference,
    bootstrap_mean,
    changed_families,
    changed_rows,
    mcnemar,
    verdict,
)


@pytest.mark.parametrize(
    ("more", "fewer", "p"),
    [(5, 0, 0.063), (6, 0, 0.031), (8, 1, 0.039), (9, 1, 0.021), (10, 2, 0.039), (12, 4, 0.077), (15, 5, 0.041),
     (20, 10, 0.099), (3, 3, 1.0), (0, 0, 1.0)],
)  # fmt: skip
def test_mcnemar_is_exact_and_two_sided(more: int, fewer: int, p: float) -> None:
    assert mcnemar(more, fewer) == mcnemar(fewer, more) == pytest.approx(p, abs=6e-4)


def test_mcnemar_of_a_thousand_rows_neither_overflows_nor_vanishes() -> None:
    assert 0 < mcnemar(400, 600) < 1e-6


def test_interval_of_independent_rows_is_that_of_the_normal_distribution() -> None:
    values = [0.0, 1.0] * 200
    found = bootstrap_mean(values, range(400))
    half = 1.96 * 0.5 / math.sqrt(400)
    assert found.mean == 0.5
    assert (found.low, found.high) == (pytest.approx(0.5 - half, abs=0.005), pytest.approx(0.5 + half, abs=0.005))


def test_rows_of_one_family_count_as_one() -> None:
    values = [0.0] * 20 + [1.0] * 20
    alone = bootstrap_mean(values, range(40))
    together = bootstrap_mean(values, [n // 5 for n in range(40)])
    assert (alone.families, together.families) == (40, 8)
    assert together.high - together.low > 1.8 * (alone.high - alone.low)


def test_one_family_drawn_again_and_again_gives_no_interval() -> None:
    before, after = [0.0] * 6, [0.2, 0.3, 0.4, 0.4, 0.4, 0.5]
    found = bootstrap_difference(before, after, ["talk"] * 6)
    assert found.mean == pytest.approx(0.3667, abs=1e-4) and math.isnan(found.low) and math.isnan(found.high)
    assert not found.known and verdict(found, 6) == "no claim: rows of 1 conversation"


@pytest.mark.parametrize(("families", "known"), [(1, False), (2, False), (5, False), (6, True), (12, True)])
def test_the_families_must_be_many_however_many_the_rows(families: int, known: bool) -> None:
    values = [n % 4 / 3 for n in range(60)]
    for some in (values, [1.0] * 60):
        found = bootstrap_mean(some, [n % families for n in range(60)])
        assert found.known is known and math.isnan(found.low) is not known and found.families == families


@pytest.mark.parametrize("none", ["", None])
def test_a_row_without_a_family_is_one_of_its_own(none: str | None) -> None:
    values = list(np.linspace(0, 1, 30))
    assert bootstrap_mean(values, [none] * 30) == bootstrap_mean(values, range(30))
    assert bootstrap_mean(values, [none] * 20 + ["talk"] * 10).families == 21
    assert changed_families([0.0] * 3, [1.0] * 3, [none, none, "talk"]) == 3


def test_five_rows_give_no_interval() -> None:
    assert not bootstrap_mean([0.1, 0.2, 0.3, 0.4, 0.5], range(5)).known


def test_the_same_seed_gives_the_same_interval() -> None:
    values = list(np.linspace(0, 1, 30))
    assert bootstrap_mean(values, range(30), seed=3) == bootstrap_mean(values, range(30), seed=3)
    assert bootstrap_mean(values, range(30), seed=3) != bootstrap_mean(values, range(30), seed=4)


def test_interval_of_nothing_is_nan() -> None:
    assert math.isnan(bootstrap_mean([], []).mean)


def test_as_many_families_as_values() -> None:
    with pytest.raises(ValueError, match="2 values but 1"):
        bootstrap_mean([1.0, 2.0], ["a"])


def test_pairing_removes_what_rows_have_in_common() -> None:
    before = list(np.linspace(0, 0.9, 60))
    found = bootstrap_difference(before, [b + 0.05 for b in before], range(60))
    assert (round(found.low, 6), round(found.high, 6)) == (0.05, 0.05)


def test_coverage_is_about_95_percent() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for seed in range(200):
        found = bootstrap_mean(list(rng.random(40)), range(40), seed=seed, resamples=500)
        inside += found.low <= 0.5 <= found.high
    assert 0.88 <= inside / 200 <= 0.99


def test_rounding_is_no_change() -> None:
    assert changed_rows([0.1, 0.2], [0.1 + 1e-12, 0.3]) == 1
    assert changed_families([0.1, 0.2, 0.2], [0.1 + 1e-12, 0.3, 0.3], ["a", "b", "b"]) == 1


@pytest.mark.parametrize(
    ("interval", "changed", "margin", "said"),
    [
        ((0.1, 0.02, 0.2, 100), 20, None, "better"),
        ((-0.1, -0.2, -0.02, 100), 20, None, "worse"),
        ((0.1, -0.02, 0.2, 100), 20, None, "not distinguishable"),
        ((0.1, 0.0, 0.2, 100), 20, None, "not distinguishable"),
        ((0.1, 0.02, 0.2, 100), 5, None, "no claim: 5 changed rows"),
        ((0.1, 0.02, 0.2, 100), 1, None, "no claim: 1 changed row"),
        ((0.01, -0.01, 0.03, 100), 20, 0.05, "equivalent within 0.05"),
        ((0.01, -0.01, 0.06, 100), 20, 0.05, "not distinguishable"),
        ((0.0, 0.0, 0.0, 100), 0, 0.05, "equivalent within 0.05"),
        ((0.0, 0.0, 0.0, 10), 0, 0.05, "no claim: 0 changed rows"),
    ],
)
def test_wording(interval: tuple[float, float, float, int], changed: int, margin: float | None, said: str) -> None:
    assert verdict(Interval(*interval), changed, margin) == said


@pytest.mark.parametrize(
    ("rows", "families", "said"),
    [(135, 135, "equivalent within 0.03"), (135, 100, "equivalent within 0.03"),
     (135, 99, "no claim: 0 changed rows"), (135, 27, "no claim: 0 changed rows"), (135, 1, "no claim: 0 changed rows"),
     (135, None, "equivalent within 0.03"), (99, None, "no claim: 0 changed rows")],
)  # fmt: skip
def test_the_rule_of_three_counts_families(rows: int, families: int | None, said: str) -> None:
    assert verdict(Interval(0.0, 0.0, 0.0, rows, families), 0, 0.03) == said


def test_identical_rows_of_few_conversations_are_not_equivalent() -> None:
    found = bootstrap_difference([1.0] * 135, [1.0] * 135, [n % 27 for n in range(135)])
    assert verdict(found, 0, 0.03) == "no claim: 0 changed rows"
    assert verdict(found, 0, 0.12) == "equivalent within 0.12"


@pytest.mark.parametrize(
    ("changed", "of", "said"),
    [(8, 5, "no claim: 8 changed rows of 5 conversations"), (6, 1, "no claim: 6 changed rows of 1 conversation"),
     (8, 6, "better"), (5, 5, "no claim: 5 changed rows"), (8, None, "better")],
)  # fmt: skip
def test_changed_rows_must_be_of_many_conversations(changed: int, of: int | None, said: str) -> None:
    assert verdict(Interval(0.1, 0.02, 0.2, 100, 80), changed, changed_families=of) == said
