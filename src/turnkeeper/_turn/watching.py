"""A turn that is watched: its steps and drafts as events, and a commit that a cancellation never meets half-way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Condition
from typing import Any

from ..retrieval import Verified
from ..signatures.types import GuardedResult
from .result import ConversationTurn
from .streamed import (
    AnswerText,
    DraftRetracted,
    DraftText,
    FoundPassage,
    StepEnded,
    StepStarted,
    StreamEvent,
    TurnCommitted,
)
from .within import wrapped
from .work import Flow, Work

_SHOWN = frozenset("reformulate expand retrieve retrieve_open cite carry_forward reply commit".split())


class Cancelled(BaseException):
    """Ends a turn that nobody wants any more; no step may take it for a failure of its own."""


class Watch:
    """Watches one turn.

    Args:
        emit: Takes each event, from whichever thread; must not block.
    """

    def __init__(self, emit: Callable[[StreamEvent], None]) -> None:
        self._emit = emit
        self._state = Condition()
        self._cancelled = False
        self._committing = False
        self._draft = ""

    def over(self, flow: Flow[ConversationTurn]) -> Flow[ConversationTurn]:
        """Run a flow watched."""
        return wrapped(flow, self._watched)

    def cancel(self) -> bool:
        """Cancel the turn, unless it is being committed; returns whether it will never be."""
        with self._state:
            self._cancelled = True
            return not self._committing

    def wait(self) -> None:
        """Wait until no commit is on its way; a cancelled turn will then never change the session again."""
        with self._state:
            self._state.wait_for(lambda: not self._committing)

    def draft(self, text: str) -> None:
        """Take a part of a draft from the LM's thread."""
        self._check()
        if text:
            self._draft += text
            self._emit(DraftText(text=text))

    def retract(self, codes: Sequence[str]) -> None:
        """Void the drafts so far."""
        if self._draft:
            self._draft = ""
            self._emit(DraftRetracted(codes=tuple(codes)))

    def fail(self) -> None:
        """The turn failed: nothing of it stands."""
        self.retract(("not_committed",))

    def finish(self, turn: ConversationTurn) -> None:
        """Tell the answer of the committed turn, and the turn."""
        if not turn.answer.startswith(self._draft):
            self.retract(("replaced",))
        for line in turn.answer.splitlines(keepends=True):
            self._emit(AnswerText(text=line))
        self._emit(TurnCommitted(turn=turn))

    def _check(self) -> None:
        if self._cancelled:
            raise Cancelled

    def _watched(self, work: Work) -> Work:
        asynchronous = work.acall

        def call() -> Any:
            started = self._begin(work)
            try:
                value = work.call()
            except BaseException as failure:
                self._end(work, started, failure)
                raise
            self._end(work, started, None, value)
            return value

        async def acall() -> Any:
            assert asynchronous is not None
            started = self._begin(work)
            try:
                value = await asynchronous()
            except BaseException as failure:
                self._end(work, started, failure)
                raise
            self._end(work, started, None, value)
            return value

        return work._replace(call=call, acall=None if asynchronous is None else acall)

    def _begin(self, work: Work) -> float:
        with self._state:
            self._check()
            self._committing = work.name == "commit"
        if work.name == "cite":
            self.retract(("replaced",))  # another writer was first: the turn is taken again
        if work.name in _SHOWN:
            self._emit(StepStarted(name=work.name, query=work.about))
        return time.perf_counter()

    def _end(self, work: Work, started: float, failure: BaseException | None, value: Any = None) -> None:
        if work.name == "commit":
            with self._state:
                self._committing = False
                self._state.notify_all()
        if work.name not in _SHOWN or (failure is not None and not isinstance(failure, Exception)):
            return
        told = value if isinstance(value, GuardedResult) else GuardedResult()
        self._emit(
            StepEnded(
                name=work.name,
                latency_ms=round((time.perf_counter() - started) * 1000, 3),
                calls=told.usage.calls,
                failed=failure is not None,
                fallback=told.fallback,
                passages=_found(value),
            )
        )


def _found(value: Any) -> tuple[FoundPassage, ...] | None:
    if not isinstance(value, Verified):
        return None
    return tuple(FoundPassage(doc_id=passage.doc_id, title=passage.title) for passage in value.passages)
