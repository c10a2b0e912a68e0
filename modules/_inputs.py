"""What the application passes to a behaviour: validated, scrubbed, or refused with an error that names the field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import InputError
from ..signatures.types import AccessScope, Exclusion, MetadataFilter, Turn
from ._guard import Scrub

MAX_INPUT = 64_000_000
"""Characters of query and history together that are accepted at all."""

_HALF = re.compile("[\ud800-\udfff]")
HISTORY = TypeAdapter(list[Turn])
FILTERS = TypeAdapter(list[MetadataFilter])
EXCLUSIONS = TypeAdapter(list[Exclusion])
SCOPE = TypeAdapter(AccessScope)


def require_fields(behaviour: str, inputs: Mapping[str, Any], known: Mapping[str, str]) -> None:
    """Raise `InputError` when a field is unknown or the query is no text.

    Args:
        behaviour: Its stem, for the message.
        inputs: What the application passed.
        known: Field to what it takes, in the order of the message.
    """
    if set(inputs) - set(known) or not isinstance(inputs.get("query"), str):
        told = ", ".join(name + (f" ({kind})" if kind else "") for name, kind in known.items())
        raise InputError(f"{behaviour} takes {told}; got {sorted(inputs)}")


def validated_list(behaviour: str, field: str, kind: TypeAdapter[Any], inputs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a field that holds a list, as its type; a field left out, or None, is an empty one."""
    given = inputs.get(field)
    try:
        return tuple(kind.validate_python([] if given is None else list(given)))
    except ValidationError as error:
        raise _refused(behaviour, field, error) from None
    except Exception as error:  # a foreign iterable may raise anything
        raise InputError(f"{behaviour}: field `{field}` cannot be read: {type(error).__name__}") from None


def validated(behaviour: str, field: str, kind: TypeAdapter[Any], inputs: Mapping[str, Any]) -> Any:
    """Return a field as its type, or None when it was left out. The `InputError` never quotes the input."""
    given = inputs.get(field)
    if given is None:
        return None
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        raise _refused(behaviour, field, error) from None
    except Exception as error:  # as above
        raise InputError(f"{behaviour}: field `{field}` cannot be read: {type(error).__name__}") from None


def require_size(behaviour: str, query: str, history: tuple[Turn, ...]) -> None:
    """Raise `InputError` above `MAX_INPUT` characters."""
    size = len(query) + sum(len(turn.content) for turn in history)
    if size > MAX_INPUT:
        raise InputError(f"{behaviour}: query and history have {size} characters; at most {MAX_INPUT} are accepted")


def require_encodable(behaviour: str, field: str, texts: Iterable[str]) -> None:
    """Raise `InputError` for half of a surrogate pair: no file, message or result could hold it."""
    if any(not text.isascii() and _HALF.search(text) for text in texts):
        raise InputError(f"{behaviour}: field `{field}` holds half of a surrogate pair, which no message can hold")


def scrubbed(behaviour: str, history: tuple[Turn, ...], scrub: Scrub | None) -> tuple[Turn, ...]:
    """Return the history through the application's hook."""
    if scrub is None:
        return history
    return tuple(Turn(role=turn.role, content=_clean(behaviour, turn.content, scrub)) for turn in history)


def _clean(behaviour: str, text: str, scrub: Scrub) -> str:
    clean = scrub(text)
    if not isinstance(clean, str):
        raise InputError(f"{behaviour}: scrub must return a text, not {type(clean).__name__}")
    return clean


def _refused(behaviour: str, field: str, error: ValidationError) -> InputError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join([field, *map(str, first["loc"])])[:200]
    return InputError(f"{behaviour}: field `{place}`: {first['msg']}")
