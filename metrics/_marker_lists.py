"""What stands inside the brackets of a marker: ids, known ones first and longest first, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

CLOSERS = "]\uff3d\u3011\u3015\u3017)\uff09}>"
_SEPARATOR = re.compile(r"[ \t]*([,\uff0c;\uff1b\u3001])\s{0,3}")
_JOINER = re.compile(r"\s{1,3}(?:and|und|et|y|e|or|&|\+)\s{1,3}|[ ]?[&+|/][ ]?|[ ](?=\d{1,6}\s?[\],])", re.IGNORECASE)
_RANGE = re.compile(
    r"[ ]?(?:[\u2013\u2014\u2212~\u301c]|\.\.\.?|\u2026|-{1,2})[ ]?|[ ](?:to|bis|through)[ ]", re.IGNORECASE
)
_PLACE = (
    r"(?:pp?\.?|pages?|pages?\.|p[\u00e1a]gs?\.?|S\.|Seiten?|lines?|ll?\.|sections?|sect?\.?|\u00a7{1,2}|ch(?:ap(?:ter)?)?\.?"
    r"|fig(?:ure)?\.?|table|para(?:graph)?s?\.?|art(?:icle)?\.?|clause|vol\.?|note|#)\s{0,2}[\dIVXivx]"
)
_LOCATOR = re.compile(
    rf"\s{{0,2}}[\u2020\u2021][^\[\]\u3010\u3011\n]{{0,200}}|\s{{0,2}}[,;:(\uff0c]?\s{{0,2}}{_PLACE}[^\[\]\n]{{0,60}}?(?=\s?[{re.escape(CLOSERS)}])\)?"
    rf"|:\d{{1,6}}(?:[-\u2013:]\d{{1,6}})*(?:\u2020[^\[\]\u3010\u3011\n]{{0,200}})?|#[^\s\[\]]{{1,60}}",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(rf"[^\[\]\u3010\u3011\n;\uff1b]{{1,300}}?(?=\s{{0,3}}(?:[;\uff1b]|[{re.escape(CLOSERS)}]))")
_PLACED = re.compile(rf"\s{{0,2}}[,;:(\uff0c]?\s{{0,2}}{_PLACE}[^\[\]\n]{{0,60}}\)?", re.IGNORECASE)
_MOST_IN_RANGE = 100
_MOST_ITEMS = 200


class Items(NamedTuple):
    """The ids of one marker.

    Attributes:
        ids: In order, unknown ones too, every number of a range.
        unknown: Those that are no known id.
        faults: "range", "locator", "joiner", "label", "spaces", "unclosed", "closer": what a right marker has not.
        end: Place after the closing bracket, or after the last id when there is none.
    """

    ids: tuple[str, ...]
    unknown: tuple[str, ...]
    faults: tuple[str, ...]
    end: int


class KnownIds:
    """Known ids at a place of a text, longest first; a look-up costs one slice for each length there is."""

    def __init__(self, ids: Collection[str]) -> None:
        self.ids = frozenset(doc_id for doc_id in ids if doc_id)
        self._lengths = sorted({len(doc_id) for doc_id in self.ids}, reverse=True)

    def at(self, text: str, place: int) -> Iterator[str]:
        """Yield the known ids that stand at a place."""
        for length in self._lengths:
            if (piece := text[place : place + length]) in self.ids:
                yield piece


def read_items(text: str, place: int, known: KnownIds, closer: str, *, commas: bool, digits: bool) -> Items | None:
    """Read the ids from a place up to the closing bracket; None when this is no list of ids.

    Args:
        text: The text.
        place: Where the first id begins.
        known: The known ids.
        closer: The bracket that would close.
        commas: Whether a comma separates unknown ids too; else only where a known id follows.
        digits: Whether the ids are numbers, so that a hyphen makes a range.
    """
    ids, unknown, faults, at = list[str](), list[str](), list[str](), place
    if text[at : at + 1] in (" ", "\n"):
        faults.append("spaces")
        at += 1
    while len(ids) < _MOST_ITEMS:
        if ids and text.startswith("Source: ", at):
            faults.append("label")
            at += len("Source: ")
        found = next((i for i in known.at(text, at) if _ends(text, at + len(i))), None)
        if found is not None and not _goes_on(text, at + len(found)) and _unknown(text, at, known, commas):
            found = None  # a longer id, or other words, that begin as a known id does
        if found is None:
            piece = _unknown(text, at, known, commas)
            if piece is None:
                return Items(tuple(ids), tuple(unknown), (*faults, "unclosed"), at) if ids else None
            found, faulty, after = piece
            unknown.append(found)
            faults += faulty
        else:
            after = at + len(found)
        ids.append(found)
        if digits or found in known.ids:
            after = _range(text, after, found, ids, unknown, faults, known, digits)
        if found in known.ids and (locator := _LOCATOR.match(text, after)) and not _SEPARATED.match(text, after):
            faults.append("locator")
            after = locator.end()
        if (separator := _SEPARATOR.match(text, after)) is not None:
            at = separator.end()
            continue
        if (joiner := _JOINER.match(text, after)) is not None:
            faults.append("joiner")
            at = joiner.end()
            continue
        if (blank := _BLANK_INSIDE.match(text, after)) is not None:
            faults.append("spaces")
            after = blank.end()
        if text[after : after + 1] and text[after] in CLOSERS:
            if text[after] != closer:
                faults.append("closer")
            return Items(tuple(ids), tuple(unknown), tuple(dict.fromkeys(faults)), after + 1)
        piece = None if found in unknown else _unknown(text, at, known, commas)
        if piece is None:
            return Items(tuple(ids), tuple(unknown), tuple(dict.fromkeys((*faults, "unclosed"))), after)
        return _with_longer(Items(tuple(ids), tuple(unknown), tuple(faults), after), found, piece, text, closer)
    return None


def _with_longer(items: Items, found: str, piece: tuple[str, list[str], int], text: str, closer: str) -> Items:
    """Take the last id for the unknown one that goes on beyond it: "ID:0-3" where "ID:0" is known."""
    longer, faults, end = piece
    before = items.ids[: len(items.ids) - 1 - items.ids[::-1].index(found)]
    closed = text[end : end + 1] == closer
    kept = (*items.faults, *faults, *(() if closed else ("unclosed",)))
    return Items((*before, longer), (*items.unknown, longer), tuple(dict.fromkeys(kept)), end + closed)


_BLANK_INSIDE = re.compile(rf"\s{{1,3}}(?=[{re.escape(CLOSERS)}])")
_SEPARATED = re.compile(r"\s{0,2}[,\uff0c;]\s{0,2}#?\d+\s{0,2}[\],\uff0c;]")
_END = re.compile(
    rf"\s{{0,3}}[{re.escape(CLOSERS)},\uff0c;\uff1b\u3001]|\s{{1,3}}|[\u2013\u2014\u2212~\u2026|&+\u2020\u2021#]|\.\.|-\d|:\d|[.!?](?:\s|$)|[\u3002\uff01\uff1f]|$"
)


def _ends(text: str, place: int) -> bool:
    """Whether an id may end here: before a bracket, a separator, a locator or a range, and in no longer word."""
    return _END.match(text, place) is not None


_GOES_ON = re.compile(
    rf"\s{{0,3}}[{re.escape(CLOSERS)},\uff0c;\uff1b\u3001\n]|\s{{0,3}}$|\s\d{{1,6}}\s?[\],]", re.MULTILINE
)
_LAST_OF_RANGE = re.compile(r"[^\s\[\],;]{0,60}?\d{1,6}(?=\s{0,2}[\],;\uff0c])")


def _goes_on(text: str, place: int) -> bool:
    """Whether what follows a known id belongs to a list of ids, so that the id is no beginning of something else."""
    return any(p.match(text, place) is not None for p in (_GOES_ON, _JOINER, _RANGE, _LOCATOR))


def _unknown(text: str, at: int, known: KnownIds, commas: bool) -> tuple[str, list[str], int] | None:
    match = _UNKNOWN.match(text, at)
    if match is None or not match.group().strip():
        return None
    piece = match.group()
    for comma in re.finditer(r"[,\uff0c\u3001]\s{0,3}", piece):
        follows = next(known.at(text, at + comma.end()), None)
        if commas or (follows is not None and _ends(text, at + comma.end() + len(follows))):
            piece = piece[: comma.start()]
            break
    if not piece.strip():
        return None
    for locator in _PLACED.finditer(piece, 1):
        if locator.end() == len(piece) and locator.group()[0] in " ,;:(\uff0c":
            return piece[: locator.start()], ["locator"], at + len(piece)
    return piece.rstrip(), [], at + len(piece.rstrip())


def _range(
    text: str, after: int, first: str, ids: list[str], unknown: list[str], faults: list[str], known: KnownIds,
    digits: bool,
) -> int:  # fmt: skip
    """Take in the rest of a range, each number of it; return where it ends."""
    dash = _RANGE.match(text, after)
    if dash is None or (dash.group() == "-" and not digits and not first.isdigit()):
        return after
    last = next((i for i in known.at(text, dash.end()) if _ends(text, dash.end() + len(i))), None)
    if last is None:
        number = _LAST_OF_RANGE.match(text, dash.end())
        if number is None:
            return after
        last = number.group()
    low, high = re.search(r"\d{1,6}$", first), re.search(r"\d{1,6}$", last)
    if low is None or high is None or last[: high.start()] not in ("", first[: low.start()]):
        return after
    faults.append("range")
    begin, stop = int(low.group()), int(high.group())
    numbers = range(begin + 1, stop + 1) if stop - begin <= _MOST_IN_RANGE else (stop,)  # else no list, but a mistake
    for each in numbers:
        one = first[: low.start()] + str(each).zfill(len(low.group()) if low.group().startswith("0") else 1)
        ids.append(one)
        if one not in known.ids:
            unknown.append(one)
    return dash.end() + len(last)
