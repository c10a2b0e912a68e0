"""What a compile will do at most: the golden set read, one task a form and adapter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..adapters import get_adapter
from ..evaluation import Evaluation
from ._metered import metered
from .behaviours import CompileBehaviour
from .budget import Budget, preset
from .journal import JsonlJournal
from .options import CompileOptions, dev_rows
from .task import CompileTask


class Plan(NamedTuple):
    """What a compile will do at most."""

    behaviour: CompileBehaviour
    model: str
    tasks: tuple[CompileTask, ...]
    candidates: int
    train: int
    dev: int
    dev_all: int
    golden: dict[str, str]


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
    """Read the golden set and lay the tasks out; for the arguments see `compile_program`."""
    behaviour = options.validated()
    train, dev_all = (behaviour.load(split, options.golden) for split in ("train", "dev"))
    places = [(form, adapter) for form in options.forms(behaviour) for adapter in options.adapters()]
    dev = dev_rows(dev_all, options, zero_shots=len(places))
    candidates = preset(options.budget).candidates
    counted = partial(metered, budget=budget, journal=journal)
    tasks = tuple(
        CompileTask(
            behaviour=behaviour, form=form, adapter_name=adapter, adapter=get_adapter(adapter), train=train, dev=dev,
            metric=metric or behaviour.metric(), lm=lm, teacher=teacher or lm,
            reflection_lm=None if reflection_lm is None else counted(reflection_lm),
            score=partial(score or _unscored, adapter), metered=counted, stopped=lambda: budget.stopped,
            candidates=-(-candidates // len(places)), seed=options.seed, options=options.parameters,
        )
        for form, adapter in places
    )  # fmt: skip
    has_test = options.golden is None or (options.golden / "test.jsonl").is_file()
    splits = ("train", "dev", "test") if has_test else ("train", "dev")
    golden = {split: behaviour.digest(split, options.golden) for split in splits}
    return Plan(behaviour, lm.model, tasks, candidates, len(train), len(dev), len(dev_all), golden)


def _unscored(adapter: str, program: Any, rows: Any, **options: Any) -> Evaluation:
    raise AssertionError("a plan without a scorer scores nothing")
