"""What the assistant has just shown, for "not that one" and "something other than those"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Turn
from ._negation_text import Message, closes, in_class, read

_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+([^\n:\u2014(]{2,80})", re.MULTILINE)
_MOST = 10
_READ = 4000  # characters of the assistant's message
_QUOTES = " \"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e`*_.,;"


def shown_by(before: Sequence[Turn]) -> tuple[str, ...]:
    """Return what the newest message of the assistant offers: its list items, its quoted titles, else its names."""
    text = next((t.content[:_READ] for t in reversed(before) if t.role == "assistant"), "")
    if items := [m.group(1).strip(_QUOTES) for m in _ITEM.finditer(text)]:
        return _each(items)
    m = read(text)
    return _each(_quoted(m) or _names(m))


def _each(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST]


def _quoted(m: Message) -> list[str]:
    places: dict[int, list[int]] = {}
    for i, word in enumerate(m.words):
        if word.quote:
            places.setdefault(word.quote, []).append(i)
    return [m.text[m.words[p[0]].start : m.words[p[-1]].end] for p in places.values()]


def _names(m: Message) -> list[str]:
    """Return the names, with the noun behind one that has an article ("the Fjell floor lamp")."""
    found = []
    i = 0
    while i < len(m.words):
        if not m.words[i].text[:1].isupper() or m.low(i) == "i" or (m.opens(i) and not _capital(m, i + 1)):
            i += 1
            continue
        start = i + (m.low(i) in ("the", "a", "an"))
        i += 1
        while _capital(m, i) and not closes(m.gap(i), m.low(i - 1)):
            i += 1
        while m.low(start - 1) in ("the", "a", "an") and _goes_on(m, i):
            i += 1
        found.append(m.text[m.words[start].start : m.words[i - 1].end])
    return found


def _capital(m: Message, i: int) -> bool:
    return i < len(m.words) and (m.words[i].text[:1].isupper() or m.words[i].text[:1].isdigit())


def _goes_on(m: Message, i: int) -> bool:
    low = m.low(i)
    if not low or closes(m.gap(i)) or low in ("and", "or"):
        return False
    return not in_class(low, "stop", "preposition", "skip", "link", "adverb") and not low.endswith("s")
