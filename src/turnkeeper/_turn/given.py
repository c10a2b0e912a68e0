"""What the application gives with a turn, validated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import InputError
from ..retrieval import Retriever
from ..signatures.types import AccessScope, MetadataFilter
from .asked import Asked, passages_of
from .search import SEARCH
from .storable import SURROGATE

MAX_QUERY = 100_000
"""Characters of a user's turn that are accepted."""
_SCOPE = TypeAdapter(AccessScope)
_FILTERS = TypeAdapter(list[MetadataFilter])


def asked_of(
    session_id: str,
    query: str,
    scope: Any,
    key: str | None,
    tenant: str,
    passages: Any,
    reply: str | None,
    filters: Sequence[Any],
) -> Asked:
    """Return a turn as it is taken. Raises `InputError` that names the argument."""
    if not isinstance(query, str):
        raise InputError(f"query must be a text, not {type(query).__name__}")
    if len(query) > MAX_QUERY:
        raise InputError(f"query has {len(query)} characters; at most {MAX_QUERY} are accepted")
    if not query.strip():
        raise InputError("query is empty")
    if reply is not None and not isinstance(reply, str):
        raise InputError(f"given_answer must be a text, not {type(reply).__name__}")
    for name, text in (("query", query), ("given_answer", reply or "")):
        if (half := SURROGATE.search(text)) is not None:  # half of an emoji that was cut: no store can hold it
            raise InputError(f"{name}: character {half.start()} is half of a surrogate pair (U+{ord(half[0]):04X})")
    given = passages is SEARCH or passages is None or isinstance(passages, Retriever)
    found = passages if given else passages_of(passages)
    return Asked(
        session_id=session_id,
        query=query,
        scope=_validated("scope", _SCOPE, scope),
        tenant=tenant,
        key=key,
        passages=found,
        reply=reply,
        filters=tuple(_validated("metadata_filters", _FILTERS, list(filters)) or ()),
    )


def _validated(name: str, kind: TypeAdapter[Any], given: Any) -> Any:
    if given is None:
        return None
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise InputError(f"{'.'.join([name, *map(str, first['loc'])])}: {first['msg']}") from None
