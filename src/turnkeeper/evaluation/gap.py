"""The gap between dev, on which a program was chosen, and the test split, which it met once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple


class Gap(NamedTuple):
    """Test minus dev.

    Attributes:
        dev: Mean score on the dev rows that chose the program: flattering by nature.
        test: Mean score on the test rows.
        mean: Their difference with its 95 % interval `low` to `high`; the rows are others, so nothing is paired.
    """

    dev: float
    test: float
    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """What may be said of the difference."""
        return "lower" if self.high < 0 else "higher" if self.low > 0 else "not distinguishable"

    def sentence(self) -> str:
        """Say it in one line."""
        found = f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"
        return f"dev {self.dev:.3f}, test {self.test:.3f}: {found}, {self.verdict}"


def gap_of(metrics: Mapping[str, Any]) -> Gap | None:
    """Return the gap that a manifest's figures show; None where it holds no test figures, or a mean without
    an interval.

    The interval of a difference of two independent means is put together from the intervals of both (MOVER: Zou and
    Donner, Statistics in Medicine 27, 2008), since the manifest keeps these and no dev rows.
    """
    dev, test = metrics.get("dev"), metrics.get("test")
    try:
        d, t = ({name: float(side[name]) for name in ("mean", "low", "high")} for side in (dev, test))  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        return None
    if not all(map(math.isfinite, (*d.values(), *t.values()))):
        return None
    mean = t["mean"] - d["mean"]
    below = math.hypot(t["mean"] - t["low"], d["high"] - d["mean"])
    above = math.hypot(t["high"] - t["mean"], d["mean"] - d["low"])
    return Gap(d["mean"], t["mean"], mean, mean - below, mean + above)
