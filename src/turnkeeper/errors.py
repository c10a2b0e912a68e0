"""Errors that turnkeeper raises; everything else that leaves it is a bug."""

from __future__ import annotations


class TurnkeeperError(Exception):
    """Base of all errors raised on purpose. The message names the value, the place and what is allowed."""


class InputError(TurnkeeperError):
    """Input of the caller that cannot be used: a row, an option, a file (exit code 2)."""


class RowError(InputError):
    """A row of a JSONL file that cannot be used; knows the file, the line (from 1) and the field."""

    def __init__(self, message: str, *, file: str, line: int, field: str | None = None) -> None:
        place = f"{file}:{line}" + (f": field `{field}`" if field else "")
        super().__init__(f"{place}: {message}")
        self.file = file
        self.line = line
        self.field = field


class SetupError(TurnkeeperError):
    """Something must be installed, set or started first; the message says what (exit code 2)."""


class IntegrityError(TurnkeeperError):
    """Bytes that are not what they claim to be: weights or artifacts with another digest."""


class RetrievalError(TurnkeeperError):
    """A search that failed: the turn counts as `retrieval_failed`, and no state changes.

    Knows the class of what a retriever raised, or "".
    """

    def __init__(self, message: str, *, raised: str = "") -> None:
        super().__init__(message)
        self.raised = raised


class MalformedIdError(InputError):
    """A session id, tenant or idempotency key that is not one; the message says what one looks like."""


class UnknownSessionError(InputError):
    """No session has this id, as far as this tenant may know."""


class WrongTenantError(UnknownSessionError):
    """The session is another tenant's. To the outside it should look as an unknown one, hence the base class."""


class InvalidStateError(InputError):
    """A session state that may not follow the stored one: it drops, renames or rewords what is kept for ever."""


class VersionConflictError(TurnkeeperError):
    """Another writer has committed first: load the session again, and do the turn over."""

    code = "version_conflict"


class StoreUnavailableError(SetupError):
    """The session store cannot be read or written now (locked, full, read-only, away); the message names the remedy."""


class CorruptStoreError(IntegrityError):
    """The file of a session store is damaged, or is something else."""


class CorruptSessionError(CorruptStoreError):
    """A session that is not what was committed; knows the session and the turn (0: the session itself)."""

    def __init__(self, message: str, *, session_id: str = "", turn: int = 0) -> None:
        super().__init__(message)
        self.session_id = session_id
        self.turn = turn
