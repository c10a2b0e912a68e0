"""What `turnkeeper bench` measures: the rows of a public set that were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..data.public import DRAWS, FIXED, SETS, PublicQuery, PublicSet, PublicTurn, find, recognise
from ..data.rows import Row, row_model
from ..errors import InputError

ALL = "all"


def public_set(path: Path, name: str | None, task: str) -> PublicSet[Any]:
    """Return the set that a file is of; raises `InputError` when another command measures it."""
    found = recognise(path) if name is None else find(name)
    if found.task != task:
        known = ", ".join(one.name for one in SETS.values() if one.task == task)
        raise InputError(f"{path}: {found.name} is no set for this; there is: {known}")
    return found


def chosen(turns: Iterable[PublicTurn | PublicQuery], path: Path, fixed: PublicSet[Any], ids: str | None) -> list[Any]:
    """Return the rows of an id list, or of the set's rule, in the order of the file.

    Of the fixed ids, those that the file holds are enough, since a set may be published in several files, as TREC CAsT
    is, one a year; the report says how many they are (`list_name`).

    Args:
        ids: A file of ids, one a line; "all"; or None for the fixed ids, or those that the set's rule draws.

    Raises:
        InputError: An id of the user's list, or every fixed id, is not in the file: a figure over fewer rows would look
            like the same measure.
    """
    rows: list[Any] = list(turns)
    if ids == ALL or (ids is None and not _count(fixed)):
        return rows
    if ids is None and fixed.name in DRAWS:
        return DRAWS[fixed.name].of(rows)
    wanted = FIXED[fixed.name] if ids is None else _ids(Path(ids or ""))
    held = {row.id for row in rows}
    lost = [name for name in wanted if name not in held]
    if lost and (ids is not None or len(lost) == len(wanted)):
        source = f"the fixed ids of {fixed.name}" if ids is None else ids
        raise InputError(
            f"{path}: {len(lost)} of {len(wanted)} ids of {source} are not in it, as {lost[0]}; "
            f"say --ids FILE, or --ids {ALL}"
        )
    kept = set(wanted)
    return [row for row in rows if row.id in kept]


def list_name(rows: Sequence[Any], fixed: PublicSet[Any], ids: str | None) -> str:
    """Return what the report calls the list of the chosen rows: as "fixed, 41 of 150" where the file holds fewer."""
    wanted = _count(fixed)
    if ids is not None or not wanted:
        return ids or ALL
    held = len({row.id for row in rows})
    return "fixed" if held == wanted else f"fixed, {held} of {wanted}"


def _count(fixed: PublicSet[Any]) -> int:
    return DRAWS[fixed.name].rows if fixed.name in DRAWS else len(FIXED.get(fixed.name, ()))


def _ids(path: Path) -> list[str]:
    try:
        found = list(dict.fromkeys(path.read_text(encoding="utf-8-sig").split()))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids {path}: {getattr(error, 'strerror', None) or 'is not UTF-8'}") from None
    if not found:
        raise InputError(f"--ids {path}: holds no id")
    return found


def as_rows(behaviour: str, chosen: Sequence[Any]) -> list[Row[Any]]:
    """Return public rows as input rows of `turnkeeper run`, so that its output file can be gone on with."""
    rows: list[Row[Any]] = []
    for number, row in enumerate(chosen, 1):
        raw = {
            "id": row.id,
            "history": [turn.model_dump() for turn in getattr(row, "history", ())],
            "query": row.query,
        }
        data = row_model(behaviour).model_validate({name: raw[name] for name in ("history", "query")})
        rows.append(Row(number, row.id, data, raw))
    return rows
