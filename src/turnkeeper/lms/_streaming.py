"""An answer as it is written: the text so far to a listener, and lm15's stream events made of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from queue import SimpleQueue
from typing import Any, Protocol

from dspy import lm15

from ._skeleton import QUOTE, Hole, string_content

Hear = Callable[[str], None]
"""Takes the next piece of an answer; all pieces together are the answer."""


class Complete(Protocol):
    """`LlamaEngine.complete`."""

    def __call__(
        self, request: lm15.Request, cancelled: threading.Event | None = None, hear: Hear | None = None
    ) -> lm15.Response: ...


class Teller:
    """Tells of a text piece by piece, never more than what will be in it.

    Args:
        hear: Who is told; None for nobody.
    """

    def __init__(self, hear: Hear | None = None) -> None:
        self._hear = hear
        self._told = 0

    @property
    def listens(self) -> bool:
        """Whether anybody is told."""
        return self._hear is not None

    def so_far(self, text: str) -> None:
        """Tell what is new in a text that only grows; a character that is not whole yet waits."""
        self._tell(text.rstrip("\ufffd"))

    def whole(self, text: str) -> None:
        """Tell the rest."""
        self._tell(text)

    def _tell(self, text: str) -> None:
        if self._hear is not None and len(text) > self._told:
            piece, self._told = text[self._told :], len(text)
            self._hear(piece)


def decoded(text: bytes, held: int) -> str:
    """Return a text but for the last `held` bytes."""
    return text[: max(0, len(text) - held)].decode("utf-8", "replace")


def content(text: bytes, hole: Hole, spaced: bool) -> str:
    """Return what a hole was filled with, as it stands in the answer."""
    filled = text.decode("utf-8", "replace")
    filled = filled.removeprefix(" ") if spaced else filled
    return string_content(filled) if hole.stop == QUOTE else filled


def so_far(text: bytes, before: str, hole: Hole, spaced: bool) -> str:
    """Return an answer up to where a hole is being filled."""
    return before + content(text[: max(0, len(text) - len(hole.stop.encode()) + 1)], hole, spaced)


def events_of(complete: Complete, request: lm15.Request) -> Iterator[Any]:
    """Yield lm15's events of a call that runs in a thread of its own; closing the iterator ends the call."""
    cancelled = threading.Event()
    pieces: SimpleQueue[str | lm15.Response | BaseException] = SimpleQueue()
    thread = threading.Thread(target=_run, args=(complete, request, cancelled, pieces.put), daemon=True)
    thread.start()
    try:
        yield lm15.StreamStartEvent(model=request.model)
        while True:
            piece = pieces.get()
            if isinstance(piece, BaseException):
                raise piece
            yield _event(piece)
            if not isinstance(piece, str):
                return
    finally:
        cancelled.set()
        thread.join()  # the call ends at the next token, or after the batch of the prompt that it is at


async def aevents_of(complete: Complete, request: lm15.Request) -> AsyncIterator[Any]:
    """As `events_of`, without blocking the event loop."""
    cancelled, loop = threading.Event(), asyncio.get_running_loop()
    pieces: asyncio.Queue[str | lm15.Response | BaseException] = asyncio.Queue()

    def put(piece: str | lm15.Response | BaseException) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    call = loop.run_in_executor(None, _run, complete, request, cancelled, put)
    try:
        yield lm15.StreamStartEvent(model=request.model)
        while True:
            piece = await pieces.get()
            if isinstance(piece, BaseException):
                raise piece
            yield _event(piece)
            if not isinstance(piece, str):
                return
    finally:
        cancelled.set()
        await asyncio.wait([call])


def _run(complete: Complete, request: lm15.Request, cancelled: threading.Event, put: Callable[[Any], None]) -> None:
    try:
        put(complete(request, cancelled, put))
    except BaseException as failure:  # it is the caller's, whatever it is
        put(failure)


def _event(piece: str | lm15.Response) -> Any:
    if isinstance(piece, str):
        return lm15.StreamDeltaEvent(lm15.TextDelta(piece))
    return lm15.StreamEndEvent(finish_reason=piece.finish_reason, usage=piece.usage)
