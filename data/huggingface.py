"""The golden sets as Hugging Face datasets: a view, the JSONL stays the source of truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..errors import InputError, SetupError
from . import carry_forward, cite, expand, reformulate

_LOADERS: dict[str, Callable[[str, Path | None], Sequence[BaseModel]]] = {
    "reformulate": reformulate.load,
    "expand": expand.load,
    "cite": cite.load,
    "carry_forward": carry_forward.load,
}
_AS_TEXT = frozenset(("access_scope", "domain_context", "metadata"))


def load(behaviour: str, split: str, folder: Path | None = None) -> Any:
    """Return one split as a `datasets.Dataset`.

    `access_scope`, `domain_context` and the `metadata` of passages and sources are JSON text, or an empty text when
    there is none: their keys differ from row to row, which the columns of a dataset cannot. Every other field keeps its
    shape.

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
    return Dataset.from_list([_in_columns(row) for row in rows])


def _in_columns(value: Any) -> Any:
    """Return a value with what differs from row to row as text, at any depth."""
    if isinstance(value, list):
        return [_in_columns(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _text(held) if name in _AS_TEXT else _in_columns(held) for name, held in value.items()}


def _text(held: Any) -> str:
    return json.dumps(held, sort_keys=True) if held else ""
