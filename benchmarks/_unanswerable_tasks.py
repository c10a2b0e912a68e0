"""The turns of `unanswerable_turns.py`: read, drawn once with a seed, each with the passages that a search gives it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from turnkeeper.cli._bench_predict import given, query_of
from turnkeeper.data.public import read_pool
from turnkeeper.data.rows import Row, read_strict
from turnkeeper.errors import InputError, RowError
from turnkeeper.evaluation.bm25 import Bm25
from turnkeeper.signatures.types import Frozen, Passage, Turn

Label = Literal["ANSWERABLE", "PARTIAL", "UNANSWERABLE", "UNDERSPECIFIED"]
SEED, EACH = 7, 60


class TaskRow(Frozen):
    """A row of the trimmed JSONL: `history` alternates between the user's messages and the assistant's."""

    history: tuple[Turn, ...]
    query: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    gold_passages: tuple[str, ...] = ()
    answerability: tuple[Label, ...] = Field(min_length=1, max_length=1)

    @model_validator(mode="after")
    def _alternating(self) -> TaskRow:
        roles = [turn.role for turn in self.history]
        if roles != ["user", "assistant"] * (len(roles) // 2):
            raise ValueError("history must alternate between user and assistant, and end with the assistant")
        return self


class Task(NamedTuple):
    """One turn.

    Attributes:
        replayed: What was said before, as pairs of the user's words and the reply that was given.
        gold: Ids of the passages that answer it, or a part of it.
    """

    id: str
    label: Label
    domain: str
    replayed: tuple[tuple[str, str], ...]
    query: str
    gold: frozenset[str]

    @property
    def is_open(self) -> bool:
        """Whether the collection leaves the question open, wholly or in part."""
        return self.label in ("UNANSWERABLE", "PARTIAL")


def read_tasks(path: Path) -> list[Task]:
    """Return the turns of a file.

    Raises:
        InputError: It cannot be read or has a bad row; file, line and field are named.
    """
    return [_task(row, str(path)) for row in read_strict(path, TaskRow)]


def _task(row: Row[TaskRow], file: str) -> Task:
    data, said = row.data, [turn.content for turn in row.data.history]
    for place, text in enumerate(said[::2]):
        if not text.strip():
            raise RowError("a message of the user is empty", file=file, line=row.line, field=f"history.{2 * place}")
    return Task(
        row.id, data.answerability[0], data.domain, tuple(zip(said[::2], said[1::2], strict=True)), data.query,
        frozenset(data.gold_passages),
    )  # fmt: skip


def draw(tasks: Sequence[Task]) -> list[str]:
    """Return the sorted ids of 60 turns that stay open, wholly or in part, and of 60 answerable ones with gold.

    Raises:
        InputError: There are fewer of one kind.
    """
    generator = random.Random(SEED)
    drawn: list[str] = []
    kinds = {
        "UNANSWERABLE or PARTIAL": [task.id for task in tasks if task.is_open],
        "ANSWERABLE with a gold passage": [task.id for task in tasks if task.label == "ANSWERABLE" and task.gold],
    }
    for kind, ids in kinds.items():
        if len(ids) < EACH:
            raise InputError(f"{len(ids)} turns are {kind}; {EACH} are drawn")
        drawn += generator.sample(sorted(ids), EACH)
    return sorted(drawn)


def named(tasks: Sequence[Task], ids: Path) -> list[Task]:
    """Return the turns that a file of ids names, the two kinds in turns, so that the first rows hold both.

    Raises:
        InputError: The file cannot be read, or names a turn that is not there or of another kind.
    """
    try:
        wanted = list(dict.fromkeys(ids.read_text(encoding="utf-8-sig").split()))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids {ids}: {getattr(error, 'strerror', None) or 'is not UTF-8'}") from None
    held = {task.id: task for task in tasks}
    lost = [name for name in wanted if name not in held]
    if lost or not wanted:
        raise InputError(f"--ids {ids}: {f'no turn {lost[0]!r} in --tasks' if lost else 'holds no id'}")
    found = [held[name] for name in wanted]
    for task in found:
        if not task.is_open and not (task.label == "ANSWERABLE" and task.gold):
            raise InputError(f"--ids {ids}: {task.id} is {task.label} and has {len(task.gold)} gold passages")
    kinds = [[task for task in found if task.is_open is kind] for kind in (True, False)]
    return [task for task in chain.from_iterable(zip_longest(*kinds)) if task is not None]


class Searched(NamedTuple):
    """A turn and its context, the best passage first."""

    task: Task
    passages: tuple[Passage, ...]

    @property
    def has_gold(self) -> bool:
        """Whether a gold passage is in the context."""
        return any(passage.doc_id in self.task.gold for passage in self.passages)


def queries_of(tasks: Sequence[Task], rewrites: Path | None) -> tuple[dict[str, str], int]:
    """Return what is searched for each turn, and for how many of them the rewrites hold nothing.

    Args:
        rewrites: Output rows of `turnkeeper run reformulate`; without one of its own a turn keeps the user's words.
    """
    if rewrites is None:
        return {task.id: task.query for task in tasks}, 0
    rows: list[Row[Any]] = [Row(number, task.id, task, {"id": task.id}) for number, task in enumerate(tasks, 1)]
    answers, _ = given(rewrites, rows)
    texts = {task.id: query_of(answer) for task, answer in zip(tasks, answers, strict=True)}
    return {task.id: texts[task.id] or task.query for task in tasks}, sum(not text for text in texts.values())


def search(
    tasks: Sequence[Task], pool: Path, queries: Mapping[str, str], *, count: int, context_weight: float
) -> list[Searched]:
    """Return the turns, each with the passages of its domain that BM25 over title and text ranks first.

    Args:
        pool: Folder of `passages_<domain>.jsonl.gz`; see `turnkeeper bench sets`.
        context_weight: What the user's message before counts beside the query.
    """
    found: dict[str, tuple[Passage, ...]] = {}
    for domain in dict.fromkeys(task.domain for task in tasks):
        found.update(_of_domain([t for t in tasks if t.domain == domain], pool, queries, count, context_weight))
    return [Searched(task, found[task.id]) for task in tasks]


def _of_domain(
    tasks: Sequence[Task], pool: Path, queries: Mapping[str, str], count: int, weight: float
) -> Iterator[tuple[str, tuple[Passage, ...]]]:
    passages = read_pool(pool, tasks[0].domain)
    index = Bm25(f"{passage.title} {passage.text}" for passage in passages)
    for task in tasks:
        before = task.replayed[-1][0] if task.replayed else ""
        scores = index.scores(queries[task.id]) + weight * index.scores(before)
        best = [place for place in np.argsort(-scores, kind="stable")[:count] if scores[place] > 0]
        yield (
            task.id,
            tuple(
                Passage(doc_id=passages[n].id, title=passages[n].title, text=passages[n].text, score=float(scores[n]))
                for n in best
            ),
        )
