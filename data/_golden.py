"""What all golden sets have in common: splits, a reader that names what is wrong, digests, phrases."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from ..errors import InputError, RowError
from .rows import Row, read_strict

__all__ = ["GOLDEN", "SPLITS", "Demo", "Problem", "contains", "digest_of", "folded", "read_split"]

GOLDEN = Path(__file__).resolve().parent / "golden"
"""Folder of the shipped sets, one folder a behaviour."""
SPLITS = ("train", "dev", "test")
"""Names of the splits; a family of rows lies in one of them only."""

R = TypeVar("R", bound=BaseModel)


class Demo(NamedTuple):
    """A complete demo: every input and output field of the predictor's signature is filled."""

    predictor: str
    fields: dict[str, Any]


class Problem(NamedTuple):
    """What contradicts itself in a row that has the right types; `field` as in "gold.standalone_query"."""

    field: str
    message: str


def read_split(
    split: str,
    folder: Path,
    model: type[R],
    problem: Callable[[Row[R]], Problem | None],
    *,
    require: tuple[str, ...] = (),
) -> list[Row[R]]:
    """Read one split, with the line and the raw fields of each row.

    Args:
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files.
        model: The row model.
        problem: Finds what the types of a row cannot say; the first problem, or None.
        require: Optional fields of the model that must be there all the same.

    Raises:
        InputError: No such split, or the file cannot be read.
        RowError: A bad row, a field that the model does not know, or what `problem` found; file, line and field named.
    """
    if split not in SPLITS:
        raise InputError(f"no split {split!r}; there is: {', '.join(SPLITS)}")
    path = folder / f"{split}.jsonl"
    rows = []
    for row in read_strict(path, model, require=require):
        unknown = [Problem(name, f"unknown; there is: {', '.join(model.model_fields)}") for name in row.extras()]
        found = unknown[0] if unknown else problem(row)
        if found:
            raise RowError(found.message, file=str(path), line=row.line, field=found.field)
        rows.append(row)
    return rows


def digest_of(rows: Iterable[Row[R]]) -> str:
    """Return the SHA-256 (hex) of rows in order; white space and the order of fields do not count."""
    lines = [json.dumps(row.raw, sort_keys=True, ensure_ascii=True) for row in rows]
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()


def contains(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text at word boundaries, caseless, after NFC.

    In scripts without spaces there are no boundaries: a phrase with a character beyond ASCII may stand anywhere.
    """
    inside, wanted = folded(text), folded(phrase)
    bounded = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", inside) is not None
    return bounded or (not wanted.isascii() and wanted in inside)


def folded(text: str) -> str:
    """Return a text in the form that compares: NFC, caseless."""
    return unicodedata.normalize("NFC", text).casefold()
