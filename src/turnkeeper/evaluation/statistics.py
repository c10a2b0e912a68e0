"""Intervals and tests for scored rows, and what may be said of them.

Rows of one conversation correlate, so whole families are resampled, not rows. The tests are those that lm-evaluation
and inspect users ask for: a paired bootstrap and the exact McNemar test instead of two error bars side by side.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

RESAMPLES = 4000
LEVEL = 0.95
LEAST_CHANGED = 6
"""Rows that must differ before anything is claimed: 5 against 0 has p = 0.063, 6 against 0 has p = 0.031."""


class Interval(NamedTuple):
    """A mean and its percentile bootstrap interval over `rows` values; all NaN when there are none."""

    mean: float
    low: float
    high: float
    rows: int


def bootstrap_mean(
    values: Sequence[float], families: Sequence[Hashable], *, seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Return the mean with its 95 % percentile interval, resampled by family.

    Args:
        values: One a row.
        families: The family of each row, as many as values.
        seed: Of the resampling; the same seed gives the same interval.
        resamples: Number of bootstrap samples.

    Raises:
        ValueError: Not as many families as values.
    """
    if len(values) != len(families):
        raise ValueError(f"{len(values)} values but {len(families)} families")
    if not values:
        return Interval(math.nan, math.nan, math.nan, 0)
    mean = math.fsum(values) / len(values)
    if min(values) == max(values):
        return Interval(mean, mean, mean, len(values))
    place = {family: number for number, family in enumerate(dict.fromkeys(families))}
    owner = np.array([place[family] for family in families])
    sums = np.bincount(owner, weights=np.asarray(values, dtype=float), minlength=len(place))
    counts = np.bincount(owner, minlength=len(place))
    drawn = np.random.default_rng(seed).integers(len(place), size=(resamples, len(place)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(mean, float(low), float(high), len(values))


def bootstrap_difference(
    before: Sequence[float],
    after: Sequence[float],
    families: Sequence[Hashable],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean of after minus before on the same rows with its interval; otherwise as `bootstrap_mean`."""
    if len(before) != len(after):
        raise ValueError(f"{len(before)} values before but {len(after)} after")
    differences = [b - a for a, b in zip(before, after, strict=True)]
    return bootstrap_mean(differences, families, seed=seed, resamples=resamples)


def mcnemar(worse: int, better: int) -> float:
    """Return the exact two-sided p of McNemar's test: that so uneven a split of the changed rows is chance.

    Args:
        worse: Rows that were good and are not any more.
        better: Rows that were not good and are now.
    """
    changed = worse + better
    tail = sum(math.comb(changed, number) for number in range(min(worse, better) + 1))
    return min(1.0, 2 * tail / (1 << changed))


def changed_rows(before: Sequence[float], after: Sequence[float]) -> int:
    """Return how many rows differ by more than rounding."""
    return sum(not math.isclose(a, b, abs_tol=1e-6) for a, b in zip(before, after, strict=True))


def verdict(difference: Interval, changed: int, margin: float | None = None) -> str:
    """Say in words what a paired difference allows to say.

    Args:
        difference: The interval of after minus before.
        changed: Rows that differ.
        margin: Differences smaller than this do not matter.

    Returns:
        "equivalent within MARGIN" when the whole interval lies inside the margin, and the rows are so many that a
        change that no row showed would be smaller too (rule of three); else "no claim: N changed rows" below six of
        them; else "not distinguishable" when the interval holds 0; else "better" or "worse".
    """
    if margin is not None and difference.rows and 3 / difference.rows <= margin:
        if -margin < difference.low and difference.high < margin:
            return f"equivalent within {margin:g}"
    if changed < LEAST_CHANGED:
        return f"no claim: {changed} changed row{'' if changed == 1 else 's'}"
    if difference.low <= 0 <= difference.high:
        return "not distinguishable"
    return "better" if difference.mean > 0 else "worse"
