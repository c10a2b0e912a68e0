"""What a compile will do at most: the golden set read, one task a form and adapter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters import get_adapter
from ..behaviours import Behaviour, GoldenRow
from ..evaluation import Evaluation
from ._metered import metered
from .budget import Budget, preset
from .journal import JsonlJournal
from .options import CompileOptions, dev_rows, train_rows
from .task import CompileTask

_MOST_DOUBTS = 3


class Plan(NamedTuple):
    """What a compile will do at most.

    Attributes:
        train, dev, dev_all: Numbers of rows: to learn from, to score on, in the dev split.
        test: The rows that the winner answers; none when no test is wanted.
        golden: Digest of each split.
        doubts: Rows whose own gold does not satisfy the metric, in words: no program can be right there.
    """

    behaviour: Behaviour
    model: str
    tasks: tuple[CompileTask, ...]
    candidates: int
    train: int
    dev: int
    dev_all: int
    golden: dict[str, str]
    test: tuple[GoldenRow, ...] = ()
    doubts: tuple[str, ...] = ()


class GoldenSet(NamedTuple):
    """The rows of a compile; `test` is empty when no test is wanted, `digests` names every split that is there."""

    train: tuple[GoldenRow, ...]
    dev: tuple[GoldenRow, ...]
    test: tuple[GoldenRow, ...]
    digests: dict[str, str]


def plan_of(
    options: CompileOptions,
    lm: Any,
    budget: Budget,
    *,
    teacher: Any = None,
    reflection_lm: Any = None,
    metric: Callable[..., Any] | None = None,
    score: Callable[..., Evaluation] | None = None,
    journal: JsonlJournal | None = None,
) -> Plan:
    """Read the golden set and lay the tasks out; for the arguments see `compile_program`.

    All splits are read here, so that a bad row of the test split is not found after hours of search.

    Raises:
        InputError: An option or the golden set cannot be used; file, line and field are named.
    """
    behaviour = options.validated()
    train_all, dev_all, test, golden = golden_set(options)
    train = train_rows(train_all, options)
    places = [(form, adapter) for form in options.forms(behaviour) for adapter in options.adapters()]
    dev = dev_rows(dev_all, options, zero_shots=len(places))
    candidates = options.candidates or preset(options.budget).candidates
    counted = partial(metered, budget=budget, journal=journal)
    tasks = tuple(
        CompileTask(
            behaviour=behaviour, form=form, adapter_name=adapter, adapter=get_adapter(adapter), train=train, dev=dev,
            metric=metric or behaviour.metric, lm=lm, teacher=teacher or lm,
            reflection_lm=None if reflection_lm is None else counted(reflection_lm),
            score=partial(score or _unscored, adapter), metered=counted, stopped=lambda: budget.stopped,
            candidates=-(-candidates // len(places)), seed=options.seed, options=options.parameters,
        )
        for form, adapter in places
    )  # fmt: skip
    doubts = () if metric not in (None, behaviour.metric) else (
        *_doubts(behaviour, dev, _file("dev", options.golden)), *_doubts(behaviour, test, _file("test", options.golden))
    )  # fmt: skip
    return Plan(behaviour, lm.model, tasks, candidates, len(train), len(dev), len(dev_all), golden, test, doubts)


def golden_set(options: CompileOptions) -> GoldenSet:
    """Read all splits; raises `InputError` with file, line and field when a row cannot be used or a split leaks."""
    behaviour, folder = options.validated(), options.golden
    behaviour.apart(folder)
    train, dev = (tuple(behaviour.load(split, folder)) for split in ("train", "dev"))
    has_test = folder is None or (folder / "test.jsonl").is_file()
    splits = ("train", "dev", "test") if has_test else ("train", "dev")
    test = tuple(behaviour.load("test", folder)) if has_test and options.test else ()
    return GoldenSet(train, dev, test, {split: behaviour.digest(split, folder) for split in splits})


def _doubts(behaviour: Behaviour, rows: Sequence[GoldenRow], file: str) -> tuple[str, ...]:
    """Score each row's own gold, and say which fall short."""
    scored = [(row, behaviour.metric(row, behaviour.gold(row))) for row in rows]
    found = [
        f"{file}: row {row.id}: its own gold scores {said.score:.2f} of 1: {said.feedback}"
        for row, said in scored
        if said.score < 1.0
    ]
    more = len(found) - _MOST_DOUBTS
    return (*found[:_MOST_DOUBTS], *([f"{file}: and {more} more golds below 1"] if more > 0 else []))


def _file(split: str, folder: Path | None) -> str:
    return f"{split}.jsonl" if folder is None else str(folder / f"{split}.jsonl")


def _unscored(adapter: str, program: Any, rows: Any, **options: Any) -> Evaluation:
    raise AssertionError("a plan without a scorer scores nothing")
