"""Asking a retriever that somebody else wrote: whatever it raises or returns, what comes out is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from .._secrets import mask_addresses
from ..errors import RetrievalError, TurnkeeperError
from ..signatures.types import Passage
from .request import MAX_K, SearchRequest

_LONGEST_MESSAGE = 300


def asked(search: Callable[[SearchRequest], Any], request: SearchRequest) -> tuple[Passage, ...]:
    """Return what a search function finds, as passages.

    Raises:
        RetrievalError: It raised, or returned something else. The message is masked as events are, and the original
            exception is not attached, since its arguments may hold a connection string.
    """
    try:
        found = search(request)
        rows = [] if found is None else list(found)
    except TurnkeeperError:
        raise
    except Exception as error:  # of the application or its client library: anything
        raised = type(error).__name__
        raise RetrievalError(f"the retriever raised {raised}: {_said(error)}", raised=raised) from None
    return tuple(_passage(row, number) for number, row in enumerate(rows[: 10 * MAX_K]))


def _passage(row: Any, number: int) -> Passage:
    if isinstance(row, Passage):
        return row
    if not isinstance(row, Mapping):
        raise RetrievalError(f"the retriever's result {number} is no passage but {type(row).__name__}")
    try:
        return Passage.model_validate(dict(row))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))[:200]
        raise RetrievalError(f"the retriever's result {number}: field `{place}`: {first['msg']}") from None


def _said(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # an exception that cannot even be shown
        return "(no message)"
    return mask_addresses(text[: 4 * _LONGEST_MESSAGE])[:_LONGEST_MESSAGE]
