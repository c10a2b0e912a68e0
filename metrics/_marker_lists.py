"""What stands inside the brackets of a marker: ids, known ones first and longest first, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ._marker_patterns import (
    BLANK_INSIDE,
    CLOSERS,
    COMMA,
    JOINER,
    LAST_OF_RANGE,
    LOCATOR,
    RANGE,
    SEPARATED,
    SEPARATOR,
    UNKNOWN,
    ends,
    goes_on,
    locator_of,
)

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

    def first(self, text: str, place: int) -> str | None:
        """Return the longest known id at a place that ends where an id may end."""
        return next((i for i in self.at(text, place) if ends(text, place + len(i))), None)


class _Piece(NamedTuple):
    """An unknown id: its text, where it ends, and what is wrong with it."""

    text: str
    end: int
    faults: tuple[str, ...]


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
    return _List(text, known, closer, commas, digits).read(place)


class _List:
    """One list of ids while it is read."""

    def __init__(self, text: str, known: KnownIds, closer: str, commas: bool, digits: bool) -> None:
        self._text = text
        self._known = known
        self._closer = closer
        self._commas = commas
        self._digits = digits
        self._ids = list[str]()
        self._unknown = list[str]()
        self._faults = dict[str, None]()

    def read(self, at: int) -> Items | None:
        text = self._text
        if text[at : at + 1] in (" ", "\n"):
            self._faults["spaces"] = None
            at += 1
        while len(self._ids) < _MOST_ITEMS:
            if self._ids and text.startswith("Source: ", at):
                self._faults["label"] = None
                at += len("Source: ")
            after = self._one(at)
            if after is None:
                return self._items(at, "unclosed") if self._ids else None
            if (separator := SEPARATOR.match(text, after)) is not None:
                at = separator.end()
            elif (joiner := JOINER.match(text, after)) is not None:
                self._faults["joiner"] = None
                at = joiner.end()
            else:
                return self._end(at, after)
        return None

    def _one(self, at: int) -> int | None:
        """Take the id at a place, with a range or locator that it begins; return the place after it."""
        text, known = self._text, self._known
        found = known.first(text, at)
        if (
            found is not None
            and not goes_on(text, at + len(found), hyphen=self._digits or found.isdigit())
            and self._piece(at)
        ):
            found = None  # a longer id, or other words, that begin as a known id does
        if found is None:
            piece = self._piece(at)
            if piece is None:
                return None
            return self._range(piece.end, piece.text) if self._take(piece) and self._digits else piece.end
        self._ids.append(found)
        after = self._range(at + len(found), found)
        locator = LOCATOR.match(text, after)
        if locator is None or SEPARATED.match(text, after):
            return after
        self._faults["locator"] = None
        return locator.end()

    def _end(self, at: int, after: int) -> Items:
        """Close the list, or take what began at `at` for a longer unknown id: "ID:0-3" where "ID:0" is known."""
        text = self._text
        if (blank := BLANK_INSIDE.match(text, after)) is not None:
            self._faults["spaces"] = None
            after = blank.end()
        if after < len(text) and text[after] in CLOSERS:
            return self._items(after + 1, *(() if text[after] == self._closer else ("closer",)))
        piece = self._piece(at)
        last = self._ids[-1]
        if piece is None or last in self._unknown or not piece.text.startswith(last):
            return self._items(after, "unclosed")
        self._ids.pop()
        self._take(piece)
        closed = text[piece.end : piece.end + 1] == self._closer
        return self._items(piece.end + closed, *(() if closed else ("unclosed",)))

    def _items(self, end: int, *faults: str) -> Items:
        return Items(tuple(self._ids), tuple(self._unknown), tuple(dict.fromkeys((*self._faults, *faults))), end)

    def _take(self, piece: _Piece) -> bool:
        self._ids.append(piece.text)
        self._unknown.append(piece.text)
        self._faults.update(dict.fromkeys(piece.faults))
        return not piece.faults

    def _piece(self, at: int) -> _Piece | None:
        """Return the unknown id at a place: up to a separator or the closing bracket."""
        match = UNKNOWN.match(self._text, at)
        if match is None:
            return None
        piece = match.group()
        for comma in COMMA.finditer(piece):
            if self._commas or self._known.first(self._text, at + comma.end()) is not None:
                piece = piece[: comma.start()]
                break
        if not piece.strip():
            return None
        if (place := locator_of(piece)) is not None:
            return _Piece(piece[:place], at + len(piece), ("locator",))
        return _Piece(piece.rstrip(), at + len(piece.rstrip()), ())

    def _range(self, after: int, first: str) -> int:
        """Take in the rest of a range, each number of it; return where it ends."""
        text = self._text
        dash = RANGE.match(text, after)
        if dash is None or (dash.group() == "-" and not self._digits and not first.isdigit()):
            return after
        last = self._known.first(text, dash.end())
        if last is None:
            other = LAST_OF_RANGE.match(text, dash.end())
            if other is None:
                return after
            last = other.group()
        low, high = re.search(r"\d{1,6}$", first), re.search(r"\d{1,6}$", last)
        if low is None or high is None or last[: high.start()] not in ("", first[: low.start()]):
            return after
        self._faults["range"] = None
        begin, stop = int(low.group()), int(high.group())
        width = len(low.group()) if low.group().startswith("0") else 1
        # More than a hundred is no list of sources but a mistake: its ends will do.
        for number in range(begin + 1, stop + 1) if stop - begin <= _MOST_IN_RANGE else (stop,):
            one = first[: low.start()] + str(number).zfill(width)
            self._ids.append(one)
            if one not in self._known.ids:
                self._unknown.append(one)
        return dash.end() + len(last)
