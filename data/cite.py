"""The golden set of cite: typed rows, a reader that names what is wrong, digests.

Shipped with the package in `golden/cite/{train,dev,test}.jsonl`; the data card beside them says how it was written. An
engineer's own set has the same shape: pass its folder.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from ..signatures.cite import Source
from ..signatures.types import AccessScope, CitationRegistry, Frozen, Passage, Turn
from . import _golden
from ._cite_demos import to_demos
from ._cite_problems import problems
from ._golden import GOLDEN, SPLITS, Demo, Problem
from .rows import Row

__all__ = ["SPLITS", "Demo", "Gold", "GoldenRow", "digest", "folder_of", "load", "read_split", "to_demos"]

_FOLDER = GOLDEN / "cite"


class Gold(Frozen):
    """What a careful person would have answered, and what any right answer shares with it.

    Attributes:
        answer: A good one with its markers and its Sources section, or the abstention.
        sources: The Sources section as data, in the order in which the answer cites; `relevance` says in a few words
            what each source gives.
        new_citations: Ids cited that the registry does not hold.
        reused_citations: Ids cited that it holds.
        must_cite: Ids without which an answer is wrong.
        may_cite: Ids that a right answer may cite besides.
        facts: Numbers, names and key words that a right answer holds; none in an abstention.
        abstain: Whether the evidence answers nothing.
    """

    answer: str = Field(min_length=1)
    sources: tuple[Source, ...]
    new_citations: tuple[str, ...]
    reused_citations: tuple[str, ...]
    must_cite: tuple[str, ...]
    may_cite: tuple[str, ...] = ()
    facts: tuple[str, ...] = Field(max_length=4)
    abstain: bool


class GoldenRow(Frozen):
    """One row; `family` groups the rows of one conversation, `language` is that of the question (ISO 639-1).

    `history` holds the newest turns only, `turn` counts all; `context` is what this turn's retrieval found (empty:
    nothing), null where it failed. Ids of passages are those that the prompt shows: under `numeric` and `footnote` the
    number that the registry would give.
    """

    id: str
    kind: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    language: str = Field(pattern="^[a-z]{2}$")
    family: str = Field(min_length=1)
    turn: int = Field(ge=1)
    history: tuple[Turn, ...]
    question: str = Field(min_length=1)
    registry: CitationRegistry
    context: tuple[Passage, ...] | None
    access_scope: AccessScope | None = None
    gold: Gold


def load(split: str, folder: Path | None = None) -> list[GoldenRow]:
    """Read one split, validated.

    Args:
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files; the shipped set by default.

    Raises:
        InputError: No such split, or the file cannot be read.
        RowError: A bad row, with file, line and field: a field unknown, missing or of the wrong type, a registry that
            cannot have come about, a gold that contradicts itself.
    """
    return [row.data for row in read_split(split, folder)]


def digest(split: str, folder: Path | None = None) -> str:
    """Return the SHA-256 (hex) of a split's rows in order; white space and the order of fields do not count."""
    return _golden.digest_of(read_split(split, folder))


def folder_of(folder: Path | None) -> Path:
    """Return the folder of the splits: the one that is named, else the shipped set's."""
    return folder or _FOLDER


def read_split(split: str, folder: Path | None) -> list[Row[GoldenRow]]:
    """Read one split as `load` does, with the line and the raw fields of each row."""
    return _golden.read_split(split, folder_of(folder), GoldenRow, _problem, require=("context",))


def _problem(row: Row[GoldenRow]) -> Problem | None:
    return next(problems(row.data), None)
