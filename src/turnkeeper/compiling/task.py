"""The seam between the search and the optimizers: what an optimizer is given, and what it proposes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import dspy

from ..behaviours import Behaviour, GoldenRow
from ..evaluation.runner import Evaluation

Score = Callable[..., Evaluation]
"""`score(program, rows, lm=None)`: rows scored by the bare program, through journal and budget."""


@dataclass(frozen=True)
class Candidate:
    """A program that the search scores on dev.

    Attributes:
        name: Short, unique within its optimizer; for tables and runs.
        state: `state_of` the program.
        parameters: How it was made, as JSON values.
    """

    name: str
    state: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=dict)


Proposals = Generator[Candidate, "float | None", None]
"""Candidates; each `yield` gives back the mean dev score, None when the candidate was dropped half way."""


@dataclass(frozen=True)
class CompileTask:
    """What an optimizer is given: one behaviour in one form, through one adapter.

    Attributes:
        train: Rows that demos and proposals may come from.
        dev: Rows that candidates are scored on; an optimizer must make no demo of them.
        lm: The LM the program is compiled for.
        teacher: The LM that bootstraps demos; `lm` unless the user names another.
        reflection_lm: The LM that proposes instructions, already counted and journalled; None when none was named.
        score: Scores a program; every call of the LM goes through it.
        metered: Returns an LM whose calls are counted against the budget, for optimizers that call it themselves.
        candidates: How many proposals are wanted at most.
        options: The optimizer's own options.
    """

    behaviour: Behaviour
    form: str
    adapter_name: str
    adapter: dspy.Adapter
    train: Sequence[GoldenRow]
    dev: Sequence[GoldenRow]
    metric: Callable[..., Any]
    lm: Any
    teacher: Any
    reflection_lm: Any
    score: Score
    metered: Callable[[Any], Any]
    stopped: Callable[[], str | None]
    candidates: int
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def program(self, state: Mapping[str, Any] | None = None) -> dspy.Module:
        """Return a fresh bare program, with a candidate's state when one is given."""
        program: dspy.Module = self.behaviour.program(self.form)
        if state is not None:
            program.load_state(dict(state))
        return program

    def rng(self, *salt: object) -> random.Random:
        """Return a generator that depends on the seed and the salt alone."""
        return random.Random(f"{self.seed}/{self.form}/{self.adapter_name}/{'/'.join(map(str, salt))}")


@runtime_checkable
class Optimizer(Protocol):
    """Proposes candidates for a task.

    The same task and the same scores given back must lead to the same candidates, byte for byte: the journal of an
    interrupted compile is read again through it. Rows go to the LM through `task.score`; an LM that is called in
    another way goes through `task.metered`. Ending early is no error: the search takes the best of what came.
    A pydantic model in the attribute `options` says what options there are; without one any are taken.
    """

    def propose(self, task: CompileTask) -> Proposals: ...


def state_of(program: dspy.Module) -> dict[str, Any]:
    """Return a program's state as plain JSON values without its LM."""
    copy = program.deepcopy()
    for predictor in copy.predictors():
        predictor.lm = None
        predictor.traces, predictor.train = [], []
    state: dict[str, Any] = json.loads(json.dumps(copy.dump_state(), ensure_ascii=False, default=_plain))
    return state


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(value, "toDict"):
        return value.toDict()
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    raise TypeError(f"a demo holds a {type(value).__name__}, which JSON cannot")
