"""The sentences of an answer with their markers, and which of them claim something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ._cite_layout import Block, Layout
from ._claim_words import is_claim
from ._marker_types import Marker

_HOLE = "\ufffc"  # stands for a marker's characters
_STOP = re.compile(
    rf"(?:[.!?\u2026\u061f][\"')\]\u201d\u2019\u00bb*_]{{0,4}}(?=[\s{_HOLE}]|$)"
    rf"|[\u3002\uff01\uff1f][\"')\u300d\u201d]{{0,3}})(?:[ \t]{{0,3}}{_HOLE}+[.,;]?)*"
)
_NO_STOP = re.compile(
    r"(?:\b(?:[A-Za-z]|e\.g|i\.e|z\.B|d\.h|u\.a|[Mm]rs?|[Dd]rs?|[Ss]t|[Nn]os?|[Nn]r|[Vv]ol|[Pp]{1,2}|[Pp]rof|[Ff]igs?|[Aa]rt|[Ss]ec"
    r"|[Cc]h|vs|approx|ca|cf|etc|[Ii]nc|[Ll]td|[Cc]o|[Cc]orp|[Bb]zw|[Ss]tr|[Aa]bs)|(?<![^\s]{1})\d{1,3})\.$"
)
_LIST_MARK = re.compile(r"[ \t>]*(?:(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)]|[a-z]\))[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_LINE_END = re.compile(rf"[{_HOLE}.!?:;\u3002\uff01\uff1f\uff1a][\"')*_ \t]{{0,6}}$|[ ]{{2,}}$")


class Segment(NamedTuple):
    """The text up to its markers, and what they cite; `ids` is empty for the end of a sentence without one."""

    text: str
    ids: tuple[str, ...]


class Sentence(NamedTuple):
    """A sentence.

    Attributes:
        text: Without markers and list marks.
        start: Place of its first character.
        end: Place after its last.
        segments: Its parts, each with what it cites.
        markers: Its markers in order.
        claims: Whether it states a fact: no question, greeting, heading, list lead-in or offer.
        kind: Of its block.
    """

    text: str
    start: int
    end: int
    segments: tuple[Segment, ...]
    markers: tuple[Marker, ...]
    claims: bool
    kind: str


def sentences(text: Layout, prose: str, markers: Sequence[Marker]) -> list[Sentence]:
    """Return the sentences of an answer in order.

    Args:
        text: The answer.
        prose: Its text with code and Sources sections blanked out.
        markers: Its markers, in order.
    """
    holes, at = list[str](), 0
    for marker in markers:
        holes += [prose[at : marker.start], _HOLE * (marker.end - marker.start)]
        at = marker.end
    holed = "".join((*holes, prose[at:]))
    found, next_marker, covered = list[Sentence](), 0, False
    for block in text.blocks:
        for start, end in _pieces(holed, block):
            while next_marker < len(markers) and markers[next_marker].end <= start:
                next_marker += 1
            last = next_marker
            while last < len(markers) and markers[last].start < end:
                last += 1
            inner = markers[next_marker:last]
            if not holed[start:end].strip():
                continue
            sentence = _sentence(holed, start, end, tuple(inner), block.kind)
            # A lead-in that cites speaks for the items and the table that it introduces.
            if covered and not inner and sentence.kind in ("item", "table"):
                sentence = sentence._replace(claims=False)
            elif block.kind in ("text", "heading") or inner:
                covered = bool(inner) and (
                    holed[start:end].rstrip(_HOLE + " \n.").endswith(":") or block.kind == "table"
                )
            found.append(sentence)
            next_marker = last
    return found


def _pieces(holed: str, block: Block) -> list[tuple[int, int]]:
    text, found, at = holed[block.start : block.end], list[tuple[int, int]](), 0
    if block.kind == "table":
        lines = [m.span() for m in re.finditer(r"[^\n]+", text)]
        return [(block.start + a, block.start + b) for a, b in lines[2:]]
    if block.kind == "heading":
        return [(block.start, block.end)]
    stops = [m.end() for m in _STOP.finditer(text) if not _abbreviates(text, m.start())]
    stops += [m.start() for m in re.finditer("\n", text) if _LINE_END.search(text[max(0, m.start() - 12) : m.start()])]
    for stop in sorted({*stops, len(text)}):
        piece = text[at:stop]
        if found and not any(c.isalnum() for c in piece):
            found[-1] = (found[-1][0], block.start + stop)  # a marker behind the full stop belongs to what it ends
        elif piece.strip():
            found.append((block.start + at, block.start + stop))
        at = stop
    return found


def _abbreviates(text: str, stop: int) -> bool:
    """Whether a full stop ends an abbreviation, an initial or the mark of a list."""
    if text[stop] != ".":
        return False
    near = max(0, stop - 16)  # farther back no abbreviation reaches, and time stays linear
    word = text[max(text.rfind(" ", near, stop), text.rfind("\n", near, stop), stop - 12) + 1 : stop + 1]
    if word[:-1].isdigit():
        line = text[max(text.rfind("\n", near, stop) + 1, near) : stop]
        return not line.strip("0123456789 \t>")
    if _NO_STOP.search(word.lstrip("(\"'")) is None:
        return False
    after = text[stop + 1 : stop + 8].lstrip()
    single = len(word) == 2
    return bool(after) and (
        single or after[0].islower() or after[0].isdigit() or word.rstrip(".") not in ("etc", "Inc", "Ltd", "Co")
    )


def _sentence(holed: str, start: int, end: int, markers: tuple[Marker, ...], kind: str) -> Sentence:
    mark = _LIST_MARK.match(holed, start, end)
    at = mark.end() if mark else start
    segments, waiting = list[Segment](), list[str]()
    for n, marker in enumerate(markers):
        between = holed[at : marker.start]
        if any(c.isalnum() for c in between):
            if waiting and segments:
                segments[-1] = segments[-1]._replace(ids=tuple(dict.fromkeys((*segments[-1].ids, *waiting))))
                waiting = []
            segments.append(Segment(between.strip(" \t\n>"), ()))
        waiting += marker.ids
        at = marker.end
        if n + 1 == len(markers) and segments:
            segments[-1] = segments[-1]._replace(ids=tuple(dict.fromkeys((*segments[-1].ids, *waiting))))
            waiting = []
    rest = holed[at:end].strip(" \t\n>")
    if any(c.isalnum() for c in rest):
        segments.append(Segment(rest, tuple(waiting)))  # a marker in front of its sentence speaks for it
    text = " ".join(segment.text for segment in segments)
    return Sentence(text, start, end, tuple(segments), markers, kind != "heading" and is_claim(text), kind)
