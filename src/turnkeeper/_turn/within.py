"""A flow whose work runs wrapped: what a turn binds for its events, and what watches it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from ..events import bound
from .work import Done, Flow, Work

T = TypeVar("T")
Wrap = Callable[[Work], Work]


def wrapped(flow: Flow[T], wrap: Wrap) -> Flow[T]:
    """Run a flow with each piece of its work put through `wrap`."""
    try:
        asked = next(flow)
        while True:
            done: list[Done] = yield tuple(map(wrap, asked))
            asked = flow.send(done)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        flow.close()


def within(flow: Flow[T], fields: Mapping[str, Any]) -> Flow[T]:
    """Run a flow with fields that every event of it carries, in whatever thread or task its work is done.

    Nothing stays bound while the flow waits: what else runs in that context has nothing to do with this turn.
    """

    def wrap(work: Work) -> Work:
        asynchronous = work.acall

        def call() -> Any:
            with bound(**fields):
                return work.call()

        async def acall() -> Any:
            with bound(**fields):
                return await _called(asynchronous)

        return work._replace(call=call, acall=None if asynchronous is None else acall)

    bare = wrapped(flow, wrap)
    try:
        with bound(**fields):
            asked = next(bare)
        while True:
            done = yield asked
            with bound(**fields):
                asked = bare.send(done)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        bare.close()


async def _called(call: Callable[[], Awaitable[Any]] | None) -> Any:
    assert call is not None  # the caller looked
    return await call()
