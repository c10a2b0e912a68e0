"""Work that a turn asks for: the flow yields it, a driver does it, in this thread, in several, or on an event loop.

The flow itself is a generator without I/O of its own, so that the sync and the async conversation are one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Work(NamedTuple):
    """One piece of work.

    Attributes:
        name: Of the step, for reports.
        call: Does it.
        acall: Does it without blocking; None runs `call` in a thread.
        about: What it is about, the words that are searched for, say; for traces.
    """

    name: str
    call: Callable[[], Any]
    acall: Callable[[], Awaitable[Any]] | None = None
    about: str = ""


class Done(NamedTuple):
    """What came of a piece of work: a value, or the exception in its place."""

    name: str
    value: Any
    error: Exception | None
    latency_ms: float


Flow = Generator[tuple[Work, ...], list[Done], T]
"""Yields pieces of work that do not depend on each other, and receives what came of them, in the same order."""


def drive(flow: Flow[T], *, concurrent: bool) -> T:
    """Run a flow to its end in this thread; independent work in threads of its own where that is allowed."""
    try:
        asked = next(flow)
        while True:
            asked = flow.send(_all(asked) if concurrent and len(asked) > 1 else [_one(work) for work in asked])
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        flow.close()  # on an interrupt or a cancellation too: whoever waits for the turn goes on


async def adrive(flow: Flow[T], *, concurrent: bool) -> T:
    """Run a flow to its end without blocking the event loop."""
    try:
        asked = next(flow)
        while True:
            if concurrent:
                done = list(await asyncio.gather(*map(_aone, asked)))
            else:
                done = [await _aone(work) for work in asked]
            asked = flow.send(done)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        flow.close()  # on an interrupt or a cancellation too: whoever waits for the turn goes on


def _all(asked: Sequence[Work]) -> list[Done]:
    with ThreadPoolExecutor(len(asked), thread_name_prefix="turnkeeper-turn") as pool:
        return [future.result() for future in [pool.submit(copy_context().run, _one, work) for work in asked]]


def _one(work: Work) -> Done:
    started = time.perf_counter()
    try:
        value, error = work.call(), None
    except Exception as failure:  # a step that fails must not cost the turn
        value, error = None, failure
    return Done(work.name, value, error, _since(started))


async def _aone(work: Work) -> Done:
    started = time.perf_counter()
    try:
        value = await (work.acall() if work.acall is not None else asyncio.to_thread(work.call))
        error = None
    except Exception as failure:  # as above
        value, error = None, failure
    return Done(work.name, value, error, _since(started))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
