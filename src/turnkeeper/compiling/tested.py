"""The test split under a finished program: bare, then with its guard, at what cost. For the rows of an experiment.

Both ask the same prompts first. An LM that is an engine in this process answers each of them once: the guarded run
takes the answers of the bare one from memory, and the model is asked for repairs alone. Rows stand in the journal, so
that an interrupted cell goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from ..behaviours import Behaviour, GoldenRow
from ..evaluation import Evaluation, Scored, evaluate
from ..evaluation.statistics import bootstrap_mean
from ..evaluation.summary import ends_json
from ..modules._guard import Guard
from .budget import Budget
from .journal import JsonlJournal

OnRow = Callable[[Scored, int, int], None]
_KEPT = 4_000
"""Answers remembered: the prompts of one test split."""


class Remembering:
    """An engine that gives the same answer to the same request without asking again.

    Only for requests at temperature 0; of others each is asked. Usage is told as it was, so that tokens are those of
    a program in service; the time is not.

    Args:
        engine: The engine.
        on_known: Told of each answer that was given without asking.
    """

    def __init__(self, engine: Any, on_known: Callable[[Any], None] | None = None) -> None:
        self._engine = engine
        self._on_known = on_known
        self._answers: dict[str, Any] = {}
        self._lock = Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def complete(self, request: Any) -> Any:
        """Answer a request; raises what the engine raises."""
        if request.config.temperature != 0:  # None is whatever the engine takes it for
            return self._engine.complete(request)
        key = repr(request)
        with self._lock:
            known = self._answers.get(key)
        if known is not None:
            if self._on_known is not None:
                self._on_known(known)
            return known
        answer = self._engine.complete(request)
        with self._lock:
            if len(self._answers) < _KEPT:
                self._answers[key] = answer
        return answer

    # As the engine's own copies: weights and answers stay one.
    def __copy__(self) -> Remembering:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Remembering:
        return self


def on_test(
    guard: Guard[Any, Any],
    rows: Sequence[GoldenRow],
    behaviour: Behaviour,
    journal: JsonlJournal,
    on_row: OnRow | None = None,
    *,
    budget: Budget | None = None,
    threads: int = 1,
) -> tuple[Evaluation, Evaluation]:
    """Score a program on test rows: bare, then guarded.

    Args:
        guard: A loaded program; it is not changed.
        rows: The test split.
        behaviour: What the rows are of.
        journal: Where scored rows are kept.
        on_row: As in `evaluate`.
        budget: As in `evaluate`, over both; an answer from memory costs nothing. `budget.halt("interrupted")` from
            another thread ends this as Ctrl-C does.
        threads: Rows at a time.

    Returns:
        The bare evaluation and the guarded one; rows are missing where a limit was reached. Times of the guarded one
        say nothing: most answers came from memory.

    Raises:
        KeyboardInterrupt: What is done is in the journal.
        SetupError, IntegrityError: As `evaluate`.
    """
    lm = remembered(guard.lm, budget)
    again = Guard(
        guard.behaviour, guard.program, lm=lm, adapter=guard.adapter, program_id=guard.program_id,
        risk_level=guard.risk_level, cache_size=0,
    )  # fmt: skip
    metric = behaviour.metric
    bare = evaluate(
        guard.program, rows, metric, lm=lm, adapter=guard.adapter, bare=True, journal=journal, budget=budget,
        threads=threads, on_row=on_row, behaviour=behaviour,
    )  # fmt: skip
    _require(bare, budget)
    guarded = evaluate(
        again, rows, metric, bare=False, journal=journal, budget=budget, threads=threads, on_row=on_row,
        behaviour=behaviour,
    )  # fmt: skip
    _require(guarded, budget)
    return bare, guarded


def remembered(lm: Any, budget: Budget | None = None) -> Any:
    """Return a copy of an LM that answers an identical request once; an LM elsewhere is returned as it is.

    Args:
        lm: The LM.
        budget: Where an answer from memory is taken off again: the row that uses it is counted as if it were asked.
    """
    engine = getattr(lm, "engine", "auto")
    if isinstance(engine, str):
        return lm

    def refund(answer: Any) -> None:
        if budget is not None:
            usage = answer.usage
            budget.spend(-1, -(usage.input_tokens or 0), -(usage.output_tokens or 0))

    return lm.copy(engine=Remembering(engine, refund))


def figures(rows: Sequence[Scored]) -> dict[str, Any]:
    """Return the mean score with its interval by family, if any, and what a row costs: LM calls, tokens, seconds."""
    scored = [row for row in rows if row.score is not None]
    mean = bootstrap_mean([row.score or 0.0 for row in scored], [row.family for row in scored])
    count = len(rows) or 1
    costs = {
        "lm_calls": sum(row.lm_calls for row in rows),
        "prompt_tokens": sum(row.prompt_tokens for row in rows),
        "completion_tokens": sum(row.completion_tokens for row in rows),
        "seconds": sum(row.latency_ms for row in rows) / 1000,
    }
    return {
        "rows": len(rows),
        "errors": len(rows) - len(scored),
        "mean": round(mean.mean, 4),
        **ends_json(mean, 4),
        **{name: round(value / count, 3) for name, value in costs.items()},
    }


def _require(done: Evaluation, budget: Budget | None) -> None:
    halted = done.stopped == "budget" and budget is not None and budget.stopped == "interrupted"
    if halted or done.stopped == "interrupted":
        raise KeyboardInterrupt
