"""How text becomes words, the same for passages and queries in every embedded engine.

The engine only splits at blanks and stems: letters, digits and vowel signs are all that is left, so no character of a
query can be syntax. Accents and letter variants are folded, and in scripts without spaces every character is a word.
"""

from __future__ import annotations

import re
import unicodedata

from ..metrics._spelling import _ACCENT, _UNSPACED

_POSSESSIVE = re.compile(r"(?<=\w)['\u2019\u02bc\uff07]s(?!\w)")
# "C++" and "C#" are names of their own; without this both would be found as "C".
_PLUSES = re.compile(r"(?<=[^\W_])\+\+(?!\w)")
_SHARP = re.compile(r"(?<=[^\W_])#(?!\w)")
_BETWEEN_BLANKS = re.compile(r"\S{1,1000}")
_VARIANTS = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ŧ": "t"}


class _Folding(dict[int, str]):
    """What stands for each character, worked out when it is first seen."""

    def __missing__(self, code: int) -> str:
        self[code] = made = _folded(chr(code))
        return made


def fold(text: str) -> str:
    """Return the words of a text between blanks, in linear time; any text is accepted."""
    if text.isascii():
        low = text.lower()
    else:
        # Composed word by word, since the cost of composing grows with the square of a run of marks.
        low = _BETWEEN_BLANKS.sub(lambda m: unicodedata.normalize("NFC", m.group()), _ACCENT.sub("", text)).casefold()
    low = _POSSESSIVE.sub("", low)
    return _SHARP.sub("sharp", _PLUSES.sub("plusplus", low)).translate(_FOLDING)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, unstemmed."""
    return tuple(fold(text).split())


def _folded(character: str) -> str:
    if _ACCENT.match(character) or unicodedata.category(character) == "Cf":
        return ""
    if _UNSPACED.match(character) and _is_word_part(character):
        return f" {character} "
    plain = "".join(part for part in unicodedata.normalize("NFKD", character) if not _ACCENT.match(part)).lower()
    return "".join(_VARIANTS.get(part, part) if _is_word_part(part) else " " for part in plain)


def _is_word_part(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN" or unicodedata.category(character) in ("Mn", "Mc")


_FOLDING = _Folding()
