"""What a citation marker is, and how each convention writes it."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ..signatures.types import Convention

DRIFT = "convention_drift"
MALFORMED = "malformed_marker"
PARTIAL = "partial_marker"


class Marker(NamedTuple):
    """A citation, or an attempt at one.

    Attributes:
        start: Place in the NFC text (characters).
        end: After the last character.
        text: As written.
        ids: What it cites, known or not, as `cited_ids` lists it; empty where only the attempt is clear.
        codes: `convention_drift`, `malformed_marker`, `partial_marker`; none for a marker that is right.
        why: What is wrong with it, in words that follow "the marker ... "; empty when nothing is.
    """

    start: int
    end: int
    text: str
    ids: tuple[str, ...]
    codes: tuple[str, ...] = ()
    why: str = ""


def written(doc_id: str, convention: Convention | None) -> str:
    """Return the marker of a document: `[Source: ID]` in `source_tag` and before the first citation, else `[ID]`."""
    return f"[Source: {doc_id}]" if convention in (None, "source_tag") else f"[{doc_id}]"


def learnt(text: str, known: frozenset[str]) -> Convention:
    """Return the convention of the first citation in a text; `source_tag` when there is none."""
    for match in _FIRST.finditer(text):
        content = match[1]
        if content.startswith("Source: "):
            return "source_tag"
        if content.startswith("^"):
            return "footnote"
        if content.startswith(("http://", "https://")):
            return "url"
        if content.isdecimal() and (content in known or len(content) < 4) and not _named_by_words(known):
            return "numeric"
        if content in known:
            return "bare_id"
    return "source_tag"


def _named_by_words(known: frozenset[str]) -> bool:
    return bool(known) and not any(doc_id.isdecimal() for doc_id in known)


_FIRST = re.compile(r"\[([^\[\]\n]{1,300})\](?!\()")


def folded_digits(text: str) -> str:
    """Return a text with the decimal digits of every script as ASCII; characters keep their places."""
    if text.isascii():
        return text
    return "".join(c if c.isascii() or not c.isdecimal() else str(unicodedata.decimal(c)) for c in text)
