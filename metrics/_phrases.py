"""Phrases in a text: by inflected form, on token boundaries, whatever the case, accents and joints between the words.

"lock-in" is found in "lock in" and "lockin", "ferries" in "ferry", "Tromsø" in "Tromso"; "art" is not found in
"party", nor "C" in "C++". The forms of a phrase are spelt out once, so that a text costs one pass of an expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ._function_words import ENGLISH
from ._spelling import Spelling, spelling
from ._text import is_known, lemmas

LONGEST_PHRASE = 200  # characters of a phrase that are looked for
_MOST_WORDS = 12
_LEAST_SPLIT, _MOST_SPLIT = 4, 20  # letters of a word that may be written with a hyphen inside
_PIECE = re.compile(r"[^\W_]+[+#]*", re.UNICODE)
_ARTICLES = frozenset(("a", "an", "the"))
# Between two words of a phrase: blanks and an article, a joint, or nothing ("lockin"). A full stop needs no blank.
_JOINT = r"(?:\s{1,3}(?:(?:an?|the)\s{1,3})?|\s?[-\u2010-\u2015]\s?|[-_./&'\u2019\u00b7]|)"
_POSSESSIVE = re.compile(r"['\u2019\u02bc](?:s\b|(?!\w))")


@lru_cache(maxsize=4096)
def surface_forms(word: str) -> frozenset[str]:
    """Return every form in which a folded word may stand: its lemmas in any part of speech, and their inflections."""
    if not word.isascii() or not word.isalpha() or len(word) > 40:
        return frozenset((word,))
    from lemminflect import getAllInflections

    if not is_known(word):
        bare = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
        return frozenset((word, bare, bare + "s", bare + "es" if bare[-1:] in "sxzh" else bare))
    found = {word, *lemmas(word)}
    for lemma in lemmas(word):
        for spelt in getAllInflections(lemma).values():
            found.update(form.lower() for form in spelt)
    return frozenset(form for form in found if form.isalpha()) | {word}


@lru_cache(maxsize=1024)
def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return the expression that finds any of some phrases in a folded text, or None when no phrase has a word."""
    written = dict.fromkeys(pattern for phrase in phrases if (pattern := _written(phrase)))
    return re.compile("|".join(sorted(written, key=len, reverse=True))) if written else None


def phrase_spans(spelt: Spelling, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """Return where a text names one of some phrases, as offsets in the folded text, in order.

    Args:
        spelt: The text, folded by `spelling`.
        phrases: Names of one thing; each is found in its own inflections.
    """
    pattern = phrase_pattern(tuple(phrases))
    return [m.span() for m in pattern.finditer(spelt.text)] if pattern else []


def _written(phrase: str) -> str:
    folded = spelling(phrase[:LONGEST_PHRASE])
    words = _PIECE.findall(_POSSESSIVE.sub("", folded.text))
    words = [word for word in words if word not in _ARTICLES or len(words) == 1][:_MOST_WORDS]
    if not words:
        return ""
    parts = [_alternatives(word) for word in words]
    front = "" if folded.shape[:1] in ("x", "y") else r"(?<![^\W_])"
    back = "" if folded.shape[-1:] == "x" else r"(?![^\W_]|[+#])"
    return front + _JOINT.join(parts) + back


def _alternatives(word: str) -> str:
    if word in ENGLISH:
        return re.escape(word)  # "what is on" is not "what be on"
    forms = sorted(surface_forms(word), key=lambda form: (-len(form), form))
    return "(?:" + "|".join(map(_with_hyphens, forms)) + ")"


def _with_hyphens(form: str) -> str:
    """ "wifi" is written "wi-fi" too, and lines break in "pea-nuts"; a word of three letters is not taken apart."""
    return "[-\u2010]?".join(map(re.escape, form)) if _LEAST_SPLIT <= len(form) <= _MOST_SPLIT else re.escape(form)
