"""Score a program on golden rows: order kept, errors apart from low scores, nothing thrown away."""

from __future__ import annotations

import contextvars
import math
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol

from ..behaviours import Behaviour, GoldenRow, behaviour_of
from ._ask import ask
from .keys import Keys
from .scored import Scored

__all__ = ["Budget", "Evaluation", "Journal", "Metric", "Scored", "Stopped", "evaluate"]

Stopped = Literal["early_stop", "budget", "interrupted"]
Metric = Callable[..., Any]


class Journal(Protocol):
    """Scored rows that outlive the process. `put` returns when the row is durable."""

    def get(self, key: str) -> Scored | None: ...

    def put(self, key: str, scored: Scored) -> None: ...


class Budget(Protocol):
    """Hard limits; asked before each row that is not in the journal, told afterwards what the row cost."""

    def allow(self, calls: int = 1) -> bool: ...

    def spend(self, calls: int, prompt_tokens: int, completion_tokens: int, usd: float) -> None: ...

    @property
    def stopped(self) -> str | None:
        """Return the limit that was reached, None while there is none."""


class Evaluation(NamedTuple):
    """Scored rows in the order of the set.

    Attributes:
        complete: Whether every row is there.
        stopped: Why rows are missing.
    """

    rows: list[Scored]
    complete: bool
    stopped: Stopped | None = None

    def mean(self) -> float:
        """Return the mean score of the rows that have one; NaN when none has."""
        scores = [row.score for row in self.rows if row.score is not None]
        return math.fsum(scores) / len(scores) if scores else math.nan

    @property
    def errors(self) -> int:
        """Return the number of rows without a score."""
        return sum(row.score is None for row in self.rows)

    def failures(self) -> list[str]:
        """Return the classes of the errors of failed rows, in the order of the set."""
        return [row.error for row in self.rows if row.error is not None]

    @property
    def fallback_rate(self) -> float:
        """Return the share of fallbacks among the rows that have a score; NaN when none has."""
        scored = [row.fallback for row in self.rows if row.score is not None]
        return sum(scored) / len(scored) if scored else math.nan


def evaluate(
    program: Any,
    rows: Sequence[GoldenRow],
    metric: Metric,
    *,
    lm: Any = None,
    adapter: Any = None,
    bare: bool,
    journal: Journal | None = None,
    budget: Budget | None = None,
    threads: int = 1,
    must_exceed: float | None = None,
    rollout: int = 0,
    on_row: Callable[[Scored, int, int], None] | None = None,
    behaviour: Behaviour | str | None = None,
) -> Evaluation:
    """Score a program on rows.

    Ctrl-C ends the run and keeps what is done. What fails in one row is an error row: it has no score and no place in
    a journal, so the next run asks again. An unreadable answer of the model is no error but a prediction that scores 0.

    Args:
        program: A `dspy.Module` with `bare`, else a `Guard`.
        rows: Golden rows.
        metric: The five-argument metric; what it raises is a bug and propagates.
        lm: The LM of a bare program; a guard has its own.
        adapter: The adapter of a bare program; a guard has its own.
        bare: Run the module alone, without checks, retry and fallback.
        journal: Rows found there are not asked again.
        budget: Checked before each row; at most one row a thread runs beyond a limit.
        threads: Rows at a time.
        must_exceed: Stop once the sum of scores plus the rows left cannot exceed this. A row without a score counts as
            a full one, so an outage never rules a program out.
        rollout: Number of the repetition; each has its own place in the journal.
        on_row: Told of each row as it is done: row, rows done, rows in all. Called in the caller's thread.
        behaviour: What the rows are of. A guard knows it; a bare program is taken for a `reformulate` one.

    Raises:
        SetupError, IntegrityError: What ails one row ails all.
    """
    behaviour = behaviour_of(program, behaviour)
    keys = None
    if journal is not None:
        keys = Keys(program, metric, lm=lm, adapter=adapter, bare=bare, rollout=rollout, behaviour=behaviour)
    run = _Run(rows, journal, keys, budget, must_exceed)
    scored_row = partial(ask, program, metric=metric, lm=lm, adapter=adapter, bare=bare, behaviour=behaviour)
    try:
        with closing(run.results(scored_row, threads)) as results:
            for number, scored in results:
                run.done[number] = scored
                if on_row is not None:
                    on_row(scored, len(run.done), len(rows))
                if run.hopeless():
                    run.stopped = "early_stop"
                    break
    except KeyboardInterrupt:
        run.stopped = "interrupted"
    kept = [run.done[number] for number in sorted(run.done)]
    return Evaluation(kept, len(kept) == len(rows), run.stopped if len(kept) < len(rows) else None)


class _Run:
    """The state of one evaluation."""

    def __init__(
        self,
        rows: Sequence[GoldenRow],
        journal: Journal | None,
        keys: Keys | None,
        budget: Budget | None,
        must_exceed: float | None,
    ) -> None:
        self.rows, self.journal, self.keys, self.budget, self.must_exceed = rows, journal, keys, budget, must_exceed
        self.done: dict[int, Scored] = {}
        self.stopped: Stopped | None = None

    def hopeless(self) -> bool:
        """Whether no score of the rows left can lift the sum over `must_exceed`."""
        if self.must_exceed is None or len(self.done) == len(self.rows):
            return False
        best = math.fsum(1.0 if row.score is None else row.score for row in self.done.values())
        return best + len(self.rows) - len(self.done) <= self.must_exceed

    def results(self, scored: Callable[[GoldenRow], Scored], threads: int) -> Generator[tuple[int, Scored], None, None]:
        """Yield rows as they are done, with their place; ends early at a limit of the budget."""
        if threads <= 1:  # in the caller's thread, where Ctrl-C arrives at once
            for number, row in enumerate(self.rows):
                known = self._known(row)
                if known is None and not self._allowed():
                    return
                yield number, known or self._keep(row, scored(row))
            return
        yield from self._threaded(scored, threads)

    def _threaded(
        self, scored: Callable[[GoldenRow], Scored], threads: int
    ) -> Generator[tuple[int, Scored], None, None]:
        pool = ThreadPoolExecutor(threads, thread_name_prefix="turnkeeper-evaluate")
        running: dict[Future[Scored], int] = {}
        waiting = iter(enumerate(self.rows))
        more = True
        try:
            while more or running:
                while more and len(running) < threads:
                    number, row = next(waiting, (-1, None))
                    if row is None:
                        more = False
                    elif (known := self._known(row)) is not None:
                        yield number, known
                    elif self._allowed():
                        # A thread of a pool sees no context of its creator, and one context serves one thread.
                        running[pool.submit(contextvars.copy_context().run, scored, row)] = number
                    else:
                        more = False
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(finished, key=lambda f: running[f]):
                    number = running.pop(future)
                    yield number, self._keep(self.rows[number], future.result())
        finally:
            self._rescue(running)
            pool.shutdown(wait=False, cancel_futures=True)

    def _rescue(self, running: dict[Future[Scored], int]) -> None:
        """Keep what came in while the run was being stopped; only after Ctrl-C a row in flight is given up."""
        if self.stopped == "early_stop":
            wait(running)
        for future, number in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self.done[number] = self._keep(self.rows[number], future.result())

    def _known(self, row: GoldenRow) -> Scored | None:
        if self.journal is None or self.keys is None:
            return None
        found = self.journal.get(self.keys.of(row))
        return None if found is None else found.model_copy(update={"reused": True})

    def _allowed(self) -> bool:
        if self.budget is None or self.budget.allow(1):
            return True
        self.stopped = "budget"
        return False

    def _keep(self, row: GoldenRow, scored: Scored) -> Scored:
        if self.budget is not None:
            self.budget.spend(scored.lm_calls, scored.prompt_tokens, scored.completion_tokens, 0.0)
        if self.journal is not None and self.keys is not None and scored.error is None:
            self.journal.put(self.keys.of(row), scored)
        return scored
