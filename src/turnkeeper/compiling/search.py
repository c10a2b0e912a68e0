"""The search: every candidate of every task is scored on the same dev rows, and the best one wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import SetupError
from ..evaluation import Evaluation
from ._metered import BudgetSpentError
from .task import Candidate, CompileTask, Optimizer, Proposals, state_of

ZERO_SHOT = "zero-shot"


class Trial(NamedTuple):
    """A scored candidate.

    Attributes:
        number: Its place in the search, from 0.
        accepted: Whether it was the best so far.
    """

    number: int
    task: CompileTask
    candidate: Candidate
    evaluation: Evaluation
    accepted: bool

    @property
    def label(self) -> str:
        """`name form/adapter`, unique within a search."""
        return f"{self.candidate.name} {self.task.form}/{self.task.adapter_name}"

    @property
    def score(self) -> float | None:
        """Mean dev score; None when rows are missing or failed, since it compares with nothing then."""
        return self.evaluation.mean() if self.evaluation.complete and not self.evaluation.errors else None

    @property
    def unscored(self) -> str | None:
        """Why there is no score, in words; None when there is one."""
        if self.score is not None:
            return None
        rows = self.evaluation.rows
        errors = [row.error for row in rows if row.error is not None]
        reasons = {"early_stop": "cannot reach the best any more", "budget": "limit reached"}
        failed = f"{len(errors)} rows failed ({errors[0]})" if errors else "incomplete"
        stopped = self.evaluation.stopped
        return f"{reasons.get(stopped, stopped) if stopped else failed} after {len(rows)} rows"


@dataclass
class SearchResult:
    """What a search found.

    Attributes:
        trials: All candidates in order, the zero-shot programs first.
        zero_shot: The best zero-shot program; None when the budget ended before one was scored.
        best: The best candidate that is no zero-shot program; None when none was complete.
        stopped: Why the search ended early, in words.
    """

    trials: list[Trial] = field(default_factory=list)
    zero_shot: Trial | None = None
    best: Trial | None = None
    stopped: str | None = None

    @property
    def improved(self) -> bool:
        """Whether the best candidate beats the best zero-shot program on dev."""
        if self.best is None or self.zero_shot is None:
            return False
        return _total(self.best.evaluation) > _total(self.zero_shot.evaluation)


class Dev(NamedTuple):
    """Scores a state of a task on its dev rows: `must_exceed` is the sum that it has to beat."""

    score: Callable[[CompileTask, dict[str, Any], float | None], Evaluation]
    done: Callable[[Trial], None]


def search(
    tasks: Sequence[CompileTask],
    optimizer: Callable[[], Optimizer],
    candidates: int,
    dev: Dev,
    stopped: Callable[[], str | None],
) -> SearchResult:
    """Score zero-shot programs, then the proposals of the tasks in turn, until candidates, proposals or budget end.

    A candidate is dropped once it cannot beat the best any more, so the winner is the one of a full search. Ties keep
    the earlier one.

    Args:
        tasks: One a form and adapter.
        optimizer: Makes an optimizer; one a task.
        candidates: Proposals scored at most, over all tasks.
        dev: How a candidate is scored, and who is told of it.
        stopped: Why no more work may begin, in words, or None.

    Raises:
        SetupError: Half of the rows failed, or more, in every form and adapter.
    """
    result = SearchResult()
    try:
        _run(result, tasks, optimizer, candidates, dev, stopped)
    except KeyboardInterrupt:  # between two rows; during one, the evaluation itself ends well
        result.stopped = "interrupted"
    return result


def _run(
    result: SearchResult,
    tasks: Sequence[CompileTask],
    optimizer: Callable[[], Optimizer],
    candidates: int,
    dev: Dev,
    stopped: Callable[[], str | None],
) -> None:
    for task in tasks:
        trial = _try(result, task, Candidate(ZERO_SHOT, state_of(task.program())), dev)
        if _ended(result, trial, stopped):
            return
    working = [trial.task for trial in result.trials if not _fails(trial.evaluation)]
    if not working:
        rows = result.trials[0].evaluation.rows
        error = next(row.error for row in rows if row.error is not None)
        raise SetupError(f"the LM answered too few of {len(rows)} rows: {error}")
    proposing = [(task, optimizer().propose(task), False) for task in working]
    while proposing and candidates > 0:
        still = []
        for task, proposals, begun in proposing:
            if candidates == 0:
                break
            candidate = _next(proposals, task, begun, result)
            if candidate is None:
                if (why := stopped()) is not None:
                    result.stopped = why
                    return
                continue
            trial = _try(result, task, candidate, dev)
            candidates -= 1
            if _ended(result, trial, stopped):
                return
            still.append((task, proposals, True))
        proposing = still


def _next(proposals: Proposals, task: CompileTask, begun: bool, result: SearchResult) -> Candidate | None:
    mine = [trial for trial in result.trials if trial.task is task]
    try:
        return proposals.send(mine[-1].score) if begun else next(proposals)
    except (StopIteration, BudgetSpentError):
        return None


def _try(result: SearchResult, task: CompileTask, candidate: Candidate, dev: Dev) -> Trial:
    # Zero-shot programs compete among themselves; a compiled one must beat the best of all.
    held = [t for t in (result.zero_shot, None if candidate.name == ZERO_SHOT else result.best) if t is not None]
    must_exceed = max((_total(t.evaluation) for t in held), default=None)
    evaluation = dev.score(task, candidate.state, must_exceed)
    better = evaluation.complete and not evaluation.errors and (must_exceed is None or _total(evaluation) > must_exceed)
    trial = Trial(len(result.trials), task, candidate, evaluation, better)
    result.trials.append(trial)
    if candidate.name == ZERO_SHOT:
        result.zero_shot = trial if better else result.zero_shot
    elif better:
        result.best = trial
    dev.done(trial)
    return trial


def _fails(evaluation: Evaluation) -> bool:
    """Whether half of the rows failed: an LM that is down, or an adapter that this LM or program cannot take."""
    return 2 * evaluation.errors >= max(1, len(evaluation.rows))


def _ended(result: SearchResult, trial: Trial, stopped: Callable[[], str | None]) -> bool:
    if trial.evaluation.stopped == "interrupted":
        result.stopped = "interrupted"
    elif trial.evaluation.stopped == "budget":
        result.stopped = stopped() or "the budget"
    return result.stopped is not None


def _total(evaluation: Evaluation) -> float:
    return math.fsum(row.score or 0.0 for row in evaluation.rows)
