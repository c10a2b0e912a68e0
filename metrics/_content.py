"""Content of a text: numbers, identifiers, URLs, negations and content words, in forms that compare.

Two texts that say the same thing with the same material get the same terms: "two" and "2", "16GB" and "16 GB",
"2026-03-12" and "12 March 2026", "don't" and "not". Words are told apart by lemma in English, by stem elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from ._function_words import ENGLISH, GLUE, MEANINGFUL, NEGATIONS, OTHERS
from ._text import Token, lemmas, low_tokens, tokenize

Kind = Literal["word", "number", "identifier", "url", "negation"]

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
)
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TENS = {w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_ORDINAL_WORDS = frozenset(_ORDINALS.split())
_NUMBERS: dict[str, int] = {
    **{w: n for n, w in enumerate((_UNITS + "eighteen nineteen").split())},
    **{w: n for n, w in enumerate(_ORDINALS.split())},
    **_TENS,
}

_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"\d+(?:[.,:]\d+)*")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_UNIT = re.compile(r"(\d+(?:[.,]\d+)*)-?([a-z]{1,2}|[kmg]b/s|kwh|min|mah|fps|rpm|bit|[a-z]{4,})")
_SPAN = re.compile(r"(\d{1,4})[-\u2013](\d{1,4})")
_JOINED = re.compile(r"[/,&+:]")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,300})\"|\u201c([^\u201c\u201d\n]{2,300})\u201d|\u201e([^\u201e\u201c\u201d\n]{2,300})[\u201c\u201d]"
    r"|\u00ab\s?([^\u00ab\u00bb\n]{2,300}?)\s?\u00bb|`([^`\n]{2,300})`|\u300c([^\u300c\u300d\n]{1,300})\u300d"
    r"|(?<!\w)'([^'\n]{2,300})'(?!\w)"
)
_LONGEST_WORD = 40  # longer "words" are hashes or noise: compared as they are, never lemmatised


class Term(NamedTuple):
    """A unit of content: what it is, the form that compares, the text and place it came from (characters)."""

    kind: Kind
    key: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def forms(low: str) -> tuple[tuple[Kind, str], ...]:
    """Return the comparable forms of one folded token."""
    if low.startswith(("http://", "https://", "www.")):
        return (("url", low.rstrip(".,;:!?/")),)
    if "@" in low:
        return (("identifier", low),)
    low = low.strip("'.-")
    if low.endswith("n't"):
        return (("negation", "not"),)
    if low in NEGATIONS:
        return (("negation", "not"),)
    base, apostrophe, suffix = low.rpartition("'")
    if apostrophe and suffix in ("s", "re", "ve", "ll", "d", "m"):
        low = base
    if any(c.isdigit() for c in low):
        return _digit_forms(low)
    if low in _NUMBERS and low != "one":  # "one" is a pronoun more often than a number
        return (("number", str(_NUMBERS[low])),)
    if low.startswith(("no-", "non-")):
        return (("word", low),)
    if not low.isalpha():
        head, dash, tail = low.partition("-")
        if dash and head in _TENS and tail in _NUMBERS:
            return (("number", str(_NUMBERS[head] + _NUMBERS[tail])),)
        parts = [p for p in re.split(r"[-/&+:,.'#]", low) if p]
        if len(parts) > 1:
            # The particle or letter of a compound (walk-ins, built-in, e-mail) carries no content of its own.
            return tuple(f for p in parts if len(p) > 1 and not _is_particle(p) for f in forms(p)) or (("word", low),)
    return (("word", low),) if low else ()


def _is_particle(part: str) -> bool:
    return len(part) <= 4 and not ENGLISH.isdisjoint(lemmas(part))


def _digit_forms(low: str) -> tuple[tuple[Kind, str], ...]:
    if date := _ISO_DATE.fullmatch(low):
        year, month, day = (int(part) for part in date.groups())
        if 1 <= month <= 12:
            return (("number", str(year)), ("word", MONTHS[month - 1]), ("number", str(day)))
    if _THOUSANDS.fullmatch(low):
        return (("number", low.replace(",", "")),)
    if _PLAIN.fullmatch(low):
        return (("number", low),)
    if ordinal := _ORDINAL.fullmatch(low):
        return (("number", ordinal.group(1)),)
    if unit := _UNIT.fullmatch(low):
        return (("number", unit.group(1)), ("word", unit.group(2)))
    if span := _SPAN.fullmatch(low):
        return (("number", span.group(1)), ("number", span.group(2)))
    parts = [p for p in _JOINED.split(low) if p]
    if len(parts) > 1 and all(len(p) > 1 for p in parts):
        return tuple(f for p in parts for f in forms(p))
    return (("identifier", low),)


def terms(text: str, tokens: Iterable[Token] | None = None) -> list[Term]:
    """Return the terms of a text in order, function words included."""
    return [
        Term(kind, key, token.text, token.start, token.end)
        for token in (tokenize(text) if tokens is None else tokens)
        for kind, key in forms(token.low)
    ]


def names_no_quantity(term: Term) -> bool:
    """Whether a number is only the meaning of a word: "second-hand", "two-seater", "first position".

    A number word within a compound and an ordinal in small letters name a kind; "twenty-two" is a compound that counts.
    """
    if term.kind != "number" or term.text != term.text.lower() or not term.text.replace("-", "").isalpha():
        return False
    parts = term.text.split("-")
    return parts[-1] in _ORDINAL_WORDS or any(part not in _NUMBERS for part in parts)


def quoted_spans(text: str) -> list[str]:
    """Return what stands in quotation marks or backticks, without the marks."""
    return [next(g for g in m.groups() if g is not None) for m in _QUOTED.finditer(text)]


@lru_cache(maxsize=65536)
def bases(key: str, english: bool) -> frozenset[str]:
    """Return the forms under which a word compares: English lemmas (an adverb's adjective too), or the word itself."""
    if not english or len(key) > _LONGEST_WORD:
        return frozenset((key,))
    if key.endswith("ly") and len(key) > 5:
        return lemmas(key) | {key[:-2], key[:-1] + "e", key[:-3] + "y"}
    return lemmas(key)


@lru_cache(maxsize=65536)
def is_function_word(key: str, language: str | None) -> bool:
    """Whether a word carries no content: a closed class; outside English also anything under four letters."""
    if language in (None, "en"):
        return key in ENGLISH or (len(key) == 1 and key.isascii())
    return len(key) < 4 or key in OTHERS.get(language or "", frozenset()) or key in ENGLISH


def must_survive(term: Term, language: str | None) -> bool:
    """Whether a term of the query must stand in the rewrite."""
    return term.kind != "word" or (not is_function_word(term.key, language) and term.key not in _ADDITIVE)


def needs_source(term: Term, language: str | None) -> bool:
    """Whether a term of the rewrite must come from the query or the history."""
    if term.kind != "word":
        return term.kind != "negation"
    return not (is_function_word(term.key, language) or term.key in MEANINGFUL or term.key in GLUE)


_ADDITIVE = frozenset({"further", "additional", "besides"})
_STEM = 4


def _stem_matches(word: str, other: str) -> bool:
    """Whether two words of another language look like forms of one: same beginning, at most three letters of ending."""
    shared = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= _STEM and max(len(word), len(other)) - shared <= 3


class Vocabulary:
    """The terms of some texts, for membership by exact form first, by lemma or stem when that fails."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._forms: set[tuple[Kind, str]] = set()
        for text in texts:
            for token in set(low_tokens(text)):
                self._forms.update(forms(token))
                if token == "one":
                    self._forms.add(("number", "1"))
        self._bases: dict[bool, set[str]] = {}
        self._by_stem: dict[str, list[str]] = {}

    def has(self, term: Term, *, english: bool) -> bool:
        """Whether the texts hold the term, in any inflection when it is a word."""
        if (term.kind, term.key) in self._forms:
            return True
        if term.kind != "word":
            return term.kind == "identifier" and self._in_parts(term.key)
        if english not in self._bases:
            words = (key for kind, key in self._forms if kind == "word")
            self._bases[english] = {base for key in words for base in bases(key, english)}
        if bases(term.key, english) & self._bases[english]:
            return True
        if "." in term.key:  # initials: "J.R." where the history has "J. R."
            return all(("word", letter) in self._forms for letter in term.key.split("."))
        return not english and any(_stem_matches(term.key, w) for w in self._stems().get(term.key[:_STEM], ()))

    def _in_parts(self, key: str) -> bool:
        """An identifier that joins known tokens ("A2/B1", "orla-2") needs no occurrence of its own."""
        parts = [f for p in re.split(r"[-/&+:,.#_]", key) if p for f in forms(p)]
        return len(parts) > 1 and all(f in self._forms for f in parts)

    def _stems(self) -> dict[str, list[str]]:
        if not self._by_stem:
            for kind, key in self._forms:
                if kind == "word" and len(key) >= _STEM:
                    self._by_stem.setdefault(key[:_STEM], []).append(key)
        return self._by_stem

    def holds_negation(self) -> bool:
        """Whether the texts negate anything."""
        return ("negation", "not") in self._forms


def missing(required: list[Term], present: list[Term], *, english: bool) -> list[Term]:
    """Return the required terms that find no partner in `present`: counted, each partner serves once."""
    left: dict[tuple[str, str], list[int]] = {}
    for n in range(len(present) - 1, -1, -1):  # from the end, so that pop() gives the first one left
        for place in _places(present[n], english):
            left.setdefault(place, []).append(n)
    used: set[int] = set()
    lost = []
    for term in required:
        for place in _places(term, english):
            partners = left.get(place, [])
            while partners and partners[-1] in used:
                partners.pop()
            if partners and (place[0] != "stem" or _stem_matches(term.key, present[partners[-1]].key)):
                used.add(partners.pop())
                break
        else:
            lost.append(term)
    return lost


def _places(term: Term, english: bool) -> list[tuple[str, str]]:
    """Where a term is filed, closest form first."""
    found = [(str(term.kind), term.key)]
    if term.kind == "word":
        found += [("base", base) for base in sorted(bases(term.key, english))]
        if not english and len(term.key) >= _STEM:
            found.append(("stem", term.key[:_STEM]))
    return found
