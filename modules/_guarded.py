"""What the guard needs to know of a behaviour, and what passes between the two."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from ..signatures.types import GuardedResult, Notice, Violation

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT", bound=GuardedResult)
RiskLevel = Literal["normal", "high"]
Scrub = Callable[[str], str]


class Outcome(NamedTuple):
    """What a behaviour makes of one turn: its own result fields, and the notices that go with them."""

    fields: Mapping[str, Any]
    warnings: tuple[Notice, ...] = ()


class Seen(NamedTuple):
    """A prediction that broke a rule, with what it broke."""

    prediction: Any
    violations: tuple[Violation, ...]


class Behaviour(Protocol[TaskT, ResultT]):
    """What the guard needs to know of a behaviour. Every method is pure; none may raise on what a model wrote.

    A task is the behaviour's validated, scrubbed input. `prepare` alone may raise, `InputError`, on what the
    application passed.
    """

    name: str
    retries: int
    result_type: type[ResultT]

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> TaskT: ...

    def key(self, task: TaskT) -> Hashable:
        """Return what the result depends on, for the cache of identical turns."""

    def settled(self, task: TaskT) -> Outcome | None:
        """Return the outcome when no model may be asked (blocked by the scope, say), else None."""

    def program_inputs(self, task: TaskT) -> dict[str, Any]: ...

    def shrink(self, task: TaskT) -> TaskT | None:
        """Return the task with a shorter prompt, or None when there is nothing left to cut."""

    def check(self, task: TaskT, prediction: Any) -> list[Violation]: ...

    def accept(self, task: TaskT, prediction: Any) -> Outcome: ...

    def fall_back(self, task: TaskT, violations: Sequence[Violation]) -> Outcome: ...

    # Besides, a behaviour may have a method `best_effort(task, seen) -> Outcome | None`: what it makes of answers that
    # all broke a rule, `seen` being the predictions of the turn with their violations; None, or no such method, is the
    # fallback. And `prompt_bytes(task) -> int`: the size of what the task puts into a prompt, by which it is shrunk
    # before the call where the window of the LM is known. And `drafting(task)`: what makes the `_heard.Reader` of a
    # reply as it is written, or None where nothing may be shown before it is checked as a whole.

    def describe(self, task: TaskT) -> dict[str, Any]:
        """Return the text fields of the event: `original` and `window`; what costs time, as a late `model_dump`."""

    def discreet(self, task: TaskT, text: str) -> str:
        """Return what a model wrote without what this user may not be shown, for the event."""


def correction_feedback(violations: Sequence[Violation]) -> str:
    """Name the failed checks in the words that the model gets back; at most three, so that the prompt stays short."""
    return " ".join(f"{v.code}: {v.message}" for v in violations[:3])
