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
    """A search that failed: the turn counts as `retrieval_failed`, and no state changes."""
