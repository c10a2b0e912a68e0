"""Markers of an answer that arrives in pieces: the same ones as in the whole text, wherever it is cut."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..signatures.types import Convention
from ._cite_layout import layout, open_fence
from ._markers import Marker, MarkerReader, nfc

# A line behind a blank one that opens with a letter ends every list, quotation and table before it.
_BOUNDARY = re.compile(r"\n[ \t]*\n(?=[^\W\d_])")
_SENTENCE = re.compile(r"[.!?\u3002]\s+(?=\S)")
_HOLDS_OPEN = re.compile('[`~"\u201c\u201e\u00ab\u300c<>{}\u3010\uff3b\ue200|]')
_AHEAD = 60  # characters behind a sentence that may still change how its markers are read
_SMALL = 2_000


class MarkerStream:
    """Finds markers while an answer is written.

    Places are those of the NFC form of the whole text, which must come as NFC or be cut between characters only. Linear
    in the text. With no convention given, `source_tag` is taken: what is not known cannot be learnt from half a text.
    """

    def __init__(self, known: Collection[str], convention: Convention | None, documents: Collection[str] = ()) -> None:
        """Begin an answer; arguments as for `find_markers`."""
        known = frozenset(nfc(doc_id) for doc_id in known)
        self._reader = MarkerReader(known, convention or "source_tag", documents)
        self._pieces = list[str]()
        self._text = ""
        self._start = 0  # place of `_text` in the whole
        self._given = 0  # place in `_text` up to which markers were handed out
        self._read = 0  # length of `_text` when it was read last
        self._looked = 0  # place in `_text` up to which boundaries were tried

    def feed(self, piece: str) -> list[Marker]:
        """Take the next piece; return the markers that no later piece can change, each once, in order."""
        self._pieces.append(piece)
        if not any(c in ".!?\u3002\n" or c.isspace() for c in piece):
            return []
        self._text += "".join(self._pieces)
        self._pieces.clear()
        return [*self._finished_blocks(), *self._finished_sentences()]

    def close(self) -> list[Marker]:
        """End the answer; return the markers that were still open."""
        self._text += "".join(self._pieces)
        self._pieces.clear()
        found = self._markers(nfc(self._text), ends=True)
        self._text, self._given = "", 0
        return found

    def _finished_blocks(self) -> list[Marker]:
        found, at = list[Marker](), 0
        for match in _BOUNDARY.finditer(self._text, max(0, self._looked - 1)):
            block = nfc(self._text[at : match.end()])
            self._looked = match.end()
            if open_fence(block):
                continue
            found += self._markers(block, ends=False)
            self._start += len(block)
            self._given = self._read = 0
            at = match.end()
        if at:
            self._text, self._looked = self._text[at:], 0
        self._looked = max(self._looked, len(self._text) - 200)
        return found

    def _finished_sentences(self) -> list[Marker]:
        size = len(self._text)
        if size < self._given + _AHEAD or (size > _SMALL and size < 1.2 * self._read):
            return []
        self._read = size
        if not self._text.isascii() and nfc(self._text) != self._text:
            return []  # places would shift: the block is read when it is complete
        cut = 0
        for match in _SENTENCE.finditer(self._text, self._given, max(self._given, size - _AHEAD)):
            cut = match.end()
        head = self._text[:cut]
        if not cut or _HOLDS_OPEN.search(self._text) or not _balanced(head):
            return []
        found = [m for m in self._reader.read(layout(self._text), ends=False) if self._given <= m.start < cut]
        found = [self._moved(m) for m in found]
        self._given = cut
        return found

    def _markers(self, block: str, *, ends: bool) -> list[Marker]:
        found = self._reader.read(layout(block), ends=ends)
        return [self._moved(m) for m in found if m.start >= self._given]

    def _moved(self, marker: Marker) -> Marker:
        return marker._replace(start=marker.start + self._start, end=marker.end + self._start)


def _balanced(text: str) -> bool:
    """Whether every bracket is closed by its own before the next one of its kind opens."""
    return all(
        re.fullmatch(
            f"[^{re.escape(pair)}]*(?:{re.escape(pair[0])}[^{re.escape(pair)}]*{re.escape(pair[1])}[^{re.escape(pair)}]*)*",
            text,
        )
        is not None
        for pair in ("[]", "()")
    )
