"""The golden sets as Hugging Face datasets: a view, the JSONL stays the source of truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import InputError, SetupError
from . import reformulate

_LOADERS = {"reformulate": reformulate.load}


def load(behaviour: str, split: str, folder: Path | None = None) -> Any:
    """Return one split as a `datasets.Dataset`.

    `access_scope` is JSON text, or an empty text when there is none: its attributes differ from row to row, which the
    columns of a dataset cannot. Every other field keeps its shape.

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
        row["access_scope"] = json.dumps(row["access_scope"], sort_keys=True) if row["access_scope"] else ""
    return Dataset.from_list(rows)
