"""One spelling for texts that look alike: what a reader cannot tell apart compares as equal.

Compatibility forms (full width, ligatures), invisible characters, accents, case, and letters of other scripts that look
Latin are folded away: the idea of Unicode's confusable skeletons (UTS 39), with a small table. Digits that stand for
letters and encoded text ("%6C") are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

# Pairs of a small letter and the Latin one that it looks like; capitals are case folded first.
_LOOKALIKES = {
    pair[0]: pair[1]
    for pair in (
        "аa вb еe кk мm нh оo рp сc тt уy хx ѕs іi јj һh ԁd ԛq ԝw ӏl ѵv "  # Cyrillic
        "αa βb γy εe ζz ιi κk μu νv οo ρp τt υu χx ηn ωw ϲc ϳj "  # Greek
        "ıi łl øo đd ħh ɡg ɑa ɩi"  # Latin letters without a decomposition
    ).split()
}
# These capitals look like another letter than their small forms do, so a word that mixes scripts reads them by look.
_GREEK_CAPITALS = str.maketrans("ΗΜΝΥ", "HMNY")
_LETTERS = re.compile(r"[^\W\d_]+")
_ASCII_LETTER = re.compile("[A-Za-z]")
# Marks that are accents; vowel signs of Indic and South-East Asian scripts and kana voicing marks are letters.
_ACCENT = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u0640")  # Hangul fillers, the Arabic stretch
# Thai to Lao, Myanmar, Hangul, Khmer, kana and Han: words stand without spaces, or take their endings on directly.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]"
)
# Arabic and Hebrew put the article and other small words on directly: the front of a word is no border.
_PREFIXED = re.compile("[\u05d0-\u05f2\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f]")


class Spelling(NamedTuple):
    """A text as it compares.

    Attributes:
        text: The folded characters.
        shape: For each of them: `A` capital, `a` other letter, `x` letter of a script without spaces, `0` digit,
            `y` Arabic or Hebrew letter, ` ` white space, `-` anything else.
        at: For each of them: the index of the character of the original that it came from.
    """

    text: str
    shape: str
    at: Sequence[int]


def spelling(text: str) -> Spelling:
    """Return a text as it compares, in one pass."""
    if text.isascii():
        return Spelling(text.lower(), text.translate(_ASCII_SHAPES), range(len(text)))
    if any(capital in text for capital in "ΗΜΝΥ"):
        text = _LETTERS.sub(_by_look, text)
    folded, shapes, at = [], [], []
    for index, character in enumerate(text):
        form, shape = _folded(character)
        if form:
            folded.append(form)
            shapes.append(shape)
            at += [index] * len(form)
    return Spelling("".join(folded), "".join(shapes), at)


def visible(text: str) -> str:
    """Return a text without invisible characters and with compatibility forms plain; case and accents stay."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKC", text) if not _is_invisible(c))


def _by_look(word: re.Match[str]) -> str:
    return word.group().translate(_GREEK_CAPITALS) if _ASCII_LETTER.search(word.group()) else word.group()


def _is_invisible(character: str) -> bool:
    return character in _BLANK_LETTERS or unicodedata.category(character) == "Cf"


@lru_cache(maxsize=32768)
def _folded(character: str) -> tuple[str, str]:
    """Return the folded form of one character, "" when it is invisible or an accent, and its shape."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", character) if not (_ACCENT.match(c) or _is_invisible(c))
    ).casefold()
    form = "".join(_LOOKALIKES.get(c, c) for c in plain)
    return form, "".join(_shape(c, character) for c in form)


def _shape(form: str, original: str) -> str:
    if _UNSPACED.match(form):
        return "x"
    if _PREFIXED.match(form):
        return "y"
    if form.isalpha() or unicodedata.category(form)[0] == "M":
        return "A" if original.isupper() else "a"
    return "0" if form.isdigit() else " " if form.isspace() else "-"


_ASCII_SHAPES = {code: _shape(chr(code).lower(), chr(code)) for code in range(128)}
