"""Recorded predictions beside what the LM answers now: what moved, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import Behaviour
from .compare import Comparison, Delta, compare
from .files import Saved
from .scored import Scored

_MOST_NAMED = 4


class Live(NamedTuple):
    """The recorded test rows of a program, asked again.

    Attributes:
        failed: Errors of the rows that the LM did not answer.
        same_text: Answered rows whose text (`Behaviour.said`) is the recorded one, letter by letter.
        comparison: The recorded predictions and today's answers under today's metric, pair by pair.
    """

    failed: list[str]
    same_text: int
    comparison: Comparison

    @property
    def worse(self) -> bool:
        """Whether the mean score of the answered rows has fallen, beyond chance."""
        return self._score.verdict == "worse"

    @property
    def _score(self) -> Delta:
        return self.comparison.deltas[0]

    def sentence(self) -> str:
        """Say what moved: rows, mean, components, kinds, and the rows that were good and are not any more."""
        found, score = self.comparison, self._score
        if not found.pairs:
            return "no row was answered"
        head = f"asked again: {len(found.pairs)} rows, {self.same_text} with the same text"
        if not score.changed:
            return f"{head}, every score as recorded"
        difference = score.difference
        ends = f" [{difference.low:+.4f}, {difference.high:+.4f}]" if difference.known else ""
        parts = [
            f"{head}, {score.changed} with another score",
            f"mean was {score.before:.4f}, is {score.after:.4f} ({difference.mean:+.4f}{ends}: {score.verdict})",
            *self._moved(),
        ]
        for said, pairs in (("not good any more", found.worse), ("good now", found.better)):
            if pairs:
                parts.append(f"{said}: {_named([pair.after.id for pair in pairs])}")
        return "; ".join(parts)

    def _moved(self) -> list[str]:
        """Return the components, then the kinds, that moved most."""
        deltas = self.comparison.deltas
        components = [(f"components.{d.metric}", d) for d in deltas if d.kind is None and d.metric != "score"]
        kinds = [(f"kinds.{d.kind}", d) for d in deltas if d.kind is not None and d.metric == "score"]
        moved = [(name, d) for group in (components, kinds) for name, d in _largest(group)]
        return [f"{name} was {d.before:.4f}, is {d.after:.4f}" for name, d in moved]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"failed": len(self.failed), "same_text": self.same_text, **self.comparison.as_json()}


def ask_again(artifact: Path, before: Sequence[Scored], after: Sequence[Scored], behaviour: Behaviour) -> Live:
    """Set recorded predictions beside new answers to the same rows.

    Args:
        artifact: Names the program in messages.
        before: Recorded predictions under today's metric.
        after: Today's answers; without a score where the LM failed.
        behaviour: What the program is of.
    """
    new = {row.id: row for row in after}
    same = sum(
        new[row.id].score is not None and behaviour.said(new[row.id].prediction) == behaviour.said(row.prediction)
        for row in before
    )
    failed = [row.error or "no score" for row in after if row.score is None]
    found = compare(Saved(artifact, list(before), {}), Saved(artifact, [new[row.id] for row in before], {}))
    return Live(failed, same, found)


def _largest(group: Sequence[tuple[str, Delta]]) -> list[tuple[str, Delta]]:
    moved = [(name, d) for name, d in group if d.changed]
    return sorted(moved, key=lambda item: -abs(item[1].difference.mean))[:_MOST_NAMED]


def _named(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_MOST_NAMED]) + (f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else "")
