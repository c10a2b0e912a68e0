"""Is B better than A? On the same rows, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from .files import Saved
from .scored import Scored
from .statistics import Interval, bootstrap_difference, changed_families, changed_rows, mcnemar, verdict
from .summary import interval_json, median, names_of, rounded, value_of

_MOST_NAMED = 5


class Pair(NamedTuple):
    """One row before and after."""

    before: Scored
    after: Scored


class Delta(NamedTuple):
    """The paired difference (after minus before) of one metric on all rows, or on those of one kind.

    Attributes:
        kind: None for all rows.
        changed: Rows that differ.
        verdict: What may be said; see `statistics.verdict`.
    """

    metric: str
    kind: str | None
    before: float
    after: float
    difference: Interval
    changed: int
    verdict: str


class Cost(NamedTuple):
    """What one side cost on the compared rows."""

    fallback_rate: float
    errors: int
    lm_calls: int
    prompt_tokens: int
    completion_tokens: int
    latency_ms: float


class Comparison(NamedTuple):
    """Two evaluations of the same rows.

    Attributes:
        pairs: Rows with a score on both sides.
        worse: Good before and not after.
        better: Not good before and good after.
        p: Exact McNemar p of these flips, two-sided.
        deltas: All rows first, metric by metric; then kind by kind.
    """

    pairs: list[Pair]
    worse: list[Pair]
    better: list[Pair]
    p: float
    deltas: list[Delta]
    before: Cost
    after: Cost

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values; what is not known is null."""
        return {
            "fallback_rate": {"before": rounded(self.before.fallback_rate), "after": rounded(self.after.fallback_rate)},
            "rows": len(self.pairs),
            "flips": {"worse": [p.after.id for p in self.worse], "better": [p.after.id for p in self.better]},
            "mcnemar_p": rounded(self.p),
            "deltas": [
                {
                    "metric": d.metric, "kind": d.kind, "before": rounded(d.before), "after": rounded(d.after),
                    "difference": interval_json(d.difference), "changed": d.changed, "verdict": d.verdict,
                }
                for d in self.deltas
            ],
            "cost": {"before": _cost_json(self.before), "after": _cost_json(self.after)},
        }  # fmt: skip


def compare(before: Saved, after: Saved, *, margin: float | None = None, seed: int = 0) -> Comparison:
    """Compare two evaluations row by row.

    Rows that failed on either side are left out of the pairs and counted as errors of their side.

    Args:
        before: The reference.
        after: What is to be judged.
        margin: Equivalence margin: score differences smaller than this do not matter.
        seed: Of the bootstrap.

    Raises:
        InputError: The files hold different rows, or rows of the same id with another content.
    """
    if margin is not None and not 0 < margin < 1:
        raise InputError(f"the equivalence margin must lie between 0 and 1, not {margin:g}")
    others = _same_rows(before, after)
    both = [Pair(row, others[row.id]) for row in before.rows]
    pairs = [pair for pair in both if pair.before.score is not None and pair.after.score is not None]
    worse = [pair for pair in pairs if pair.before.good and not pair.after.good]
    better = [pair for pair in pairs if pair.after.good and not pair.before.good]
    names = [n for n in names_of([p.before for p in pairs]) if n in names_of([p.after for p in pairs])]
    deltas = [_delta(name, None, pairs, margin, seed) for name in names]
    for kind in dict.fromkeys(pair.before.kind for pair in pairs):
        some = [pair for pair in pairs if pair.before.kind == kind]
        deltas += [_delta(name, kind, some, margin, seed) for name in names]
    return Comparison(
        pairs,
        worse,
        better,
        mcnemar(len(worse), len(better)),
        deltas,
        _cost([p.before for p in pairs], before),
        _cost([p.after for p in pairs], after),
    )


def _same_rows(before: Saved, after: Saved) -> dict[str, Scored]:
    here, there = {row.id: row for row in before.rows}, {row.id: row for row in after.rows}
    for file, other, missing in (
        (before, after, [i for i in here if i not in there]),
        (after, before, [i for i in there if i not in here]),
    ):
        if missing:
            named = ", ".join(missing[:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
            raise InputError(
                f"{other.path}: lacks {len(missing)} of the {len(file.rows)} rows of {file.path} ({named}); "
                "evaluate both on the same rows"
            )
    changed = [i for i in here if here[i].row_digest != there[i].row_digest]
    if changed:
        raise InputError(
            f"{after.path}: {len(changed)} rows, {changed[0]} for one, had another content in {before.path}; "
            "evaluate both on the same golden set"
        )
    return there


def _delta(name: str, kind: str | None, pairs: Sequence[Pair], margin: float | None, seed: int) -> Delta:
    old = [value_of(pair.before, name) for pair in pairs]
    new = [value_of(pair.after, name) for pair in pairs]
    families = [pair.before.family for pair in pairs]
    difference = bootstrap_difference(old, new, families, seed=seed)
    changed = changed_rows(old, new)
    said = verdict(difference, changed, margin, changed_families=changed_families(old, new, families))
    return Delta(name, kind, _mean(old), _mean(new), difference, changed, said)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _cost(rows: Sequence[Scored], saved: Saved) -> Cost:
    return Cost(
        sum(row.fallback for row in rows) / len(rows) if rows else math.nan,
        sum(row.score is None for row in saved.rows),
        sum(row.lm_calls for row in rows),
        sum(row.prompt_tokens for row in rows),
        sum(row.completion_tokens for row in rows),
        median([row.latency_ms for row in rows]),
    )


def _cost_json(cost: Cost) -> dict[str, Any]:
    return {name: rounded(value) if isinstance(value, float) else value for name, value in cost._asdict().items()}
