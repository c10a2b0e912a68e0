"""Any DSPy teleprompter as an optimizer.

    from dspy.teleprompt import COPRO

    def copro(task):
        return COPRO(prompt_model=task.reflection_lm, metric=task.metric, breadth=4, depth=1)

    register_optimizer("copro", lambda: Teleprompter(copro, eval_kwargs={"num_threads": 1, "display_progress": False}))

Its inner evaluations are its own: their calls are counted and refused at a limit, but only the programs that it
returns are scored by the search, journalled and stopped early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dspy

from ..behaviours import Behaviour, GoldenRow
from ._metered import BudgetSpentError
from .task import Candidate, CompileTask, Proposals, state_of


class Teleprompter:
    """Runs a teleprompter on the train rows and proposes what it returns, with its candidate programs.

    Args:
        make: A task -> the teleprompter.
        valset: Whether its `compile` takes the dev rows as `valset`.
        compile_kwargs: What else its `compile` takes.
    """

    def __init__(self, make: Callable[[CompileTask], Any], *, valset: bool = False, **compile_kwargs: Any) -> None:
        self._make = make
        self._valset = valset
        self._kwargs = compile_kwargs

    def propose(self, task: CompileTask) -> Proposals:
        sets = {"trainset": [_asked(task, row) for row in task.train]}
        if self._valset:
            sets["valset"] = [_asked(task, row) for row in task.dev]
        task = replace(task, metric=_by_row(task))
        try:
            with dspy.context(lm=task.metered(task.lm), adapter=task.adapter, disable_history=True):
                compiled = self._make(task).compile(task.program(), **sets, **self._kwargs)
        except Exception as error:
            if task.stopped() is None and not isinstance(error, BudgetSpentError):
                raise
            return  # its inner evaluation ran into the limit
        found = [compiled]
        for entry in getattr(compiled, "candidate_programs", None) or []:
            found.append(entry["program"] if isinstance(entry, dict) else entry[-1])
        for number, program in enumerate(found[: task.candidates]):
            yield Candidate(f"teleprompter-{number}", without_unproven(task, program), {"place": number})


def without_unproven(task: CompileTask, program: dspy.Module) -> dict[str, Any]:
    """Return a program's state without the demos that are incomplete: a missing field would change or drop them."""
    copy = program.deepcopy()
    for predictor in copy.predictors():
        fields = predictor.signature.fields
        predictor.demos = [
            {name: demo[name] for name in fields}
            for demo in map(dict, predictor.demos)
            if all(demo.get(name) is not None for name in fields)
        ]
    return state_of(copy)


def example(behaviour: Behaviour, row: Any) -> dspy.Example:
    """Return a golden row as a DSPy example; what the program takes are its inputs."""
    fields = {name: getattr(row, name) for name in type(row).model_fields}
    inputs = behaviour.inputs(row)
    fields |= {name: value for name, value in inputs.items() if name not in fields}
    return dspy.Example(**fields).with_inputs(*inputs)


def _asked(task: CompileTask, row: GoldenRow) -> dspy.Example:
    """Return a row as the program is asked it, which is not always as it stands there: restricted terms are masked."""
    made = example(task.behaviour, row)
    for name, value in task.behaviour.inputs(row).items():
        made[name] = value
    return made


def _by_row(task: CompileTask) -> Callable[..., Any]:
    """Return the metric over the golden rows themselves; an example may hold inputs in the place of fields."""
    rows = {row.id: row for row in (*task.train, *task.dev)}

    def metric(example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
        return task.metric(rows.get(str(getattr(example, "id", "")), example), pred, trace, pred_name, pred_trace)

    return metric
