"""An answer heard while the LM writes it: what passes its checks so far goes to whoever listens, as a draft.

Nothing here decides on an answer: the guard checks it whole, as ever, and takes the draft back if it fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from dspy import lm15


class Listener(Protocol):
    """Is told of drafts. Either method may raise a `BaseException` that ends the call, and no `Exception`."""

    def draft(self, text: str) -> None:
        """Take the next part of a draft; "" is only a sign that the LM is writing."""

    def retract(self, codes: Sequence[str]) -> None:
        """Take notice that the draft is void, and why."""


class Reader(Protocol):
    """Reads one reply of an LM as it is written."""

    def feed(self, piece: str) -> str:
        """Take the next piece, and return what may be shown now and could not before."""


LISTENER: ContextVar[Listener | None] = ContextVar("turnkeeper_listener", default=None)
"""Who hears the drafts of the steps that run in this context."""


class Heard:
    """One call of an LM, heard.

    Args:
        listener: Who is told.
        reader: Makes the reader of a reply; again for each reply, since DSPy may ask again.
    """

    def __init__(self, listener: Listener, reader: Callable[[], Reader]) -> None:
        self._listener, self._reader = listener, reader
        self._reading = reader()
        self._drafted = False
        self.began = False

    def begin(self) -> None:
        """A reply begins; one that was heard before it is void."""
        self.retract(("restarted",))

    def feed(self, piece: str) -> None:
        """A reply goes on."""
        self.began = True
        text = self._reading.feed(piece)
        self._drafted = self._drafted or bool(text)
        self._listener.draft(text)

    def retract(self, codes: Sequence[str]) -> None:
        """Take back what was drafted, if anything was; the next reply is read from its beginning."""
        drafted, self._drafted, self.began = self._drafted, False, False
        self._reading = self._reader()
        if drafted:
            self._listener.retract(codes)

    async def send(self, chunk: Any) -> None:
        """Take a chunk of DSPy's own streaming (`send_stream`), by which LMs of providers are heard."""
        for choice in getattr(chunk, "choices", None) or ():
            piece = getattr(getattr(choice, "delta", None), "content", None)
            if isinstance(piece, str) and piece:
                self.feed(piece)


def heard_by(behaviour: Any, task: Any) -> Heard | None:
    """Return the calls of a turn as they are heard, where somebody listens and the behaviour lets drafts be shown."""
    listener, drafting = LISTENER.get(), getattr(behaviour, "drafting", None)
    reader = drafting(task) if listener is not None and drafting is not None else None
    return None if listener is None or reader is None else Heard(listener, reader)


def asking(lm: Any, heard: Heard | None) -> dict[str, Any]:
    """Return the DSPy settings of a call: an LM over the same engine that is heard, where its engine streams."""
    if heard is None:
        return {"lm": lm}
    if _is_provider(lm):
        return {"lm": lm, "send_stream": heard, "stream_listeners": []}
    engine, asynchronous = getattr(lm, "engine", None), getattr(lm, "_async_engine_spec", None)
    if not callable(getattr(engine, "stream", None)):
        return {"lm": lm}
    if callable(getattr(asynchronous, "stream", None)):
        asynchronous = _HeardAsyncEngine(asynchronous, heard)
    return {"lm": lm.copy(engine=_HeardEngine(engine, heard), async_engine=asynchronous)}


def ask(program: Any, request: Mapping[str, Any], lm: Any, heard: Heard | None) -> Any:
    """Call a program; a provider that is heard is asked on an event loop, where alone DSPy streams what it sends."""
    if heard is not None and _is_provider(lm):
        return asyncio.run(program.acall(**request))
    return program(**request)


def broke_off(lm: Any, heard: Heard | None) -> bool:
    """Whether a provider's reply failed half-way: DSPy does not ask again once a part of it has come."""
    return heard is not None and heard.began and _is_provider(lm)


def _is_provider(lm: Any) -> bool:
    return isinstance(getattr(lm, "engine", None), str)


class _HeardEngine:
    """An engine that answers by streaming; everything else is the engine's own."""

    def __init__(self, engine: Any, heard: Heard) -> None:
        self._engine, self._heard = engine, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def complete(self, request: lm15.Request) -> lm15.Response:
        self._heard.begin()
        return lm15.materialize_response(self._told(self._engine.stream(request)), request)

    def _told(self, events: Iterator[Any]) -> Iterator[Any]:
        try:
            for event in events:
                piece = _piece(event)
                if piece:
                    self._heard.feed(piece)
                yield event
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()


class _HeardAsyncEngine:
    """As `_HeardEngine`, awaited."""

    def __init__(self, engine: Any, heard: Heard) -> None:
        self._engine, self._heard = engine, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def complete(self, request: lm15.Request) -> lm15.Response:
        self._heard.begin()
        return await lm15.amaterialize_response(self._told(self._engine.stream(request)), request)

    async def _told(self, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
        try:
            async for event in events:
                piece = _piece(event)
                if piece:
                    self._heard.feed(piece)
                yield event
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()


def _piece(event: Any) -> str:
    delta = getattr(event, "delta", None)
    text = getattr(delta, "text", None) if getattr(delta, "type", None) == "text" else None
    return text if isinstance(text, str) else ""
