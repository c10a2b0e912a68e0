"""Words of a text: tokens with their places, folded forms, lemmas. Linear time, no model."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# A word: letters, digits and marks, with inner apostrophes, hyphens, dots, slashes kept (C-14, 8.2, it's, c++).
_WORD = re.compile(r"https?://[^\s<>\"')\]]+|[\w](?:[\w\u0300-\u036f]|[-'\u2019.,:/@&+#](?=\w))*[+#]{0,2}", re.UNICODE)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07", "'"))

_SHORT = 1000  # characters of a text whose tokens are kept


class Token(NamedTuple):
    """A word and its place: text as written, folded form, start and end offsets (characters)."""

    text: str
    low: str
    start: int
    end: int


def fold(text: str) -> str:
    """Return the form in which words compare: NFC, straight apostrophes, case folded."""
    if text.isascii():  # nine texts in ten, and five times faster
        return text.lower()
    return unicodedata.normalize("NFC", text).translate(_APOSTROPHES).casefold()


def tokenize(text: str) -> list[Token]:
    """Split a text into words in order; punctuation between words is left out."""
    return list(_short_tokens(text)) if len(text) <= _SHORT else _tokens(text)


@lru_cache(maxsize=128)
def _short_tokens(text: str) -> tuple[Token, ...]:
    """Tokens of a short text, kept because the checks of one turn read the same query and result many times."""
    return tuple(_tokens(text))


def _tokens(text: str) -> list[Token]:
    if text.isascii():
        low = text.lower()
        return [Token(m.group(), low[m.start() : m.end()], m.start(), m.end()) for m in _WORD.finditer(text)]
    return [Token(m.group(), fold(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)]


def low_tokens(text: str) -> list[str]:
    """Return the folded words of a text without their places: `tokenize` for long texts, several times faster."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=65536)
def lemmas(word: str) -> frozenset[str]:
    """Return every lemma of a folded English word in any part of speech, the word itself included."""
    from lemminflect import getAllLemmas, getAllLemmasOOV

    if not word.isascii() or not word.isalpha():
        return frozenset((word,))
    found = getAllLemmas(word) or getAllLemmasOOV(word, "NOUN")
    return frozenset((word, *(lemma for forms in found.values() for lemma in forms)))


@lru_cache(maxsize=16384)
def is_known(word: str) -> bool:
    """Whether an English dictionary knows a folded word, in any part of speech and inflection."""
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))
