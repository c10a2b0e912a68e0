"""A turn as a stream of events: taken in a thread or a task of its own, and ended with whoever reads it.

Whoever stops reading cancels the turn. Then nothing of it is committed, now or later; or, where the commit was on its
way already, all of it is, before the iterator is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, NamedTuple

from ..modules._heard import LISTENER
from .result import ConversationTurn
from .streamed import StreamEvent
from .watching import Cancelled, Watch
from .work import Flow, adrive, drive

_LOOK: Final = 0.5
"""Seconds after which a reader that waits looks for signals: not every system lets them break a wait."""


class _Ended(NamedTuple):
    """The end of a turn; `error` is raised to the reader."""

    error: BaseException | None


def streamed(flow: Flow[ConversationTurn], *, concurrent: bool) -> Iterator[StreamEvent]:
    """Take a turn in a thread of its own, and yield what it tells. The turn begins with the first event asked for."""
    events: SimpleQueue[StreamEvent | _Ended] = SimpleQueue()
    watch = Watch(events.put)

    def run() -> None:
        LISTENER.set(watch)  # in this thread's copy of the context
        try:
            watch.finish(drive(watch.over(flow), concurrent=concurrent))
        except Cancelled:
            events.put(_Ended(None))
        except BaseException as failure:  # it is the reader's, whatever it is
            watch.fail()
            events.put(_Ended(failure))
        else:
            events.put(_Ended(None))

    # No program waits at its end for a distant LM that nobody wants to hear any more; one that computes in this process
    # must not be torn down while it does. It ends at its next token, or with its step.
    Thread(target=copy_context().run, args=(run,), name="turnkeeper-stream", daemon=concurrent).start()
    try:
        while True:
            try:
                event = events.get(timeout=_LOOK)
            except Empty:
                continue
            if isinstance(event, _Ended):
                if event.error is not None:
                    raise event.error
                return
            yield event
    finally:
        watch.cancel()
        watch.wait()


async def astreamed(flow: Flow[ConversationTurn], *, concurrent: bool) -> AsyncIterator[StreamEvent]:
    """Take a turn in a task of its own, and yield what it tells; otherwise as `streamed`."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[StreamEvent | _Ended] = asyncio.Queue()

    def put(event: StreamEvent | _Ended) -> None:
        with suppress(RuntimeError):  # the loop is closed: a thread that it gave up still had something to tell
            loop.call_soon_threadsafe(events.put_nowait, event)

    watch = Watch(put)

    async def run() -> None:
        LISTENER.set(watch)  # in this task's copy of the context
        try:
            watch.finish(await adrive(watch.over(flow), concurrent=concurrent))
        except Cancelled:
            put(_Ended(None))
        except asyncio.CancelledError:
            watch.fail()
            put(_Ended(None))
            raise
        except BaseException as failure:  # as above
            watch.fail()
            put(_Ended(failure))
        else:
            put(_Ended(None))

    task = asyncio.create_task(run(), name="turnkeeper-stream")
    try:
        while True:
            event = await events.get()
            if isinstance(event, _Ended):
                if event.error is not None:
                    raise event.error
                return
            yield event
    finally:
        if watch.cancel():
            task.cancel()
        await asyncio.wait([task])  # where it is committing, it comes to its end
