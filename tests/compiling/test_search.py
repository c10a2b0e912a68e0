"""The search: early stops never change the winner, ties keep the earlier program, failures prove nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.behaviours import find
from turnkeeper.compiling import Candidate, CompileTask
from turnkeeper.compiling.search import Dev, SearchResult, search
from turnkeeper.compiling.task import Proposals
from turnkeeper.errors import SetupError
from turnkeeper.evaluation import Evaluation, Scored

ROWS = 12


class Listed:
    """Proposes numbered candidates and remembers what it was told of each."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.told: list[float | None] = []

    def propose(self, task: CompileTask) -> Proposals:
        for number in range(self.count):
            self.told.append((yield Candidate(f"c{number}", {"number": number})))


def task() -> CompileTask:
    return CompileTask(
        behaviour=find("reformulate"), form="referents", adapter_name="compact", adapter=get_adapter("compact"),
        train=(), dev=(), metric=lambda *_: None, lm=None, teacher=None, reflection_lm=None,
        score=lambda *_: Evaluation([], True), metered=lambda lm: lm, stopped=lambda: None, candidates=9,
    )  # fmt: skip


def evaluation(scores: Sequence[float | None], must_exceed: float | None) -> Evaluation:
    """What the runner does, over given scores."""
    rows: list[Scored] = []
    for number, score in enumerate(scores):
        error = "TimeoutError" if score is None else None
        rows.append(Scored(id=str(number), kind="k", family=str(number), score=score, error=error))
        left = len(scores) - len(rows)
        if left and must_exceed is not None and sum(r.score or 0 for r in rows) + left <= must_exceed:
            return Evaluation(rows, False, "early_stop")
    return Evaluation(rows, True)


def run(table: list[list[float | None]], *, stop: bool = True, optimizer: Any = None) -> SearchResult:
    """Row 0 of the table is the zero-shot program."""

    def score(_: CompileTask, state: dict[str, Any], must_exceed: float | None) -> Evaluation:
        return evaluation(table[state["number"] + 1 if "number" in state else 0], must_exceed if stop else None)

    made = optimizer or Listed(len(table) - 1)
    return search([task()], lambda: made, 99, Dev(score, lambda trial: None), lambda: None)


def test_the_winner_is_that_of_a_full_search_in_100_replays() -> None:
    rng = random.Random(5)
    dropped = 0
    for _ in range(100):
        table: list[list[float | None]] = [[rng.choice((0.0, 0.5, 1.0)) for _ in range(ROWS)] for _ in range(8)]
        early, full = run(table), run(table, stop=False)
        name = early.best.candidate.name if early.best else None
        assert name == (full.best.candidate.name if full.best else None)
        dropped += sum(not trial.evaluation.complete for trial in early.trials)
    assert dropped > 200


def test_a_tie_keeps_the_earlier_candidate() -> None:
    result = run([[0.0] * ROWS, [0.5] * ROWS, [0.5] * ROWS])
    assert result.best is not None and result.best.candidate.name == "c0"


def test_as_good_as_zero_shot_is_not_better() -> None:
    result = run([[0.5] * ROWS, [0.5] * ROWS])
    assert result.best is None and not result.improved


def test_a_candidate_with_a_failed_row_is_not_accepted() -> None:
    result = run([[0.0] * ROWS, [1.0] * (ROWS - 1) + [None]])
    assert result.best is None and result.trials[1].score is None


def test_an_lm_that_answers_nothing_is_said_at_once() -> None:
    with pytest.raises(SetupError, match=f"too few of {ROWS} rows: TimeoutError"):
        run([[None] * ROWS, [1.0] * ROWS])


def test_an_optimizer_is_told_each_score_and_none_for_a_dropped_one() -> None:
    optimizer = Listed(3)
    run([[0.5] * ROWS, [1.0] * ROWS, [0.0] * ROWS, [0.5] * ROWS], optimizer=optimizer)
    assert optimizer.told == [1.0, None, None]


def test_no_more_candidates_than_asked_for() -> None:
    made = Listed(50)
    result = search(
        [task()], lambda: made, 3, Dev(lambda *_: evaluation([0.5], None), lambda trial: None), lambda: None
    )
    assert [trial.candidate.name for trial in result.trials] == ["zero-shot", "c0", "c1", "c2"]


def test_ctrl_c_keeps_what_there_is() -> None:
    def score(_: CompileTask, state: dict[str, Any], must_exceed: float | None) -> Evaluation:
        if state.get("number") == 1:
            raise KeyboardInterrupt
        return evaluation([1.0 if "number" in state else 0.0] * ROWS, must_exceed)

    result = search([task()], lambda: Listed(3), 9, Dev(score, lambda trial: None), lambda: None)
    assert result.stopped == "interrupted" and result.best is not None and result.best.candidate.name == "c0"


def test_an_adapter_that_fails_on_half_of_the_rows_gets_no_candidates() -> None:
    works, fails = task(), task()

    def score(given: CompileTask, state: dict[str, Any], must_exceed: float | None) -> Evaluation:
        if given is fails:
            return evaluation([None] * ROWS, must_exceed)
        return evaluation([1.0 if "number" in state else 0.0] * ROWS, must_exceed)

    result = search([fails, works], lambda: Listed(2), 9, Dev(score, lambda trial: None), lambda: None)
    assert [trial.task is works for trial in result.trials] == [False, True, True, True]
    assert result.best is not None
