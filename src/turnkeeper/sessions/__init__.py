"""Where sessions live between turns: registry, ledger, exclusions, turns and review items, committed as one.

`open_store` takes a file or a URL. SQLAlchemy is imported with the first `SqlStore`, and not before.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SetupError
from .memory import MemoryStore
from .state import Committed, QueuedReview, ReviewItem, SessionExport, SessionState, StoredRevision, TurnRecord
from .store import RECENT_TURNS, SessionStore

if TYPE_CHECKING:
    from .sql import SqlStore

__all__ = [
    "RECENT_TURNS",
    "Committed",
    "MemoryStore",
    "QueuedReview",
    "ReviewItem",
    "SessionExport",
    "SessionState",
    "SessionStore",
    "SqlStore",
    "StoredRevision",
    "TurnRecord",
    "open_store",
]


def open_store(where: str | Path, *, create: bool = True) -> SessionStore:
    """Open the sessions of a file (`sessions.db`, `sqlite:///FILE`) or of a PostgreSQL database (`postgresql://...`).

    See `SqlStore` for what is raised.
    """
    store: type[SqlStore] = __getattr__("SqlStore")
    return store(where, create=create)


def __getattr__(name: str) -> Any:
    if name != "SqlStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return import_module(".sql", __name__).SqlStore
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("turnkeeper"):
            raise
        raise SetupError(f"{error.name} is missing; pip install 'turnkeeper[sessions]'") from None
