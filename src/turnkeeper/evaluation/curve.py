"""The learning curve: the score against the number of train rows, from the results of an experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, RowError
from .statistics import Interval

_SERIES = ("behaviour", "lm", "optimizer", "adapter", "form", "demos")
_PLACE = (*_SERIES, "train_rows", "seed")
"""What tells two cells of one grid apart."""


class Learned(NamedTuple):
    """One cell of an experiment.

    Attributes:
        series: What it shares with the other points of its line, in words.
        rows: Train rows that the optimizer saw.
        split: "test" where the winner was tested, else "dev", on which it was chosen.
        score: Of the program that the cell ended with, with its interval by family. A cell that found nothing better
            ends with zero-shot.
    """

    series: str
    rows: int
    split: str
    seed: int
    score: Interval


def read_results(path: Path, on_skipped: Callable[[int], None] | None = None) -> list[dict[str, Any]]:
    """Read `results.jsonl` of `turnkeeper experiment`: the last row of each place in the grid.

    The file also keeps the cells of earlier versions of its experiment, under keys of their own.

    Args:
        path: The file.
        on_skipped: Told how many lines a crash had torn, when there are some: `Results` passes over them too.

    Raises:
        InputError: The file cannot be read or holds no result.
        RowError: An object that is no result of an experiment.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    rows: dict[str, dict[str, Any]] = {}
    skipped = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            skipped += 1
            continue
        if not isinstance(row, dict) or not isinstance(row.get("key"), str):
            raise RowError("no result of an experiment", file=str(path), line=number, field="key")
        rows[json.dumps([row.get(name) for name in _PLACE])] = row
    if not rows:
        raise InputError(f"{path}: holds no result of an experiment")
    if skipped and on_skipped is not None:
        on_skipped(skipped)
    return list(rows.values())


def learned(results: Iterable[Mapping[str, Any]]) -> list[Learned]:
    """Return the cells that say how many train rows they saw, by line and number of rows; none before two numbers."""
    points = [point for row in results if (point := _point(row)) is not None]
    sizes: dict[str, set[int]] = {}
    for point in points:
        sizes.setdefault(point.series, set()).add(point.rows)
    return sorted(point for point in points if len(sizes[point.series]) > 1)


def _point(row: Mapping[str, Any]) -> Learned | None:
    rows, seed = row.get("train_rows"), row.get("seed")
    if not isinstance(rows, int) or not isinstance(seed, int):
        return None
    for split in ("test", "dev", "zero_shot"):
        said = row.get(f"{split}_interval")
        if isinstance(said, Mapping) and isinstance(said.get("mean"), (int, float)):
            score = _interval(said)
            series = ", ".join(str(row[name]) for name in _SERIES if row.get(name) not in (None, ""))
            return Learned(series, rows, "dev" if split == "zero_shot" else split, seed, score)
    return None


def _interval(said: Mapping[str, Any]) -> Interval:
    """Return the interval that a result tells; results of older versions do not say how many families they had."""
    low, high = (float(said[n]) if isinstance(said.get(n), (int, float)) else math.nan for n in ("low", "high"))
    families = said.get("families")
    score = Interval(
        float(said["mean"]), low, high, int(said.get("rows") or 0), families if isinstance(families, int) else None
    )
    return score if score.known else score._replace(low=math.nan, high=math.nan)
