"""The trimmed JSONL that several sets share: `history`, `query` and a rewrite, one turn a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from ...signatures.types import Turn
from ._files import FileRow, Found, Place
from ._rows import PublicTurn


class TrimmedRow(FileRow):
    """A row; `task_id` does in place of `id`, the first rewrite that is there counts."""

    history: tuple[Turn, ...]
    query: str = Field(min_length=1)
    human_rewrite: str | None = None
    official_rewrite: str | None = None
    domain: str | None = None
    gold_passages: tuple[str, ...] = ()


def is_trimmed(raw: Mapping[str, Any]) -> bool:
    """Whether an object has the fields of a trimmed row."""
    return "history" in raw and "query" in raw and ("id" in raw or "task_id" in raw)


def row_id(raw: Mapping[str, Any]) -> str:
    """Return the id of a trimmed row, an empty text when there is none."""
    found = raw.get("id") if raw.get("id") is not None else raw.get("task_id")
    return found if isinstance(found, str) else str(found) if isinstance(found, int) else ""


def turn_of(found: Found, conversation: Callable[[str], str]) -> tuple[Place, PublicTurn]:
    """Return the row as a turn; `conversation` finds the conversation's part of an id."""
    row = found.fitted(TrimmedRow)
    name = row_id(found.raw)
    turn = PublicTurn(
        id=name, conversation=conversation(name), history=row.history, query=row.query,
        rewrite=row.human_rewrite or row.official_rewrite or None,
        domain=row.domain, gold_passages=row.gold_passages,
    )  # fmt: skip
    return found.place, turn


def alternating(texts: list[str]) -> tuple[Turn, ...]:
    """Return utterances as messages: the user's, the assistant's, and so on."""
    return tuple(Turn(role="assistant" if n % 2 else "user", content=text) for n, text in enumerate(texts))
