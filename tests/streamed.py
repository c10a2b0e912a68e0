"""A scripted engine that streams its replies, in pieces of a few characters, sync and async."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import dspy
from dspy import lm15

from .scripted import AsyncScriptedEngine, Reply, ScriptedEngine

_serial = itertools.count(1)
Between = Callable[[int, str], None]
"""Called after each piece with its number (from 1) and the reply so far; may raise what a model may raise."""


class StreamingEngine(ScriptedEngine):
    """A `ScriptedEngine` that streams when asked to; `streamed` counts the replies that were read to their end."""

    def __init__(self, replies: Any = (), *, size: int = 7, supports_skeleton: bool = False) -> None:
        super().__init__(replies, supports_skeleton=supports_skeleton)
        self.size = size
        self.between: Between = lambda number, text: None
        self.began = self.streamed = self.closed = 0

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        self.began += 1
        try:
            response = self.complete(request)
            yield lm15.StreamStartEvent(id=response.id, model=request.model)
            text = response.text or ""
            for number, at in enumerate(range(0, len(text), self.size), start=1):
                yield lm15.StreamDeltaEvent(lm15.TextDelta(text[at : at + self.size]))
                self.between(number, text[: at + self.size])
            yield lm15.StreamEndEvent(finish_reason="stop", usage=response.usage)
            self.streamed += 1
        finally:
            self.closed += 1


class AsyncStreamingEngine(AsyncScriptedEngine):
    """The async counterpart, over the same queue."""

    engine: StreamingEngine

    async def stream(self, request: lm15.Request) -> AsyncIterator[Any]:
        for event in self.engine.stream(request):
            yield event


def streaming(*replies: Reply, size: int = 7, **options: Any) -> dspy.LM:
    """An LM that streams a queue of replies; the engine is `lm.engine`."""
    engine = StreamingEngine(replies, size=size)
    options = {"temperature": 0.0, "max_tokens": 200, "num_retries": 0, "cache": False, **options}
    model = f"scripted/streaming-{next(_serial)}"
    return dspy.LM(model, engine=engine, async_engine=AsyncStreamingEngine(engine), **options)
