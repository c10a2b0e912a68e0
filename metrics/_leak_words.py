"""Words of a text as the leak check compares them: folded, with their places, and what stands between them."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._spelling import spelling

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:[+#]{1,2}(?![^\W_]))?")  # "C" is not "C++"
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07\u00b4\u2032`", "'"))
_LETTERS = {"\u00e6": "ae", "\u0153": "oe", "\u00fe": "th", "\u00f0": "d"}
_BREAK = re.compile(r"[.?!;](?:\s|$)|\n")


class Token(NamedTuple):
    """A word, its first and last character (exclusive), and what stands before it."""

    low: str
    start: int
    end: int
    glued: bool  # nothing but a mark, or a blank between single letters, stands before it
    breaks: bool  # a sentence ends before it


def split_words(text: str) -> list[Token]:
    """Return the words of a text in order; linear in its length."""
    if not text.isascii():
        text = "".join(_LETTERS.get(c, c) if len(_LETTERS.get(c, c)) == 1 else c for c in text.translate(_APOSTROPHES))
    else:
        text = text.translate(_APOSTROPHES)
    folded = spelling(text)
    tokens: list[Token] = []
    last = 0
    for match in _TOKEN.finditer(folded.text):
        start, end = match.span()
        low = match.group()
        if "'" in low:
            low, _, tail = low.rpartition("'")
            if tail == "s":
                low = low.replace("'", "")
            else:
                low = (low + tail).replace("'", "")
        for letter, plain in _LETTERS.items():
            if letter in low:
                low = low.replace(letter, plain)
        gap = folded.text[last:start]
        single = len(low) == 1 and bool(tokens) and len(tokens[-1].low) == 1
        glued = bool(tokens) and bool(gap) and (not any(c.isspace() for c in gap) or (single and gap == " "))
        tokens.append(
            Token(low, folded.at[start], folded.at[end - 1] + 1, glued and len(gap) <= 3, bool(_BREAK.search(gap)))
        )
        last = end
    return tokens
