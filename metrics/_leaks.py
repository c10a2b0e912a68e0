"""Where a text names something that is ruled out: by surface and by lemma, on token boundaries (design section 5.4).

Case, diacritics, letter variants and invisible characters are folded; hyphens, dots and other marks within a word or
between the words of a phrase hide nothing. Derivations, compounds and parts of a phrase are no leaks: "art" is not in
"party", "organ" is not "organisation".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..signatures.types import Exclusion
from ._content import bases
from ._negation_foreign import FOREIGN
from ._spelling import spelling

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:[+#]{1,2}(?![^\W_]))?")  # "C" is not "C++"
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07\u00b4\u2032`", "'"))
_LETTERS = {"\u00e6": "ae", "\u0153": "oe", "\u00fe": "th", "\u00f0": "d"}
_BREAK = re.compile(r"[.?!;](?:\s|$)|\n")
_ARTICLES = frozenset("the a an".split())
_LONGEST_JOINED = 60
_MOST_TERMS = 5_000
_FOREIGN_ENDINGS = ("s", "e", "en", "n", "er", "es", "em", "ern", "i", "a", "y", "os", "as", "ar", "or", "ov")


class Leak(NamedTuple):
    """A place in a text: what it names that is ruled out, and its first and last character (exclusive)."""

    phrase: str
    start: int
    end: int


class _Token(NamedTuple):
    low: str
    start: int
    end: int
    glued: bool  # nothing but a mark, or a blank between single letters, stands before it
    breaks: bool  # a sentence ends before it


class Term(NamedTuple):
    """A phrase to look for: the forms of each of its words, its letters run together, and whose it is."""

    forms: tuple[frozenset[str], ...]
    joined: str
    phrase: str
    foreign: bool


def leaks(text: str, exclusions: Sequence[Exclusion]) -> tuple[Leak, ...]:
    """Return the places where a text names what is ruled out, in order and without overlap; revoked ones are free.

    Args:
        text: Any text; time is linear in its length.
        exclusions: The state; phrases and aliases of the active ones are looked for.
    """
    wanted = tuple(
        dict.fromkeys(
            (name, exclusion.phrase, exclusion.cue.casefold().split(" ")[-1] in FOREIGN)
            for exclusion in exclusions
            if exclusion.status == "active"
            for name in (exclusion.phrase, *exclusion.aliases)
        )
    )[:_MOST_TERMS]
    return _Matcher.of(wanted).find(text) if wanted and text else ()


def vocabulary(text: str) -> frozenset[str]:
    """Return every form of every word of a text, for `may_hold`."""
    return frozenset[str]().union(*(_forms(low) for low in {t.low for t in _tokens(text)}))


def may_hold(words: frozenset[str], phrase: str) -> bool:
    """Whether a text with these word forms can name a phrase, or its last word: a quick look before `leaks`."""
    forms = _phrase(phrase)[0]
    return bool(forms) and not words.isdisjoint(forms[-1])


def same_phrase(one: str, other: str) -> bool:
    """Whether two phrases name the same thing: the same words by lemma, in order, articles aside."""
    if one == other:
        return True
    (first, joined), (second, together) = _phrase(one), _phrase(other)
    if joined == together:
        return bool(first)
    return len(first) == len(second) > 0 and all(not a.isdisjoint(b) for a, b in zip(first, second, strict=True))


@lru_cache(maxsize=16384)
def _phrase(phrase: str) -> tuple[tuple[frozenset[str], ...], str]:
    words = _words(phrase)
    return tuple(_forms(t.low) for t in words), "".join(t.low for t in words)


class _Matcher:
    """Terms by the forms of their first word, and by their letters."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._first: dict[str, list[Term]] = {}
        self._joined: dict[str, Term] = {}
        self._foreign = False
        for term in terms:
            self._foreign |= term.foreign
            for form in term.forms[0]:
                self._first.setdefault(form, []).append(term)
            for form in _forms(term.joined) if len(term.forms) == 1 else {term.joined}:
                self._joined.setdefault(form, term)
        for found in self._first.values():
            found.sort(key=lambda term: -len(term.forms))

    @classmethod
    def of(cls, wanted: tuple[tuple[str, str, bool], ...]) -> _Matcher:
        return _matcher(wanted)

    def find(self, text: str) -> tuple[Leak, ...]:
        tokens = _tokens(text)
        found = []
        i = 0
        while i < len(tokens):
            hit = self._sequence(tokens, i) or self._run_together(tokens, i)
            if hit is None:
                i += 1
                continue
            term, end = hit
            found.append(Leak(term.phrase, tokens[i].start, tokens[end - 1].end))
            i = end
        return tuple(found)

    def _sequence(self, tokens: list[_Token], i: int) -> tuple[Term, int] | None:
        for form in self._forms_of(tokens[i].low):
            for term in self._first.get(form, ()):
                n = len(term.forms)
                if i + n <= len(tokens) and all(
                    not tokens[i + k].breaks and not term.forms[k].isdisjoint(self._forms_of(tokens[i + k].low))
                    for k in range(1, n)
                ):
                    return term, i + n
        return None

    def _run_together(self, tokens: list[_Token], i: int) -> tuple[Term, int] | None:
        """ "l.o.c.k", "lock-in" for "lockin", and the other way round."""
        joined, end = tokens[i].low, i + 1
        if (term := self._joined.get(joined)) is not None:
            return term, end
        while end < len(tokens) and tokens[end].glued and len(joined) <= _LONGEST_JOINED:
            joined, end = joined + tokens[end].low, end + 1
            if (term := self._joined.get(joined)) is not None:
                return term, end
        return None

    def _forms_of(self, low: str) -> frozenset[str]:
        return _foreign_forms(low) if self._foreign else _forms(low)


@lru_cache(maxsize=256)
def _matcher(wanted: tuple[tuple[str, str, bool], ...]) -> _Matcher:
    return _Matcher(t for name, phrase, foreign in wanted if (t := _term(name, phrase, foreign)) is not None)


def _term(name: str, phrase: str, foreign: bool) -> Term | None:
    words = _words(name)
    if not words:
        return None
    forms = _foreign_forms if foreign else _forms
    return Term(tuple(forms(t.low) for t in words), "".join(t.low for t in words), phrase, foreign)


def _words(phrase: str) -> list[_Token]:
    words = _tokens(phrase)
    while len(words) > 1 and words[0].low in _ARTICLES:
        words = words[1:]
    return words


@lru_cache(maxsize=65536)
def _forms(low: str) -> frozenset[str]:
    if low.endswith("s") and len(low) > 3 and not low.endswith("ss"):
        return bases(low, english=True) | ({low, low[:-1]} if not _known(low) else {low})
    return bases(low, english=True) | {low}


def _known(low: str) -> bool:
    from ._text import is_known

    return is_known(low)


@lru_cache(maxsize=16384)
def _foreign_forms(low: str) -> frozenset[str]:
    """The forms of a word of another language: itself, and without an ending."""
    found = {low, *_forms(low)}
    found.update(low[: -len(e)] for e in _FOREIGN_ENDINGS if low.endswith(e) and len(low) - len(e) >= 4)
    return frozenset(found)


def _tokens(text: str) -> list[_Token]:
    if not text.isascii():
        text = "".join(_LETTERS.get(c, c) if len(_LETTERS.get(c, c)) == 1 else c for c in text.translate(_APOSTROPHES))
    else:
        text = text.translate(_APOSTROPHES)
    folded = spelling(text)
    tokens: list[_Token] = []
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
            _Token(low, folded.at[start], folded.at[end - 1] + 1, glued and len(gap) <= 3, bool(_BREAK.search(gap)))
        )
        last = end
    return tokens
