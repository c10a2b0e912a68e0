"""Quality against cost: what each evaluation spends on a row, and which of them nothing beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .files import Saved
from .statistics import Interval
from .summary import Summary


class Spent(NamedTuple):
    """One evaluation as a point.

    Attributes:
        score: With its interval by family.
        tokens: Prompt and completion tokens a row.
        seconds: Median seconds a row; of rows from a journal, what they took then.
        cheapest: Whether no other evaluation scores as high for as few tokens, and one of the two better.
        fastest: The same for seconds.
    """

    name: str
    score: Interval
    tokens: float
    seconds: float
    cheapest: bool
    fastest: bool


def spent(files: Sequence[Saved], sums: Sequence[Summary]) -> list[Spent]:
    """Return the evaluations as points, in order."""
    scores = [found.components["score"].mean if "score" in found.components else math.nan for found in sums]
    tokens = [
        (found.prompt_tokens + found.completion_tokens) / found.rows if found.rows else math.nan for found in sums
    ]
    seconds = [found.latency_ms / 1000 for found in sums]
    cheap, fast = undominated(tokens, scores), undominated(seconds, scores)
    return [
        Spent(file.name, found.components["score"], tokens[n], seconds[n], cheap[n], fast[n])
        for n, (file, found) in enumerate(zip(files, sums, strict=True))
    ]


def undominated(costs: Sequence[float], scores: Sequence[float]) -> list[bool]:
    """Return for each point whether no other costs no more and scores no less, one of the two strictly.

    A point whose cost or score is not known (NaN) is on no front and dominates nothing.
    """
    points = list(zip(costs, scores, strict=True))
    return [
        not any(math.isnan(value) for value in point) and not any(_beats(other, point) for other in points)
        for point in points
    ]


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other
