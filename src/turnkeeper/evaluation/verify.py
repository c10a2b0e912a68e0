"""Does an artifact do here what its manifest says? Recorded rows asked again of the LM on this machine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..behaviours import Behaviour, GoldenRow, find
from ..errors import InputError
from ..optimized import Artifact
from .records import recorded, replay
from .runner import evaluate
from .scored import Scored
from .statistics import bootstrap_difference, changed_families, changed_rows, verdict


class Verified(NamedTuple):
    """Recorded rows, scored again.

    Attributes:
        before: The recorded predictions under today's metric.
        after: The same rows, asked again; without a score where the LM failed.
        same_text: Rows whose text (`Behaviour.said`) is the recorded one, letter by letter.
        changed: Rows whose score differs.
        verdict: "same" when no score differs, else what may be said; see `statistics.verdict`.
    """

    before: list[Scored]
    after: list[Scored]
    same_text: int
    changed: int
    verdict: str

    @property
    def means(self) -> tuple[float, float]:
        """Return the mean scores, recorded and now, of the rows that have both."""
        pairs = [(a.score or 0.0, b.score) for a, b in zip(self.before, self.after, strict=True) if b.score is not None]
        if not pairs:
            return math.nan, math.nan
        return math.fsum(a for a, _ in pairs) / len(pairs), math.fsum(b for _, b in pairs) / len(pairs)


def verify(
    artifact: Artifact,
    rows: Mapping[str, GoldenRow],
    program: Any,
    *,
    lm: Any,
    adapter: Any,
    count: int,
    seed: int = 0,
    on_row: Callable[[Scored, int, int], None] | None = None,
) -> Verified:
    """Ask `count` recorded rows again, drawn with the seed, and compare.

    Args:
        artifact: Has recorded predictions.
        rows: Golden rows by id.
        program: Its bare program.
        lm: The LM, usually the one it was compiled for.
        adapter: Its adapter.
        count: Rows to ask; all when there are fewer.
        seed: Of the draw.
        on_row: As in `runner.evaluate`.

    Raises:
        InputError: Nothing is recorded, or a recorded row is not in the golden set.
        KeyboardInterrupt: Ctrl-C before all rows were asked.
    """
    entries = recorded(artifact.manifest.metrics, str(artifact.path))
    if not entries:
        raise InputError(f"{artifact.path}: has no recorded predictions to verify (it was never tested)")
    drawn = sorted(random.Random(seed).sample(range(len(entries)), min(count, len(entries))))
    chosen = [entries[number] for number in drawn]
    gone = [entry.id for entry in chosen if entry.id not in rows]
    if gone:
        raise InputError(
            f"{artifact.path}: recorded row {gone[0]} is not in the golden set; name the set with --golden"
        )
    behaviour = find(artifact.manifest.behaviour)
    before = [replay(entry, rows[entry.id], behaviour) for entry in chosen]
    done = evaluate(
        program, [rows[e.id] for e in chosen], behaviour.metric, lm=lm, adapter=adapter, bare=True, on_row=on_row,
        behaviour=behaviour,
    )  # fmt: skip
    if done.stopped == "interrupted":
        raise KeyboardInterrupt
    return _verified(before, done.rows, behaviour)


def _verified(before: Sequence[Scored], after: Sequence[Scored], behaviour: Behaviour) -> Verified:
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if b.score is not None]
    old, new = [a.score or 0.0 for a, _ in pairs], [b.score or 0.0 for _, b in pairs]
    families, changed = [a.family for a, _ in pairs], changed_rows(old, new)
    found = bootstrap_difference(old, new, families)
    said = verdict(found, changed, changed_families=changed_families(old, new, families)) if changed else "same"
    same = sum(behaviour.said(a.prediction) == behaviour.said(b.prediction) for a, b in pairs)
    return Verified(list(before), list(after), same, changed, said if pairs else "no row was answered")
