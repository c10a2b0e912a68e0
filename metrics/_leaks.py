"""Where a text names something that is ruled out: by surface and by lemma, on token boundaries (design section 5.4).

Case, diacritics, letter variants and invisible characters are folded; hyphens, dots and other marks within a word or
between the words of a phrase hide nothing. Derivations, compounds and parts of a phrase are no leaks: "art" is not in
"party", "organ" is not "organisation".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..signatures.types import Exclusion
from ._content import bases
from ._leak_words import Token, split_words
from ._negation_foreign import FOREIGN

_ARTICLES = frozenset("the a an".split())
_LONGEST_JOINED = 60
_MOST_TERMS = 5_000
_FOREIGN_ENDINGS = ("s", "e", "en", "n", "er", "es", "em", "ern", "i", "a", "y", "os", "as", "ar", "or", "ov")


class Leak(NamedTuple):
    """A place in a text: what it names that is ruled out, and its first and last character (exclusive)."""

    phrase: str
    start: int
    end: int


class Term(NamedTuple):
    """A phrase to look for: the forms of its words, its letters run together, its last word, and whose it is."""

    forms: tuple[frozenset[str], ...]
    joined: str
    last: str
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
    return frozenset[str]().union(*(_forms(low) for low in {t.low for t in split_words(text)}))


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
            for joined in _run_together(term):
                self._joined.setdefault(joined, term)
        for found in self._first.values():
            found.sort(key=lambda term: -len(term.forms))

    @classmethod
    def of(cls, wanted: tuple[tuple[str, str, bool], ...]) -> _Matcher:
        return _matcher(wanted)

    def find(self, text: str) -> tuple[Leak, ...]:
        tokens = split_words(text)
        found = []
        i = 0
        while i < len(tokens):
            hit = self._at(tokens, i)
            if hit is None:
                i += 1
                continue
            term, end = hit
            found.append(Leak(term.phrase, tokens[i].start, tokens[end - 1].end))
            i = end
        return tuple(found)

    def _at(self, tokens: list[Token], i: int) -> tuple[Term, int] | None:
        """A term word by word, or its letters run together; each word may be split by marks ("ga-s boiler")."""
        low, end = tokens[i].low, i + 1
        forms: Iterable[str] = self._forms_of(low)
        while True:
            for form in forms:
                for term in self._first.get(form, ()):
                    if (last := self._rest(term, tokens, end)) is not None:
                        return term, last
            for form in _stripped(low):
                whole = self._joined.get(form)
                if whole is not None and (form == low or end > i + 1 or len(whole.forms) > 1):  # "new" is not in "news"
                    return whole, end
            if end >= len(tokens) or not tokens[end].glued or len(low) > _LONGEST_JOINED:
                return None
            low, end = low + tokens[end].low, end + 1
            forms = _stripped(low)

    def _rest(self, term: Term, tokens: list[Token], at: int) -> int | None:
        """Return where a term ends whose first word ends at a token, or None."""
        for wanted in term.forms[1:]:
            if at >= len(tokens) or tokens[at].breaks:
                return None
            low, end = tokens[at].low, at + 1
            held = not wanted.isdisjoint(self._forms_of(low))
            while not held and end < len(tokens) and tokens[end].glued and len(low) <= _LONGEST_JOINED:
                low, end = low + tokens[end].low, end + 1
                held = not wanted.isdisjoint(_stripped(low))
            if not held:
                return None
            at = end
        return at

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
    named = tuple(forms(t.low) | _half_singular(t.low) for t in words)
    return Term(named, "".join(t.low for t in words), words[-1].low, phrase, foreign)


def _half_singular(low: str) -> frozenset[str]:
    """A plural without its last letter where that is no word ("sketche"): a hand or a model that slipped."""
    return frozenset((low[:-1],)) if low.endswith("es") and len(low) > 4 and not _known(low[:-1]) else frozenset()


def _run_together(term: Term) -> Iterable[str]:
    """The letters of a term without blanks, the last word in its forms: "gasboiler" for "gas boilers"."""
    if len(term.forms) == 1:
        return _forms(term.joined)
    return (term.joined, *(term.joined[: -len(term.last)] + form for form in term.forms[-1] if term.last))


def _stripped(low: str) -> tuple[str, ...]:
    """A word and what it may be the plural of; cheap, since every run of glued pieces is tried."""
    if not low.endswith("s") or len(low) < 4:
        return (low,)
    if low.endswith("ies"):
        return (low, low[:-1], low[:-3] + "y")
    return (low, low[:-1], low[:-2]) if low.endswith("es") else (low, low[:-1])


def _words(phrase: str) -> list[Token]:
    words = split_words(phrase)
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
