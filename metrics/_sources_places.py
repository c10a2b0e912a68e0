"""Where the Sources sections of an answer stand: found line by line, whatever ids they list."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = (
    r"(?:sources?|references?|citations?|bibliography|quellen|quellenangaben|belege|fuentes|fonti|r\u00e9f\u00e9rences"
    r"|referencias|bronnen|k\u00e4llor|kilder|\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a\u0438|\u51fa\u5178|\u6765\u6e90"
    r"|\u53c2\u8003\u6587\u732e)"
)
_HEADING = re.compile(
    rf"[ ]{{0,3}}(?:#{{1,6}}\s+|[*_]{{1,3}}|(?={_NAME}\s?[:\uff1a]))(?:{_NAME})(?:\s(?:used|cited))?"
    rf"[*_]{{0,3}}\s?[:\uff1a]?[*_]{{0,3}}[ \t]*$"
    rf"|[ ]{{0,3}}{_NAME}[ \t]*$",
    re.IGNORECASE,
)
_INLINE = re.compile(r"[ ]{0,3}[*_]{0,3}(?:Sources?|References)[*_]{0,3}[:\uff1a][*_]{0,3}[ \t]*(?=\S)")
_ENTRY = re.compile(
    r"[ \t]{0,8}(?:[-*+\u2022\u2013]|\d{1,3}[.)])[ \t]+\S|[ ]{2,}\S|[ \t]{0,3}\[[^\[\]\n]{1,300}\]:?[ \t]*[^\s.]"
)
EXACT = "Sources:"


class Place(NamedTuple):
    """A section.

    Attributes:
        start: Of its heading (characters).
        end: After its last entry, blank lines left out.
        exact: Whether the heading is exactly "Sources:" on a line of its own.
        lines: Start and end of each entry's line.
    """

    start: int
    end: int
    exact: bool
    lines: tuple[tuple[int, int], ...]


def section_places(prose: str) -> list[Place]:
    """Return the Sources sections of a text whose code is blanked out."""
    found, at = list[Place](), 0
    heading: tuple[int, int, bool] | None = None
    lines = list[tuple[int, int]]()
    for line in prose.split("\n"):
        start, at = at, at + len(line) + 1
        end = start + len(line)
        inline = None if len(line) > 2_000 else _INLINE.match(line)
        if (len(line) < 60 and _HEADING.match(line)) or inline:
            if heading is not None:
                found.append(_place(heading, lines))
            heading, lines = (start, end, line.rstrip() == EXACT), []
            if inline and inline.end() < len(line.rstrip()):
                lines.append((start + inline.end(), end))
        elif heading is not None and line.strip():
            if _ENTRY.match(line):
                lines.append((start, end))
            else:
                found.append(_place(heading, lines))
                heading, lines = None, []
    if heading is not None:
        found.append(_place(heading, lines))
    return found


def _place(heading: tuple[int, int, bool], lines: list[tuple[int, int]]) -> Place:
    return Place(heading[0], lines[-1][1] if lines else heading[1], heading[2], tuple(lines))


def without_sections(prose: str, places: list[Place]) -> str:
    """Return the text with the sections blanked out, characters in their places."""
    pieces, at = list[str](), 0
    for place in places:
        blank = "".join("\n" if c == "\n" else " " for c in prose[place.start : place.end])
        pieces += [prose[at : place.start], blank]
        at = place.end
    return "".join((*pieces, prose[at:]))
