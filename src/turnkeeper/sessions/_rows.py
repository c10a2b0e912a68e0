"""The seam between what a session store does and where its rows are: one transaction over the rows of sessions."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from ._chain import Head, Revision
from ._items import Item


class Rows(Protocol):
    """Rows inside one transaction. What is read is of one moment; what is written is there at its end, or nothing is.

    Any method may raise `CorruptSessionError`, when a row has a shape that nobody wrote, and `StoreUnavailableError`.
    """

    def head(self, session_id: str) -> Head | None:
        """Return where a session stands; in a writing transaction nobody else can move it until the end."""
        ...

    def swap(self, head: Head, expected_version: int) -> bool:
        """Write a head over the one of that version (0: where there is none); False when there is no such one."""
        ...

    def items(self, session_id: str) -> list[Item]:
        """Return the rows of the current state."""
        ...

    def put(self, session_id: str, items: Iterable[Item]) -> None:
        """Write rows, new ones or over the ones with their kind and identity."""
        ...

    def close_items(self, session_id: str, names: Iterable[tuple[str, str]]) -> None:
        """Take rows (kind, identity) out of the state; they stay known."""
        ...

    def known(self, session_id: str, kind: str, identities: Iterable[str]) -> set[str]:
        """Return which of these identities a row has or had."""
        ...

    def holding(self, tenant: str, kind: str) -> list[str]:
        """Return the sessions of a tenant whose state holds rows of a kind, in order."""
        ...

    def append(self, session_id: str, revisions: Iterable[Revision]) -> None:
        """Add lines to the log."""
        ...

    def revisions(self, session_id: str, after: int = 0) -> list[Revision]:
        """Return the lines of the log with a version above `after`, oldest first."""
        ...

    def revision_of(self, session_id: str, key: str) -> Revision | None:
        """Return the line that was committed under an idempotency key."""
        ...

    def remains(self, session_id: str) -> bool:
        """Whether lines of the log name a session, whatever its head says."""
        ...

    def forget(self, session_id: str) -> None:
        """Delete all rows of a session."""
        ...


class Backend(Protocol):
    """Opens transactions; an error inside one undoes it."""

    def reading(self) -> AbstractContextManager[Rows]:
        """Open a transaction that only reads."""
        ...

    def writing(self) -> AbstractContextManager[Rows]:
        """Open a transaction that writes; when the block has ended without an error, all of it is durable."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...
