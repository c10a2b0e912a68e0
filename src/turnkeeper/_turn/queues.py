"""Turns of one session wait for each other; turns of different sessions do not.

A session is a chain: each turn starts from what the one before left. So turns that come at once, from threads or from
event loops, are taken in the order they came. What another process writes meanwhile is met by compare-and-swap.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from threading import Event, RLock
from weakref import WeakSet

PATIENCE = 5.0
"""Seconds that a turn waits for one on another event loop before it asks whether that one ever ends."""


class SessionQueues:
    """The queues of a conversation, one for each session that has a turn under way, and none for the others."""

    def __init__(self) -> None:
        self._lock = RLock()  # a turn that was abandoned leaves whenever the garbage collector finds it, also in here
        self._lines: dict[tuple[str, str], deque[Place]] = {}
        _ALL.add(self)

    def __len__(self) -> int:
        """Return how many sessions have a turn under way."""
        return len(self._lines)

    def place(self, session_id: str, tenant: str) -> Place:
        """Return a place for a turn of a session; it stands in no queue yet."""
        return Place(self, (tenant, session_id))

    def _enter(self, place: Place) -> bool:
        """Put a place at the end of its queue; return whether it is the first."""
        with self._lock:
            line = self._lines.setdefault(place.key, deque())
            line.append(place)
            return line[0] is place

    def _first(self, place: Place) -> Place | None:
        with self._lock:
            line = self._lines.get(place.key)
            return line[0] if line else None

    def _leave(self, place: Place) -> None:
        """Take a place out, wherever it stands; the next one is told when it was the first."""
        gone: Place | None = place
        while gone is not None:
            with self._lock:
                line = self._lines.get(gone.key)
                if line is None or gone not in line:
                    return
                was_first = line[0] is gone
                line.remove(gone)
                if not line:
                    del self._lines[gone.key]
                following = line[0] if line and was_first else None
            gone = None if following is None or following.told() else following

    def _forget(self) -> None:
        """A forked child has none of the threads that its parent waits for."""
        self._lock, self._lines = RLock(), {}


class Place:
    """A turn's place in the queue of its session. `wait` or `await_turn`, then `begin`, and `leave` in any case."""

    def __init__(self, queues: SessionQueues, key: tuple[str, str]) -> None:
        self.key = key
        self._queues = queues
        self._tell: Callable[[], object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._under_way = False

    def wait(self) -> None:
        """Wait in this thread until all turns before are over.

        Without waiting, on nothing but compare-and-swap, go a turn inside a turn of the same session, and one in the
        thread of an event loop, which could be the loop that the turn before needs.
        """
        if self._is_nested():
            return
        event = Event()
        self._tell = event.set
        if self._queues._enter(self):
            return
        try:
            if _running_loop() is not None:
                self._queues._leave(self)
                return
            seen = None
            while not event.wait(PATIENCE):
                first = self._queues._first(self)
                if first is seen and first is not None and first._loop is not None:
                    self._queues._leave(self)
                    return
                seen = first
        except BaseException:
            self.leave()
            raise

    async def await_turn(self) -> None:
        """Wait as `wait` does, without blocking the event loop; to be cancelled while waiting costs nobody else."""
        if self._is_nested():
            return
        loop = self._loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._tell = lambda: loop.call_soon_threadsafe(_set, turn)
        try:
            if self._queues._enter(self):
                return
            seen = None
            while not (await asyncio.wait({turn}, timeout=PATIENCE))[0]:
                first = self._queues._first(self)
                if first is seen and first is not None and first._loop not in (None, loop):
                    self._queues._leave(self)
                    return
                seen = first
        except BaseException:
            self.leave()
            raise

    def begin(self) -> None:
        """Note that the turn is under way here: in what it calls, a turn of the same session must not wait for it."""
        self._under_way = True
        _UNDER_WAY.set((*_UNDER_WAY.get(), self))

    def leave(self) -> None:
        """Let the next one in; a place that stands in no queue is left alone."""
        self._under_way = False
        if self in _UNDER_WAY.get():
            _UNDER_WAY.set(tuple(place for place in _UNDER_WAY.get() if place is not self))
        self._queues._leave(self)

    def told(self) -> bool:
        """Tell a place that it is the first; return False when nobody can hear it, since its loop is closed."""
        try:
            if self._tell is not None:
                self._tell()
        except RuntimeError:
            return False
        return True

    def _is_nested(self) -> bool:
        mine = (self._queues, self.key)
        return any(place._under_way and (place._queues, place.key) == mine for place in _UNDER_WAY.get())


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _forget_all() -> None:
    for queues in tuple(_ALL):
        queues._forget()


_ALL: WeakSet[SessionQueues] = WeakSet()
_UNDER_WAY: ContextVar[tuple[Place, ...]] = ContextVar("turnkeeper_turns_under_way", default=())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
