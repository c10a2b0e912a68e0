"""Repeated runs of one program over the same rows: how much of a figure is the LM's sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .scored import Scored
from .summary import rounded


class Flakiness(NamedTuple):
    """Runs beside each other; only rows that have a score in each run count.

    Attributes:
        runs: How many.
        rows: Rows that count.
        means: The mean score of each run.
        same: Rows with the same prediction in each run.
        always: Rows that are good in each run.
        sometimes: Ids of rows that are good in some runs and not in others, the least steady score first.
        spread: Mean over rows of the largest score minus the smallest; 0.0 when sampling changes no score.
    """

    runs: int
    rows: int
    means: tuple[float, ...]
    same: int
    always: int
    sometimes: tuple[str, ...]
    spread: float

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **self._asdict(), "means": [rounded(mean) for mean in self.means], "sometimes": list(self.sometimes),
            "spread": rounded(self.spread),
        }  # fmt: skip


def flakiness(runs: Sequence[Sequence[Scored]]) -> Flakiness:
    """Set runs of the same rows beside each other.

    Args:
        runs: The rows of each run, matched by id; one run is steady by definition.
    """
    scores: list[dict[str, Scored]] = [{row.id: row for row in run if row.score is not None} for run in runs]
    ids = [row.id for row in runs[0] if all(row.id in run for run in scores)] if runs else []
    spread: dict[str, float] = {}
    same = always = 0
    sometimes: list[str] = []
    for row_id in ids:
        rows = [run[row_id] for run in scores]
        found = [row.score or 0.0 for row in rows]
        spread[row_id] = max(found) - min(found)
        same += all(row.prediction == rows[0].prediction for row in rows)
        good = [row.good for row in rows]
        always += all(good)
        if any(good) and not all(good):
            sometimes.append(row_id)
    count = len(ids)
    return Flakiness(
        runs=len(runs),
        rows=count,
        means=tuple(math.fsum(run[i].score or 0.0 for i in ids) / count if count else math.nan for run in scores),
        same=same,
        always=always,
        sometimes=tuple(sorted(sometimes, key=lambda i: -spread[i])),
        spread=math.fsum(spread.values()) / count if count else math.nan,
    )
