"""The shipped conversation of `turnkeeper demo`: own words, invented names."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files

from ..signatures.types import AccessScope, Frozen
from .rows import read_strict


class DemoTurn(Frozen):
    """One turn: the user's words, the assistant's reply that is taken as given, and what the turn shows."""

    user: str
    assistant: str
    shows: str
    access_scope: AccessScope | None = None


def conversation() -> Iterator[DemoTurn]:
    """Yield the turns in order."""
    with as_file(files(__name__.rpartition(".")[0]) / "demo" / "conversation.jsonl") as path:
        for row in read_strict(path, DemoTurn):
            yield row.data
