"""Recorded predictions: what an artifact's manifest keeps of its test run, so that a gate needs no LM."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..behaviours import Behaviour, GoldenRow
from ..errors import InputError
from ._ask import score
from .keys import row_digest
from .scored import Scored
from .summary import names_of, value_of

PREDICTIONS = "test_predictions"
"""Name in `Manifest.metrics`: a list of {id, prediction}, of the bare program."""
FIGURES = "test"
"""Name in `Manifest.metrics`: {mean, components: {name: mean}, kinds: {kind: mean}} of the same rows."""
_TOLERANCE = 2e-6  # figures are recorded with six digits


class Recorded(NamedTuple):
    """One recorded prediction."""

    id: str
    prediction: dict[str, Any]


class Moved(NamedTuple):
    """A recorded figure that today's code does not give any more."""

    field: str
    before: float
    now: float


def recorded(metrics: Mapping[str, Any], place: str) -> list[Recorded]:
    """Return the recorded predictions of a manifest; none for a program that was never tested.

    Args:
        metrics: The manifest's `metrics`.
        place: Names the artifact in messages.

    Raises:
        InputError: The record has another shape.
    """
    entries = metrics.get(PREDICTIONS, [])
    found = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [None]):
        said = entry if isinstance(entry, Mapping) else {}
        id, prediction = said.get("id"), said.get("prediction")
        if not isinstance(id, str) or not isinstance(prediction, Mapping):
            raise InputError(f"{place}: field `metrics.{PREDICTIONS}.{number}`: expected an object with id, prediction")
        found.append(Recorded(id, dict(prediction)))
    return found


def replay(entry: Recorded, row: GoldenRow, behaviour: Behaviour) -> Scored:
    """Score a recorded prediction against today's row with today's checks; no LM."""
    return Scored(
        id=row.id,
        kind=row.kind,
        family=row.family,
        language=row.language,
        row_digest=row_digest(row),
        prediction=entry.prediction,
        **score(row, entry.prediction, behaviour.metric),
    )


def moved(metrics: Mapping[str, Any], rows: Sequence[Scored]) -> list[Moved]:
    """Return the recorded figures that differ from those of the replayed rows: mean, components, kinds.

    Args:
        metrics: The manifest's `metrics`.
        rows: All its recorded predictions, replayed.
    """
    said = metrics.get(FIGURES)
    if not isinstance(said, Mapping) or not rows:
        return []
    pairs = [("mean", said.get("mean"), _mean([value_of(row, "score") for row in rows]))]
    for name in names_of(rows)[1:]:
        pairs.append((f"components.{name}", _of(said, "components", name), _mean([value_of(r, name) for r in rows])))
    for kind in dict.fromkeys(row.kind for row in rows):
        now = _mean([value_of(row, "score") for row in rows if row.kind == kind])
        pairs.append((f"kinds.{kind}", _of(said, "kinds", kind), now))
    return [
        Moved(field, float(before), now)
        for field, before, now in pairs
        if isinstance(before, (int, float)) and not math.isclose(before, now, abs_tol=_TOLERANCE)
    ]


def _of(said: Mapping[str, Any], group: str, name: str) -> Any:
    inside = said.get(group)
    return inside.get(name) if isinstance(inside, Mapping) else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
