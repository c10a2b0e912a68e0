"""A message as the exclusion detector reads it: words with gaps, sentences, quotes, and what no cue can stand in."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ._language import identify
from ._negation_foreign import FOREIGN
from ._negation_idioms import IDIOM, REPORTED
from ._reference_words import lexicon
from ._spelling import visible
from ._text import fold

# As in `_text`, but a comma joins digits alone: "fish,without" is two words here.
_WORD = re.compile(
    r"https?://[^\s<>\"')\]]+|\w(?:[\w\u0300-\u036f]|['\u2019\u02bc\u00b4\u2032\uff07\x92.:/@&+#-](?=\w)|,(?=\d))*[+#]{0,2}",
    re.UNICODE,
)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07\u00b4\u2032\x92`", "'"))
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|\u201c[^\u201c\u201d\n]{1,300}\u201d|\u00ab[^\u00ab\u00bb\n]{1,300}\u00bb"
    r"|\u201e[^\u201e\u201c\u201d\n]{1,300}[\u201c\u201d]|`[^`\n]{1,300}`|(?<!\w)'[^'\n]{2,300}'(?!\w)"
    r"|(?<!\w)\u2018[^\u2018\n]{1,300}?\u2019(?!\w)"
)
_PASTED = re.compile(r"^[ \t]*>[^\n]*|```[^`]{0,20000}(?:```|\Z)", re.MULTILINE)
_SENTENCE = re.compile(r"[.?!;\n\u3002\uff1f\uff01](?![\"\u201d'\u2019)]{0,3},)")
_INITIAL = re.compile(
    r"(?:[a-z]|(?:[a-z]\.)+[a-z]|mr|mrs|ms|dr|st|vs|v|jr|sr|no|vol|prof|feat|co|inc|ltd|etc|a\.\u015f)$"
)
_BARE = {
    w.replace("'", ""): w
    for w in (
        "don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't hasn't haven't "
        "hadn't mustn't"
    ).split()
}
_BARE["cannot"] = "can't"


class Word(NamedTuple):
    """A word: as written, folded, its place, what stands before it, its sentence, the quote it is in (0 for none)."""

    text: str
    low: str
    start: int
    end: int
    gap: str
    sentence: int
    quote: int
    dead: bool  # in an idiom, a title, pasted or reported words: no cue can begin here

    @property
    def capital(self) -> bool:
        """Whether the word is written like a name or an identifier."""
        return self.text != self.text.lower() or self.text[:1].isdigit()


class Message(NamedTuple):
    """A message and its words."""

    text: str
    words: list[Word]
    language: str = "en"

    def low(self, i: int) -> str:
        """Return the folded word at an index, "" beyond the message."""
        return self.words[i].low if 0 <= i < len(self.words) else ""

    def gap(self, i: int) -> str:
        """Return what stands before a word; a full stop beyond the message."""
        return self.words[i].gap if 0 <= i < len(self.words) else "."

    def opens(self, i: int) -> bool:
        """Whether a word is the first of its sentence."""
        return i == 0 or self.words[i].sentence != self.words[i - 1].sentence

    def same_sentence(self, i: int, j: int) -> bool:
        """Whether two indices stand in one sentence of the message."""
        n = len(self.words)
        return 0 <= i < n and 0 <= j < n and self.words[i].sentence == self.words[j].sentence


def in_class(low: str, *names: str) -> bool:
    """Whether a folded word stands in a class of the detector's lexicon."""
    classes = lexicon("negation_en")
    return any(low in classes[name] for name in names)


def clean(text: str) -> str:
    """Return a text composed, without invisible characters and controls; words and punctuation stay."""
    if text.isascii() and not _CONTROL.search(text):
        return text
    return _CONTROL.sub(" ", unicodedata.normalize("NFC", _unseen(text)))


def _unseen(text: str) -> str:
    return "".join(c for c in text if visible(c) or c.isspace()) if not text.isascii() else text


def read(text: str) -> Message:
    """Split a message into words; linear in its length."""
    text = clean(text)
    flat = text.translate(_APOSTROPHES)
    quotes = _spans(_QUOTED, text)
    dead = sorted(_spans(IDIOM, flat) + _spans(REPORTED, flat) + _spans(_PASTED, text))
    words: list[Word] = []
    sentence = q = d = last = 0
    dead_until = -1
    for match in _WORD.finditer(text):
        start, end = match.span()
        while q < len(quotes) and quotes[q][1] <= start:
            q += 1
        while d < len(dead) and dead[d][0] <= start:
            dead_until, d = max(dead_until, dead[d][1]), d + 1
        quote = q + 1 if q < len(quotes) and quotes[q][0] <= start else 0
        gap = text[last:start]
        if words and not (quote and words[-1].quote == quote) and _ends_sentence(gap, words[-1]):
            sentence += 1
        low = fold(flat[start:end])
        words.append(Word(match.group(), _BARE.get(low, low), start, end, gap, sentence, quote, start < dead_until))
        last = end
    foreign = any(word.low in FOREIGN or word.low == "no" for word in words)
    return Message(text, words, (identify(text) or "other") if foreign else "en")


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [m.span() for m in pattern.finditer(text)]


def _ends_sentence(gap: str, before: Word) -> bool:
    if not _SENTENCE.search(gap):
        return False
    return not (gap.startswith(".") and is_abbreviation(before.low))


def is_abbreviation(low: str) -> bool:
    """Whether a full stop behind a folded word ends no sentence."""
    return _INITIAL.match(low) is not None


_CLOSING = (
    ",", ";", ":", ".", "?", "!", "\n", "(", ")", "\u2014", "\u2013 ", " - ", "\u3002", "\uff0c", "\uff1f", "\u3001",
    "]", "|",
)  # fmt: skip


def closes(gap: str, before: str = "") -> bool:
    """Whether what stands between two words ends a phrase; `before` is the word before it, folded."""
    if gap in (". ", ".") and is_abbreviation(before):
        return False
    return any(mark in gap for mark in _CLOSING)
