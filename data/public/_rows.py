"""What the readers of public sets yield, and what each says of its set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ...signatures.types import Frozen, Turn
from ._files import Place

__all__ = ["PublicQuery", "PublicSet", "PublicTurn", "distinct"]


class PublicTurn(Frozen):
    """One user turn of a public conversation.

    Attributes:
        id: As in the set, with what makes it unique (`cast19_31_2`, `C_0619…_1#3`).
        conversation: Turns of one conversation share it; intervals resample by it.
        history: The messages before, oldest first.
        query: The user's words.
        rewrite: A person's standalone rewrite (in MTRAG an LLM's), or None where the set has none.
        domain: Name of the passage collection (MTRAG), or None.
        gold_passages: Ids of the passages that answer the turn (MTRAG).
    """

    id: str
    conversation: str
    history: tuple[Turn, ...]
    query: str
    rewrite: str | None = None
    domain: str | None = None
    gold_passages: tuple[str, ...] = ()


class PublicQuery(Frozen):
    """One query without a history, and what it excludes.

    Attributes:
        id: As in the set.
        family: Queries about one passage share it; intervals resample by it.
        query: The user's words.
        include: What the query asks for, where the set says so (QUEST).
        exclude: What it rules out; empty where its negation is content, which must not become a constraint (NevIR).
    """

    id: str
    family: str
    query: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


R = TypeVar("R", PublicTurn, PublicQuery)


class PublicSet(NamedTuple, Generic[R]):
    """A public set.

    Attributes:
        name: What `--set` takes.
        title: Its full name.
        task: What is measured on it.
        provenance: Who made it, from what, and where it is published.
        licence: As its publishers state it.
        citation: The paper.
        files: File name -> format, as published; then the trimmed JSONL.
        recognises: Whether an object, the first of a file, is of this set.
        read: Path -> rows in the order of the file; raises `InputError` or `RowError`.
    """

    name: str
    title: str
    task: Literal["rewrite", "exclusions"]
    provenance: str
    licence: str
    citation: str
    files: Mapping[str, str]
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Path], Iterator[R]]


def distinct(rows: Iterable[tuple[Place, R]]) -> Iterator[R]:
    """Yield the rows; raises `RowError` where an id comes a second time, or is empty."""
    seen: dict[str, Place] = {}
    for place, row in rows:
        if not row.id:
            raise place.error("is empty", "id")
        if row.id in seen:
            raise place.error(f"{row.id!r} stands on line {seen[row.id].line} already", "id")
        seen[row.id] = place
        yield row
