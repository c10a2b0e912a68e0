"""What an evaluation says: fallbacks first, then means with intervals, by component and by kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .scored import Scored
from .statistics import Interval, bootstrap_mean


class Summary(NamedTuple):
    """Figures of one evaluation; a mean is over the rows that have a score.

    Attributes:
        fallback_rate: Share of fallbacks, NaN without a scored row. A fallback can make all else look won.
        good: Share of rows that break no rule and agree with the gold.
        components: The score and each component with its interval.
        kinds: The score by kind, in the order in which kinds appear.
        languages: The score by language, where rows say theirs.
        codes: Rows by broken rule.
        latency_ms: Median time a row; of rows from a journal, the time they took then.
    """

    rows: int
    errors: int
    reused: int
    fallback_rate: float
    good: Interval
    components: dict[str, Interval]
    kinds: dict[str, Interval]
    languages: dict[str, Interval]
    codes: dict[str, int]
    lm_calls: int
    prompt_tokens: int
    completion_tokens: int
    latency_ms: float

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values; what is not known is null."""
        return {
            "fallback_rate": rounded(self.fallback_rate),
            "rows": self.rows,
            "errors": self.errors,
            "reused": self.reused,
            "good": interval_json(self.good),
            "components": {name: interval_json(found) for name, found in self.components.items()},
            "kinds": {name: interval_json(found) for name, found in self.kinds.items()},
            "languages": {name: interval_json(found) for name, found in self.languages.items()},
            "violations": self.codes,
            "lm_calls": self.lm_calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "median_latency_ms": rounded(self.latency_ms),
        }


def summarize(rows: Sequence[Scored], *, seed: int = 0) -> Summary:
    """Sum up scored rows; `seed` is that of the bootstrap."""
    scored = [row for row in rows if row.score is not None]
    families = [row.family for row in scored]
    return Summary(
        rows=len(rows),
        errors=len(rows) - len(scored),
        reused=sum(row.reused for row in rows),
        fallback_rate=sum(row.fallback for row in scored) / len(scored) if scored else math.nan,
        good=bootstrap_mean([float(row.good) for row in scored], families, seed=seed),
        components={
            name: bootstrap_mean([value_of(row, name) for row in scored], families, seed=seed)
            for name in names_of(scored)
        },
        kinds=_by([row.kind for row in scored], scored, seed),
        languages=_by([row.language for row in scored], scored, seed),
        codes=dict(Counter(code for row in scored for code in dict.fromkeys(row.violations)).most_common()),
        lm_calls=sum(row.lm_calls for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        latency_ms=median([row.latency_ms for row in scored]),
    )


def _by(groups: Sequence[str], rows: Sequence[Scored], seed: int) -> dict[str, Interval]:
    found: dict[str, list[Scored]] = {}
    for group, row in zip(groups, rows, strict=True):
        if group:
            found.setdefault(group, []).append(row)
    return {
        group: bootstrap_mean([value_of(row, "score") for row in some], [row.family for row in some], seed=seed)
        for group, some in found.items()
    }


def names_of(rows: Sequence[Scored]) -> list[str]:
    """Return "score" and the components that every row has."""
    shared = [name for name in rows[0].components if all(name in row.components for row in rows)] if rows else []
    return ["score", *shared]


def value_of(row: Scored, name: str) -> float:
    """Return the score, or a component, of a row that has a score."""
    return float(row.score or 0.0) if name == "score" else row.components[name]


def median(values: Sequence[float]) -> float:
    """Return the middle value, NaN when there is none."""
    return sorted(values)[len(values) // 2] if values else math.nan


def rounded(value: float, digits: int = 6) -> float | None:
    """Return a number for JSON, which has no NaN."""
    return None if math.isnan(value) else round(value, digits)


def interval_json(interval: Interval) -> dict[str, Any]:
    """Return an interval as JSON values; its ends are null where there is none."""
    return {"mean": rounded(interval.mean), **ends_json(interval), "rows": interval.rows}


def ends_json(interval: Interval, digits: int = 6) -> dict[str, Any]:
    """Return the ends of an interval, null where there is none, and the number of families."""
    return {
        "low": rounded(interval.low, digits),
        "high": rounded(interval.high, digits),
        "families": interval.families,
    }


def told(said: Mapping[str, Any], form: str) -> str:
    """Return the mean of recorded figures in a format, with the interval where they have one."""
    mean, low, high = (said.get(name) for name in ("mean", "low", "high"))
    if low is None or high is None:
        return f"{mean:{form}}"
    return f"{mean:{form}} [{low:{form}}, {high:{form}}]"
