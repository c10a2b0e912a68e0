"""Metadata as facts: terms that an engine compares byte by byte, whatever stands in a field's name or value.

`x` and hexadecimal digits are all that a fact holds, so nothing in it can be syntax, and facts of one field sort as
their values do: a range of values is a range of facts. Values compare within their type (the text "5" is not the number
5), except in a scope, which is text, and in a clause, which is the user's words.
"""

from __future__ import annotations

import hashlib
import struct
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any

from ..signatures.types import Passage

ID_FIELDS = ("doc_id", "doc_ids")
"""Names under which scopes and filters mean the passage's own id."""

_LONGEST = 200  # characters of a value that are compared; a longer one compares by these and its digest
_DEEPEST = 4
_TEXT, _NUMBER, _SHOWN, _SAID = "s", "n", "t", "w"


def facts_of(passage: Passage) -> frozenset[str]:
    """Return all that scopes, filters and clauses can ask of a passage's metadata."""
    found: set[str] = set()
    for field, value in _fields(passage):
        if isinstance(value, bool):
            found |= {_fact(_SHOWN, field, shown(value))}
        elif isinstance(value, (int, float)):
            found |= {_fact(_SHOWN, field, shown(value))}
            if (number := _sortable(value)) is not None:
                found.add(_fact(_NUMBER, field, number))
        else:
            found |= {_fact(_TEXT, field, value), _fact(_SAID, field, _loosely(value))}
    return frozenset(found)


def equal(field: str, value: str | int | float | bool) -> str | None:
    """Return the fact that a field holds a value of this type, or None for a number that nothing equals."""
    if isinstance(value, bool):
        return _fact(_SHOWN, field, shown(value))
    if isinstance(value, str):
        return _fact(_TEXT, field, value)
    number = _sortable(value)
    return None if number is None else _fact(_NUMBER, field, number)


def permitted(field: str, value: str) -> tuple[str, str]:
    """Return the facts that a field holds a value of a scope, which is text: the text, or what is shown as it."""
    return _fact(_TEXT, field, value), _fact(_SHOWN, field, value)


def said(field: str, phrase: str) -> tuple[str, str]:
    """Return the facts that a field holds what a user named, whatever its case."""
    return _fact(_SAID, field, _loosely(phrase)), _fact(_SHOWN, field, phrase.strip())


def ends(field: str, value: str | int | float) -> tuple[str, str]:
    """Return what stands below and above all facts of this type in a field."""
    head = _head(_TEXT if isinstance(value, str) else _NUMBER, field)
    return _hex(head), _hex(head[:-1] + ">")


def shown(value: str | int | float | bool) -> str:
    """Return a value as a scope writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fields(passage: Passage) -> Iterator[tuple[str, str | int | float | bool]]:
    for field in ID_FIELDS:
        yield field, passage.doc_id
    for field, value in passage.metadata.items():
        if field not in ID_FIELDS:
            yield from _scalars(field, value, 0)


def _scalars(field: str, value: Any, depth: int) -> Iterator[tuple[str, str | int | float | bool]]:
    """Yield the values of a field: of a list each, of an object each under its path; null is no value."""
    if isinstance(value, (str, int, float, bool)):
        yield field, value
    elif isinstance(value, date):
        yield field, value.isoformat()
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, inner in value.items():
            yield from _scalars(f"{field}.{name}", inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            yield from _scalars(field, inner, depth + 1)


def _fact(kind: str, field: str, value: str) -> str:
    return _hex(_head(kind, field) + _short(value))


def _head(kind: str, field: str) -> str:
    name = _short(field)
    return f"{kind}{len(name)}:{name}="  # with its length, so that no name can run into a value


def _hex(text: str) -> str:
    return "x" + text.encode("utf-8", "surrogatepass").hex()


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST] + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _loosely(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text[:10_000]).casefold().split())


def _sortable(value: int | float) -> str | None:
    """Return digits that sort as numbers do, exact for 64-bit integers; None for NaN and for larger integers."""
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return None
    near = float(value) + 0.0  # no negative zero
    if near != near:
        return None
    (bits,) = struct.unpack(">Q", struct.pack(">d", near))
    bits = bits ^ 0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else bits | 1 << 63
    rest = value - int(near) if isinstance(value, int) else 0  # what a float cannot hold of an integer
    return f"{bits:016x}{rest + 0x8000:04x}"
