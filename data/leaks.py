"""That no row of one split teaches the answer of another: ids, families and turns across the splits of a golden set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, RowError
from . import carry_forward, cite, expand, reformulate
from ._golden import SPLITS
from .rows import Row

__all__ = ["require_apart"]

_SETS = {"reformulate": reformulate, "expand": expand, "cite": cite, "carry_forward": carry_forward}


class _Claim(NamedTuple):
    """What only one split may hold: a field of a row, and its value in a form that compares."""

    field: str
    value: object
    shown: str


def require_apart(folder: Path | None = None, splits: Sequence[str] = SPLITS, behaviour: str = "reformulate") -> None:
    """Check that the splits of a golden set share no id, no family and no turn; splits without a file are passed over.

    A turn is a history with its query or question, compared without regard to capitals and white space. Demos come from
    train, and a program that has seen the conversation of a dev or test row is measured on what it was told.

    Raises:
        InputError: No such behaviour, or a split cannot be read.
        RowError: A row that another split holds already, or a bad row; file, line and field are named.
    """
    if behaviour not in _SETS:
        raise InputError(f"no golden set {behaviour!r}; there is: {', '.join(sorted(_SETS))}")
    golden = _SETS[behaviour]
    place = golden.folder_of(folder)
    seen: dict[tuple[str, object], tuple[str, int]] = {}
    for split in splits:
        path = place / f"{split}.jsonl"
        if not path.is_file():
            continue
        for row in golden.read_split(split, folder):
            for claim in _claims(row):
                there, line = seen.setdefault((claim.field, claim.value), (split, row.line))
                if there != split:
                    message = f"{claim.shown} stands in {there}.jsonl:{line} already, and splits must share none"
                    raise RowError(message, file=str(path), line=row.line, field=claim.field)


def _claims(row: Row[Any]) -> Iterator[_Claim]:
    yield _Claim("id", row.id, repr(row.id))
    yield _Claim("family", row.data.family, f"the family {row.data.family!r}")
    history = tuple((turn.role, _folded(turn.content)) for turn in row.data.history)
    name = "question" if "question" in type(row.data).model_fields else "query"
    yield _Claim(name, (history, _folded(getattr(row.data, name))), f"the same history with the same {name}")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
