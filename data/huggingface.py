"""The golden sets as Hugging Face datasets: a view, the JSONL stays the source of truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..errors import InputError, SetupError
from . import expand, reformulate

_LOADERS: dict[str, Callable[[str, Path | None], Sequence[BaseModel]]] = {
    "reformulate": reformulate.load,
    "expand": expand.load,
}
_AS_TEXT = {"reformulate": ("access_scope",), "expand": ("domain_context",)}


def load(behaviour: str, split: str, folder: Path | None = None) -> Any:
    """Return one split as a `datasets.Dataset`.

    `access_scope` and `domain_context` are JSON text, or an empty text when there is none: their keys differ from row
    to row, which the columns of a dataset cannot. Every other field keeps its shape.

    Args:
        behaviour: Its stem, for example "reformulate".
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files; the shipped set by default.

    Raises:
        InputError: No such behaviour or split, or the file cannot be read.
        SetupError: The package `datasets` is not installed.
    """
    if behaviour not in _LOADERS:
        raise InputError(f"no golden set {behaviour!r}; there is: {', '.join(sorted(_LOADERS))}")
    rows = [row.model_dump(mode="json") for row in _LOADERS[behaviour](split, folder)]
    try:
        from datasets import Dataset
    except ImportError:
        raise SetupError("the datasets view needs Hugging Face datasets: pip install 'turnkeeper[compile]'") from None
    for row in rows:
        for name in _AS_TEXT[behaviour]:
            row[name] = json.dumps(row[name], sort_keys=True) if row[name] else ""
    return Dataset.from_list(rows)
