"""The turns of `side_by_side.py`: read, validated, cut to the history that every approach gets, and sampled."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from turnkeeper.data.reformulate import load
from turnkeeper.data.rows import read_strict
from turnkeeper.errors import InputError
from turnkeeper.modules._window import RECENT, window
from turnkeeper.signatures.types import AccessScope, Frozen, Turn

WITHOUT_REFERENCE = "without a reference rewrite"
WITHOUT_HISTORY = "without a history, which leaves nothing to reformulate"
WITH_SCOPE = "with an access scope, which the common approaches do not know"


class Gold(BaseModel):
    """A reference rewrite and others that are as good; a plain text is the first. Unknown fields are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    standalone_query: str = Field(min_length=1)
    acceptable: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain_text(cls, value: Any) -> Any:
        return {"standalone_query": value} if isinstance(value, str) else value


class TaskRow(Frozen):
    """A row of a file of turns; the reader knows `id` and `task_id`. The first reference that is there counts."""

    history: tuple[Turn, ...]
    query: str = Field(min_length=1)
    human_rewrite: str | None = None
    official_rewrite: str | None = None
    gold: Gold | None = None
    family: str | None = None
    conversation_id: str | None = None
    access_scope: AccessScope | None = None

    def references(self) -> tuple[str, ...]:
        """Return the reference rewrites, the main one first; empty when there is none."""
        single = self.human_rewrite or self.official_rewrite
        if single:
            return (single,)
        return (self.gold.standalone_query, *self.gold.acceptable) if self.gold else ()


class Task(NamedTuple):
    """One turn as every approach gets it.

    Attributes:
        family: Rows of one conversation share it: the row's own `family` or `conversation_id`, else the first message.
        history: The last `RECENT` messages, cut as turnkeeper cuts them for its own prompts.
        references: Rewrites by people, the main one first.
    """

    id: str
    family: str
    history: tuple[Turn, ...]
    query: str
    references: tuple[str, ...]


class Chosen(NamedTuple):
    """The turns of a run, and how many rows were left out of it for which reason."""

    tasks: list[Task]
    left_out: Counter[str]


def read_tasks(path: Path) -> dict[str, TaskRow]:
    """Read a file of turns by id.

    Raises:
        InputError: The file cannot be read or has a bad row; file, line and field are named.
    """
    return {row.id: row.data for row in read_strict(path, TaskRow)}


def golden_tasks(split: str) -> dict[str, TaskRow]:
    """Return a split of the shipped golden set by id."""
    return {
        row.id: TaskRow(
            history=row.history,
            query=row.query,
            gold=Gold(standalone_query=row.gold.standalone_query, acceptable=row.gold.acceptable),
            family=row.family,
            access_scope=row.access_scope,
        )
        for row in load(split)
    }


def named(rows: dict[str, TaskRow], ids: Path) -> dict[str, TaskRow]:
    """Return the rows that a file of ids names, one a line, in its order.

    Raises:
        InputError: The file cannot be read, is empty, or names a row that is not there; file and line are named.
    """
    try:
        lines = ids.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids {ids}: cannot be read: {type(error).__name__}") from None
    wanted = {line.strip(): number for number, line in enumerate(lines, start=1) if line.strip()}
    if not wanted:
        raise InputError(f"--ids {ids}: holds no id; one a line is expected")
    for name, number in wanted.items():
        if name not in rows:
            raise InputError(f"{ids}:{number}: {name[:200]!r} is the id of no row")
    return {name: rows[name] for name in wanted}


def choose(rows: dict[str, TaskRow], *, count: int | None = None, seed: int = 0) -> Chosen:
    """Cut the histories, leave out what cannot be compared, and sample.

    Args:
        rows: By id, in order; the order is kept.
        count: Turns in the sample, all by default. The sample of a smaller number is part of that of a larger one.
        seed: Of the sample.

    Raises:
        InputError: Nothing is left, or fewer turns than `count`.
    """
    left_out: Counter[str] = Counter()
    tasks: list[Task] = []
    for name, row in rows.items():
        task = _task(name, row)
        reason = _unusable(task, row)
        if reason:
            left_out[reason] += 1
        else:
            tasks.append(task)
    if not tasks or (count is not None and not 0 < count <= len(tasks)):
        wanted = "" if count is None else f", and --rows asks for {count}"
        raise InputError(f"{len(tasks)} of {len(rows)} rows can be compared{wanted}{_reasons(left_out)}")
    return Chosen(tasks if count is None else _sample(tasks, count, seed), left_out)


def left_out_lines(left_out: Counter[str]) -> Iterable[str]:
    """Return one sentence a reason for which rows were left out."""
    return [f"Left out: {count} rows {reason}." for reason, count in left_out.items()]


def _task(name: str, row: TaskRow) -> Task:
    # Only the newest messages are shown to the window, so that it cannot bring older ones back.
    cut = tuple(message.turn for message in window(row.history[-RECENT:], row.query))
    opening = row.history[0].content if row.history else name
    return Task(name, row.family or row.conversation_id or opening, cut, row.query, row.references())


def _unusable(task: Task, row: TaskRow) -> str | None:
    if not any(reference.strip() for reference in task.references):
        return WITHOUT_REFERENCE
    if not task.history:
        return WITHOUT_HISTORY
    return WITH_SCOPE if row.access_scope is not None else None


def _sample(tasks: Sequence[Task], count: int, seed: int) -> list[Task]:
    places = list(range(len(tasks)))
    random.Random(seed).shuffle(places)
    return [tasks[place] for place in sorted(places[:count])]


def _reasons(left_out: Counter[str]) -> str:
    return "".join(f"; {count} {reason}" for reason, count in left_out.items())
