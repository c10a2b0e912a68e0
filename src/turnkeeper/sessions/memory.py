"""Sessions in the memory of this process: for tests, and for conversations that nobody returns to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ._chain import Head, Revision
from ._items import Item
from ._sessions import Sessions


class MemoryStore(Sessions):
    """A `SessionStore` for one process; what it holds ends with it."""

    def __init__(self) -> None:
        super().__init__(_Memory())


class _Session(NamedTuple):
    log: list[Revision]
    items: dict[tuple[str, str], Item]
    closed: set[tuple[str, str]]
    keys: dict[str, int]


class _Memory:
    """One transaction at a time; an error inside one undoes its writes."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._heads: dict[str, Head] = {}
        self._sessions: dict[str, _Session] = {}

    @contextmanager
    def writing(self) -> Iterator[_MemoryRows]:
        with self._lock:
            rows = _MemoryRows(self._heads, self._sessions)
            try:
                yield rows
            except BaseException:
                rows.undo()
                raise

    reading = writing

    def close(self) -> None:
        pass


class _MemoryRows:
    def __init__(self, heads: dict[str, Head], sessions: dict[str, _Session]) -> None:
        self._heads, self._sessions = heads, sessions
        self._done: list[Callable[[], object]] = []

    def undo(self) -> None:
        for step in reversed(self._done):
            step()

    def head(self, session_id: str) -> Head | None:
        return self._heads.get(session_id)

    def swap(self, head: Head, expected_version: int) -> bool:
        stored = self._heads.get(head.session_id)
        if (stored.version if stored else 0) != expected_version:
            return False
        self._set(self._heads, head.session_id, head)
        if head.session_id not in self._sessions:
            self._set(self._sessions, head.session_id, _Session([], {}, set(), {}))
        return True

    def items(self, session_id: str) -> list[Item]:
        return list(self._sessions[session_id].items.values())

    def put(self, session_id: str, items: Iterable[Item]) -> None:
        for item in items:
            self._set(self._sessions[session_id].items, (item.kind, item.identity), item)

    def close_items(self, session_id: str, names: Iterable[tuple[str, str]]) -> None:
        session = self._sessions[session_id]
        for name in names:
            self._drop(session.items, name)
            if name not in session.closed:
                session.closed.add(name)
                self._done.append(lambda name=name: session.closed.discard(name))  # type: ignore[misc]

    def known(self, session_id: str, kind: str, identities: Iterable[str]) -> set[str]:
        session = self._sessions.get(session_id) or _Session([], {}, set(), {})
        return {name for name in identities if (kind, name) in session.items or (kind, name) in session.closed}

    def holding(self, tenant: str, kind: str) -> list[str]:
        of = [name for name, head in self._heads.items() if head.tenant == tenant]
        return sorted(name for name in of if any(held == kind for held, _ in self._sessions[name].items))

    def append(self, session_id: str, revisions: Iterable[Revision]) -> None:
        session = self._sessions[session_id]
        for line in revisions:
            session.log.append(line)
            self._done.append(session.log.pop)
            if line.key is not None:
                self._set(session.keys, line.key, line.version)

    def revisions(self, session_id: str, after: int = 0) -> list[Revision]:
        return self._sessions[session_id].log[max(0, after) :]

    def revision_of(self, session_id: str, key: str) -> Revision | None:
        session = self._sessions[session_id]
        version = session.keys.get(key)
        return None if version is None else session.log[version - 1]

    def remains(self, session_id: str) -> bool:
        return session_id in self._sessions

    def forget(self, session_id: str) -> None:
        self._drop(self._heads, session_id)
        self._drop(self._sessions, session_id)

    def _set(self, rows: dict[Any, Any], name: Any, value: Any) -> None:
        before = rows.get(name)
        rows[name] = value
        self._done.append(lambda: rows.pop(name, None) if before is None else rows.__setitem__(name, before))

    def _drop(self, rows: dict[Any, Any], name: Any) -> None:
        before = rows.pop(name, None)
        if before is not None:
            self._done.append(lambda: rows.__setitem__(name, before))
