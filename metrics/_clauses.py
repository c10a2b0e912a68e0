"""Words of a folded text with what stands between them, and where sentences end. For the polarity of passages."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._spelling import Spelling

_PIECE = re.compile(r"x|[Aay0]+")
# A full stop ends a sentence before white space alone: "0.5", "node.js" and "e.g." stay whole.
_SENTENCE_END = re.compile(r"[!?\u3002\uff01\uff1f\u2022\n]|\.(?:[\"'\u201d)\]]*\s|$)")
_APOSTROPHES = ("'", "\u2019", "\u02bc")
_CLITICS = frozenset(("s", "re", "ve", "ll", "d", "m"))
_ABBREVIATIONS = frozenset("mr mrs ms dr st vs approx ca etc incl excl vol prof eg ie".split())


class Word(NamedTuple):
    """A word of a folded text.

    Attributes:
        low: The word; a negated auxiliary keeps its "n't", other clitics are cut off.
        gap: What stands between it and the word before.
        start: Offset in the folded text.
        end: Offset behind it, a clitic included.
        sentence: Number of its sentence.
        asks: Whether a question mark ends that sentence.
        capital: Whether it is written with an upper-case first letter.
    """

    low: str
    gap: str
    start: int
    end: int
    sentence: int
    asks: bool
    capital: bool


def sentence_starts(spelt: Spelling) -> list[int]:
    """Return where the sentences of a folded text begin, the first at 0."""
    text = spelt.text
    starts = [0]
    for mark in _SENTENCE_END.finditer(text):
        if mark.group()[0] != "." or not _abbreviates(_word_before(text, mark.start())):
            starts.append(mark.end())
    return starts


def words_of(spelt: Spelling, begin: int = 0, stop: int | None = None) -> list[Word]:
    """Split a folded text, or the part of it from `begin` to `stop`, into words, in one pass."""
    text, shape = spelt.text, spelt.shape
    stop = len(text) if stop is None else stop
    rough: list[tuple[str, str, int, int, int]] = []
    asking: set[int] = set()
    sentence, before = 0, begin
    for piece in _PIECE.finditer(shape, begin, stop):
        start, end = piece.span()
        low, gap = text[start:end], text[before:start]
        if rough and gap in _APOSTROPHES and _is_clitic(low, rough[-1][0]):
            host = rough[-1]
            rough[-1] = (host[0] + "'t" if low == "t" else host[0], host[1], host[2], end, host[4])
            before = end
            continue
        mark = _SENTENCE_END.search(gap) if rough else None
        if mark and not (mark.group()[0] == "." and _abbreviates(rough[-1][0])):
            if "?" in gap or "\uff1f" in gap:
                asking.add(sentence)
            sentence += 1
        rough.append((low, gap, start, end, sentence))
        before = end
    if "?" in text[before:stop] or "\uff1f" in text[before:stop]:
        asking.add(sentence)
    return [
        Word(low, gap, start, end, number, number in asking, shape[start] == "A")
        for low, gap, start, end, number in rough
    ]


def _is_clitic(low: str, host: str) -> bool:
    return low in _CLITICS or (low == "t" and host.endswith("n"))


def _word_before(text: str, end: int) -> str:
    """Return the last word before a full stop, as far as it matters."""
    begin = end
    while begin and end - begin < 8 and text[begin - 1].isalnum():
        begin -= 1
    return text[begin:end]


def _abbreviates(low: str) -> bool:
    return (len(low) == 1 and low.isalpha()) or low in _ABBREVIATIONS
