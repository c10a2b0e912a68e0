"""What a compile tells while it runs, and how it ended."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ..evaluation import Evaluation, Scored
from ..optimized import Artifact
from .budget import Budget
from .options import CompileOptions
from .plan import Plan
from .search import SearchResult, Trial


class Observer(Protocol):
    """What a compile tells while it runs; a progress bar and the tracker are observers."""

    def started(self, options: CompileOptions, plan: Plan) -> None: ...

    def row(self, label: str, scored: Scored, done: int, total: int) -> None: ...

    def trial(self, trial: Trial) -> None: ...

    def finished(self, outcome: Outcome) -> None: ...


class Outcome(NamedTuple):
    """How a compile ended.

    Attributes:
        artifact: What was written, or None; `reason` says why.
        search: Everything that was tried.
        metrics: dev, zero_shot, copy and improvement, as in the manifest.
        test: The winner's rows on the test split, when they are all there.
        untested: Why there are none although an artifact was written.
        reused: Rows that the journal answered, of `rows` in all.
    """

    artifact: Artifact | None
    reason: str | None
    search: SearchResult
    metrics: dict[str, Any]
    test: Evaluation | None
    reused: int
    rows: int
    budget: Budget
    untested: str | None = None
