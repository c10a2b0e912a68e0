"""What the steps of a turn did so far: reports, warnings, violations, review reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..signatures.types import GuardedResult, Notice, Violation
from .result import StepReport
from .work import Done

_NO_PROGRAM: Final = object()
"""In place of a program's result: the step runs none."""


class Tallied:
    """Collects what every step tells; one for each attempt at a turn.

    Attributes:
        of_open: Warnings about an earlier question, which they name; the others are about the question of now.
    """

    def __init__(self) -> None:
        self.steps: list[StepReport] = []
        self.warnings: list[Notice] = []
        self.violations: list[Violation] = []
        self.of_open: set[Notice] = set()

    def step(self, done: Done, result: Any = _NO_PROGRAM) -> None:
        """Take note of a step that was run, by what its result tells.

        Args:
            done: What came of it.
            result: What can be used of that; None where it is nothing of use, which is warned of.
        """
        told = result if isinstance(result, GuardedResult) else GuardedResult()
        usage = told.usage
        self.steps.append(
            StepReport(
                name=done.name,
                latency_ms=done.latency_ms,
                calls=usage.calls,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                reused_tokens=usage.reused_tokens,
                fallback=told.fallback,
                program=told.program if isinstance(result, GuardedResult) else "",
            )
        )
        self.warn(told.warnings)
        if told.fallback:
            self.violations.extend(told.violations)
        if done.error is not None:
            # The class alone: messages of foreign code may quote keys, prompts or addresses.
            message = f"The step {done.name} failed ({type(done.error).__name__}) and was left out."
            self.warn([Notice(code="step_failed", message=message)])
        elif result is None:
            kind = type(done.value).__name__
            message = f"The step {done.name} returned what is no result of it ({kind}) and was left out."
            self.warn([Notice(code="step_failed", message=message)])

    def warn(self, notices: Iterable[Notice]) -> None:
        """Add notices, each once."""
        self.warnings.extend(notice for notice in notices if notice not in self.warnings)

    def warn_of_open(self, notices: Sequence[Notice]) -> None:
        """Add notices about an earlier question that is open."""
        self.of_open.update(notices)
        self.warn(notices)

    def codes(self) -> set[str]:
        """Return the codes of all notices so far."""
        return {notice.code for notice in self.warnings}

    @property
    def calls(self) -> int:
        """LM calls of all steps."""
        return sum(step.calls for step in self.steps)

    @property
    def fallback(self) -> bool:
        """Whether any step fell back."""
        return any(step.fallback for step in self.steps)
