"""The entries of a Sources section: "- ID: Title", known ids first, since an id may hold a colon."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ._sources_places import Place

_BULLET = re.compile(r"- ")
_LOOSE_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022\u2013]|\d{1,3}[.)])?[ \t]*[*_]{0,2}")
_SPLIT = re.compile(r"\s?:(?:\s|$)")
_LOOSE_SPLIT = re.compile(r"[*_]{0,2}\s?(?::|\u2013|\u2014| - |$)[*_ ]{0,3}")
_NOTE = " \u2014 "
_WRAPPED = re.compile(r"\[(?:Source:\s?)?([^\[\]\n]{1,300})\]|`([^`\n]{1,300})`")
_LONGEST = 2_000


class Entry(NamedTuple):
    """A line of the section.

    Attributes:
        doc_id: What it lists.
        title: What stands behind the colon, a note included.
        line: As written.
        exact: Whether it has the form "- ID: Title".
    """

    doc_id: str
    title: str
    line: str
    exact: bool


def entries(text: str, places: Sequence[Place], ids: Collection[str]) -> list[list[Entry]]:
    """Return the entries of each section.

    Args:
        text: The answer.
        places: Where its sections stand.
        ids: Ids that are known or cited.
    """
    by_length = sorted(ids, key=len, reverse=True)
    lengths = list(dict.fromkeys(map(len, by_length)))
    known = frozenset(ids)
    return [[_entry(text[a:b].rstrip()[:_LONGEST], known, lengths) for a, b in place.lines] for place in places]


def _entry(line: str, known: frozenset[str], lengths: Sequence[int]) -> Entry:
    bullet = _BULLET.match(line)
    if bullet is not None:
        at = bullet.end()
        for length in lengths:
            doc_id = line[at : at + length]
            if doc_id in known and (line[at + length :].startswith((": ", ":")) or not line[at + length :].strip()):
                return Entry(doc_id, line[at + length + 1 :].strip(), line, True)
        if line[at : at + 1] not in ("[", "`", "*", "(") and (split := _SPLIT.search(line, at)):
            return Entry(line[at : split.start()].strip(), line[split.end() :].strip(), line, True)
    return _loose(line, known, lengths)


def _loose(line: str, known: frozenset[str], lengths: Sequence[int]) -> Entry:
    """Read what the line lists although it is written otherwise: "[1] Title", "1. Title", "* ID - Title"."""
    bullet = _LOOSE_BULLET.match(line)
    at = bullet.end() if bullet else 0
    wrapped = _WRAPPED.match(line, at)
    if wrapped is not None:
        rest = line[wrapped.end() :].lstrip(" :-\u2013\u2014*_")
        return Entry((wrapped[1] or wrapped[2]).strip(), rest, line, False)
    for length in lengths:
        doc_id = line[at : at + length]
        if doc_id in known and (split := _LOOSE_SPLIT.match(line, at + length)):
            return Entry(doc_id, line[split.end() :].strip(), line, False)
    split = _SPLIT.search(line, at)
    if split is not None:
        return Entry(line[at : split.start()].strip(), line[split.end() :].strip(), line, False)
    return Entry(line[at:].strip(), "", line, False)


def title_agrees(written: str, title: str) -> bool:
    """Whether what an entry says is the title; a note may follow it, and no title is none to differ from."""
    if not title.strip():
        return True
    shown, wanted = " ".join(written.split()), " ".join(title.split())
    return shown == wanted or shown.startswith(wanted + _NOTE)
