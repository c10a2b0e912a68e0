"""Markers without their beginning or their end: cut off where the answer stops, or never opened."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Convention
from ._marker_patterns import CLOSERS
from ._marker_types import MALFORMED, PARTIAL, Marker

_CUT = {
    "source_tag": re.compile(r"\[(?:S(?:o(?:u(?:r(?:c(?:e(?::.*)?)?)?)?)?)?)?$", re.DOTALL),
    "numeric": re.compile(r"\[[\d\s,;\uff0c\u2013-]*$"),
    "bare_id": re.compile(r"\[\S{0,200}$"),
    "url": re.compile(r"\[(?:h(?:t(?:t(?:p(?:s?(?::\S*)?)?)?)?)?)?$"),
    "footnote": re.compile(r"\[(?:\^\S*)?$"),
}
_LAST = 2_000  # characters at the end in which a marker may have been cut off
_UNOPENED = re.compile(r"(?<![\w\[(])Source:[ ]?([^\[\]()\n]{1,300})\]")

_UNFINISHED = re.compile(r"\[(?:[^\[\]\s]{0,200})(?=\s?\[)")


def unfinished(prose: str) -> list[Marker]:
    """Return opening brackets that run into the next one without being closed: "[doc_al [doc_alpha]"."""
    if "[" not in prose:
        return []
    why = "is not closed before the next one"
    return [Marker(m.start(), m.end(), m.group(), (), (MALFORMED,), why) for m in _UNFINISHED.finditer(prose)]


def unopened(prose: str, convention: Convention) -> list[Marker]:
    """Return what closes a `[Source: ...]` that nothing has opened."""
    if convention != "source_tag" or "]" not in prose:
        return []
    why = "lacks its opening bracket"
    return [Marker(m.start(), m.end(), m.group(), (), (MALFORMED,), why) for m in _UNOPENED.finditer(prose)]


def cut_off(prose: str, found: Sequence[Marker], convention: Convention, known_ids: frozenset[str]) -> Marker | None:
    """Return the marker that the end of the answer cuts off, if one does: "[Source: KI", "[1, 2"."""
    end = len(prose.rstrip())
    start = max(prose.rfind("\n", 0, end) + 1, end - _LAST)
    taken = max((m.end for m in found if m.text[-1] in CLOSERS), default=0)
    for match in re.finditer(r"[\[(\u3010]", prose[start:end]):
        place = start + match.start()
        rest = prose[place:end]
        if place < taken or "]" in rest:
            continue
        known = len(rest) > 1 and any(i.startswith(rest[1:]) for i in known_ids)
        cut = match.group() == "[" and (known or _CUT[convention].match(rest))
        if cut or rest == "[" or rest.startswith(("(Source:", "\u3010Source:", "[Source:")):
            why = "is cut off at the end of the answer"
            return Marker(place, end, rest, (), (PARTIAL,), why)
    return None
