"""What databases say when they fail, as errors that name the remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..errors import CorruptStoreError, StoreUnavailableError

# SQLite's words; its extended codes reach Python from 3.11 on only.
_REMEDIES = (
    ("locked", "another process holds the write lock; try again, or end the process that holds it"),
    ("busy", "another process holds the write lock; try again, or end the process that holds it"),
    ("readonly", "it cannot be written; give write permission on the file, on its -wal and -shm, and on the folder"),
    ("disk is full", "the disk is full; free some space and submit the turn again"),
    ("disk i/o error", "the disk is full or fails; free some space or repair it, and submit the turn again"),
    ("unable to open", "it cannot be opened; make the folder, and give read and write permission on it"),
)
_DAMAGE = ("malformed", "not a database", "corrupt", "no such table", "no such column", "already exists",
           "too big", "unsupported file format", "constraint failed", "no such index", "schema")  # fmt: skip


@contextmanager
def named(place: str, *, sqlite: bool) -> Iterator[None]:
    """Turn the driver's errors into ours; `place` is what messages call the database (without a password)."""
    try:
        yield
    except PoolTimeout:
        raise StoreUnavailableError(
            f"{place}: all connections are in use; use fewer threads, or a larger pool"
        ) from None
    except DBAPIError as error:
        raise _ours(place, error.orig, sqlite) from None
    except sqlite3.Error as error:  # while a new connection was made ready
        raise _ours(place, error, sqlite) from None
    except UnicodeDecodeError:  # SQLite's own message quotes what it found in a damaged schema
        raise CorruptStoreError(f"{place}: damaged or no session store; restore it from a copy") from None
    except SQLAlchemyError as error:  # a row that SQLAlchemy itself cannot read
        raise CorruptStoreError(f"{place}: cannot be read ({type(error).__name__}); restore it from a copy") from None


def _ours(place: str, error: BaseException | None, sqlite: bool) -> CorruptStoreError | StoreUnavailableError:
    said = str(error).strip().split("\n")[0].split(" with text")[0]  # what follows is the text of a user
    if sqlite:
        low = said.lower()
        if "decode" in low:
            low = "malformed"
        for words, remedy in _REMEDIES:
            if words in low:
                return StoreUnavailableError(f"{place}: {remedy} (SQLite: {said}); committed turns are kept")
        if any(words in low for words in _DAMAGE) or not isinstance(error, sqlite3.OperationalError):
            return CorruptStoreError(
                f"{place}: the file is damaged or no session store (SQLite: {said}); restore it from a copy"
            )
        return StoreUnavailableError(f"{place}: SQLite: {said}; committed turns are kept")
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith(("XX", "42", "22", "23")):
        return CorruptStoreError(f"{place}: the database is damaged or no session store (PostgreSQL: {said})")
    remedy = {
        "53": "the server has no room; free some space and submit the turn again",
        "25": "the server takes no writes now; connect to the primary, or allow writes",
        "28": "the server refuses the user; correct user and password of the URL",
        "40": "another writer was first; submit the turn again",
        "55": "another writer holds a lock; submit the turn again",
    }.get(state[:2], "the server cannot be reached; start it or correct the URL, and submit the turn again")
    return StoreUnavailableError(f"{place}: {remedy} (PostgreSQL: {said}); committed turns are kept")
