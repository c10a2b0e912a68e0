"""The golden set of carry_forward: typed rows, a reader that names what is wrong, digests.

Shipped with the package in `golden/carry_forward/{train,dev,test}.jsonl`; the data card beside them says how it was
written. An engineer's own set has the same shape: pass its folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from ..signatures.carry_forward import CurrentAnswer, ResolvedQuestion, UnresolvedQuestion
from ..signatures.types import Frozen, OpenQuestion, Passage, Turn
from . import _golden
from ._carry_forward_demos import Call, to_demos
from ._carry_forward_problems import problems
from ._golden import GOLDEN, SPLITS, Demo, Problem
from .rows import Row

__all__ = [
    "SPLITS", "Call", "Current", "Decision", "Demo", "Gold", "GoldenRow", "digest", "folder_of", "load", "read_split",
    "to_demos",
]  # fmt: skip

_FOLDER = GOLDEN / "carry_forward"


class Current(Frozen):
    """What any right answer to the current question shares with the good one.

    Attributes:
        asks: Whether the turn asks anything; thanks, a prompt to go on and a clarification do not.
        must_cite: Ids without which an answer is wrong.
        may_cite: Ids that a right answer cites, the musts among them.
        facts: Numbers, names and key words that a right answer holds.
        missing_words: A right wording of what is missing holds one of them.
    """

    asks: bool = True
    must_cite: tuple[str, ...] = ()
    may_cite: tuple[str, ...] = ()
    facts: tuple[str, ...] = Field(default=(), max_length=4)
    missing_words: tuple[str, ...] = ()


class Decision(Frozen):
    """The right decision on one pending question, and what any right wording of it shares with the good one.

    Attributes:
        question: The question, verbatim.
        decision: "resolved" when this turn's passages answer the whole of it, else "carried".
        must_cite: Ids without which a resolution is wrong; none where one passage is as good as another.
        may_cite: Ids that a right resolution cites, the musts among them.
        part: What partial evidence answers of a carried question, with its markers; null where it answers nothing.
        facts: Numbers, names and key words that a right answer holds, or that part of one.
        missing_words: A right wording of what is missing holds one of them.
        settled: What partial evidence has answered; words that a right wording of what is missing no longer holds.
    """

    question: str = Field(min_length=1)
    decision: Literal["resolved", "carried"]
    must_cite: tuple[str, ...] = ()
    may_cite: tuple[str, ...] = ()
    part: str | None = None
    facts: tuple[str, ...] = Field(default=(), max_length=4)
    missing_words: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()


class Gold(Frozen):
    """What a careful person would have answered and noted down; the last two fields say what else is as good.

    Attributes:
        current_answer: The answer to the current question; with the abstention where it stays unanswered, and with
            null where nothing was asked.
        resolved_questions: Pending questions that this turn's passages answer, in the order of the ledger.
        updated_unresolved_questions: The ledger after this turn: what is carried, in order, then what enters,
            which has no `question_id` yet.
        pending: One decision for each question of the ledger, in its order.
        current: The same for the current question.
    """

    current_answer: CurrentAnswer
    resolved_questions: tuple[ResolvedQuestion, ...]
    updated_unresolved_questions: tuple[UnresolvedQuestion, ...]
    pending: tuple[Decision, ...]
    current: Current


class GoldenRow(Frozen):
    """One row; `family` groups the rows of one conversation, `language` is that of the question (ISO 639-1).

    `history` holds the newest turns only, `turn` counts all. `ledger` is the state before this turn. `context` holds
    the passages of this turn, those found again for pending questions among them (empty: nothing), null where the
    retrieval failed. Answers cite as `[Source: ID]`, the convention of the behaviour on its own.
    """

    id: str
    kind: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    language: str = Field(pattern="^[a-z]{2}$")
    family: str = Field(min_length=1)
    turn: int = Field(ge=1)
    history: tuple[Turn, ...]
    ledger: tuple[OpenQuestion, ...]
    question: str = Field(min_length=1)
    context: tuple[Passage, ...] | None
    gold: Gold


def load(split: str, folder: Path | None = None) -> list[GoldenRow]:
    """Read one split, validated.

    Args:
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files; the shipped set by default.

    Raises:
        InputError: No such split, or the file cannot be read.
        RowError: A bad row, with file, line and field: a field unknown, missing or of the wrong type, a ledger that
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
