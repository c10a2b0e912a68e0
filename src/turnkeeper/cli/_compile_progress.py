"""Progress of a compile on stderr: rows done, best so far, calls, tokens; the bar adds the time left."""

from __future__ import annotations

import math
from types import TracebackType
from typing import TYPE_CHECKING

from ._progress import Progress
from ._render import note

if TYPE_CHECKING:
    from ..compiling.budget import Budget
    from ..compiling.options import CompileOptions
    from ..compiling.outcome import Outcome
    from ..compiling.plan import Plan
    from ..compiling.search import Trial
    from ..evaluation import Scored


class CompileProgress:
    """An observer of one compile.

    Args:
        budget: Where calls and tokens are counted.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._bar: Progress | None = None
        self._programs = 0
        self._trials = 0
        self._rows = 0
        self._best = math.nan

    def started(self, options: CompileOptions, plan: Plan) -> None:
        """Say what will be done, and open the bar."""
        self._programs, self._rows = len(plan.tasks) + plan.candidates, plan.dev
        fitted = f" of {plan.dev_all}" if plan.dev < plan.dev_all else ""
        note(
            f"compile {plan.behaviour.name} for {plan.model}: {options.optimizer}, seed {options.seed}, "
            f"at most {self._programs} programs on {plan.dev}{fitted} dev rows, {plan.train} train rows"
        )
        for doubt in plan.doubts:
            note(f"  {doubt}")
        self._bar = Progress(f"compile {plan.behaviour.name}", self._programs * plan.dev)

    def row(self, label: str, scored: Scored, done: int, total: int) -> None:
        """Count a row of a candidate; rows of a teacher or of the test split have their own count."""
        if self._bar is None:
            return
        spent = self._budget.spent
        best = "none yet" if math.isnan(self._best) else f"{self._best:.3f}"
        said = f"best {best}, {spent.calls} calls, {spent.tokens} tokens"
        if "/" not in label:
            said = f"{label or 'teacher'} {done}/{total}, {said}"
            done = 0
        self._bar.update(min(self._programs, self._trials) * self._rows + min(done, self._rows), text=said)

    def trial(self, trial: Trial) -> None:
        """Say how a candidate did."""
        self._trials += 1
        if trial.accepted and trial.score is not None:
            self._best = trial.score
        if trial.score is not None:
            said = f"{trial.score:.4f}{' (best so far)' if trial.accepted else ''}"
        else:
            said = str(trial.unscored)
        note(f"  {trial.label}: {said}")

    def finished(self, outcome: Outcome) -> None:
        """The final lines are those of the command."""

    def __enter__(self) -> CompileProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)
