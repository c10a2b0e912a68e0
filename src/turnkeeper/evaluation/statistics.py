"""Intervals and tests for scored rows, and what may be said of them.

Rows of one conversation correlate, so whole families are resampled, not rows, and families are what must be many. The
tests are those that lm-evaluation and inspect users ask for: a paired bootstrap and the exact McNemar test instead of
two error bars side by side.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

RESAMPLES = 4000
LEVEL = 0.95
LEAST_CHANGED = 6
"""Rows that must differ before anything is claimed: 5 against 0 has p = 0.063, 6 against 0 has p = 0.031. Rows of one
conversation go the same way, so that many families must have such rows, too."""
LEAST_ROWS = 6
"""Rows below which there is no interval: resampling a handful says nothing of what was not drawn."""
LEAST_FAMILIES = 6
"""Families below which there is no interval, however many their rows: one family is always drawn alike and gives an
interval of no width. Intervals from few clusters are too narrow (Cameron, Gelbach and Miller, 2008): of those that
should hold the mean of normal values in 95 %, 50 % do with 2 families, 80 % with 4, 87 % with 6 and 92 % with 20. Below
six not even families that all go the same way are beyond chance (sign test: 5 against 0 has p = 0.063)."""
NO_INTERVAL = f"A mean stands without an interval where its rows are of fewer than {LEAST_FAMILIES} conversations."
"""What reports say of means without one."""


class Interval(NamedTuple):
    """A mean and its percentile bootstrap interval.

    Attributes:
        mean: NaN when there are no values.
        low: NaN, like `high`, where the rows or their families are too few.
        rows: Number of values.
        families: Families of these rows; None when it is not known, as in results of older versions.
    """

    mean: float
    low: float
    high: float
    rows: int
    families: int | None = None

    @property
    def known(self) -> bool:
        """Whether there is an interval, and not only a mean."""
        enough = self.rows >= LEAST_ROWS and self.independent >= LEAST_FAMILIES
        return enough and not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def independent(self) -> int:
        """How many draws the rows are worth: one a family, one a row where families are not known."""
        return self.rows if self.families is None else self.families


def bootstrap_mean(
    values: Sequence[float], families: Sequence[Hashable], *, seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Return the mean with its 95 % percentile interval, resampled by family; no interval for too few of these.

    Args:
        values: One a row.
        families: The family of each row, as many as values; a row without one ("" or None) is a family of its own.
        seed: Of the resampling; the same seed gives the same interval.
        resamples: Number of bootstrap samples.

    Raises:
        ValueError: Not as many families as values.
    """
    if len(values) != len(families):
        raise ValueError(f"{len(values)} values but {len(families)} families")
    if not values:
        return Interval(math.nan, math.nan, math.nan, 0, 0)
    mean = math.fsum(values) / len(values)
    owner = _numbered(families)
    count = max(owner) + 1
    if len(values) < LEAST_ROWS or count < LEAST_FAMILIES:
        return Interval(mean, math.nan, math.nan, len(values), count)
    if min(values) == max(values):
        return Interval(mean, mean, mean, len(values), count)
    sums = np.bincount(owner, weights=np.asarray(values, dtype=float), minlength=count)
    counts = np.bincount(owner, minlength=count)
    drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(mean, float(low), float(high), len(values), count)


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


def changed_families(before: Sequence[float], after: Sequence[float], families: Sequence[Hashable]) -> int:
    """Return how many families have a row that differs by more than rounding."""
    owner = _numbered(families)
    return len({o for o, a, b in zip(owner, before, after, strict=True) if changed_rows([a], [b])})


def verdict(
    difference: Interval, changed: int, margin: float | None = None, *, changed_families: int | None = None
) -> str:
    """Say in words what a paired difference allows to say.

    Args:
        difference: The interval of after minus before.
        changed: Rows that differ.
        margin: Differences smaller than this do not matter.
        changed_families: Families that these rows are of; when it is left out, each counts as one of its own.

    Returns:
        "equivalent within MARGIN" when the whole interval lies inside the margin, and the families are so many that a
        change that none of them showed would be smaller too (rule of three); else "no claim: N changed rows" below six
        of them; else "no claim: rows of N conversations" when these are too few for an interval, and "no claim: N
        changed rows of M conversations" below six of those; else "not distinguishable" when the interval holds 0; else
        "better" or "worse".
    """
    if margin is not None and difference.known and 3 / difference.independent <= margin:
        if -margin < difference.low and difference.high < margin:
            return f"equivalent within {margin:g}"
    if changed < LEAST_CHANGED:
        return f"no claim: {_counted(changed, 'changed row')}"
    if not difference.known:
        return f"no claim: rows of {_counted(difference.independent, 'conversation')}"
    if changed_families is not None and changed_families < LEAST_CHANGED:
        return f"no claim: {changed} changed rows of {_counted(changed_families, 'conversation')}"
    if difference.low <= 0 <= difference.high:
        return "not distinguishable"
    return "better" if difference.mean > 0 else "worse"


def _numbered(families: Sequence[Hashable]) -> list[int]:
    """Return the number of each row's family, from 0 in the order of their first rows."""
    place: dict[Hashable, int] = {}
    own = (("row", number) if family in ("", None) else ("family", family) for number, family in enumerate(families))
    return [place.setdefault(family, len(place)) for family in own]


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
