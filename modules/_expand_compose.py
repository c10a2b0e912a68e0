"""Compose an expanded query from small decisions: the words without what is ruled out, the terms that may be added."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..metrics._content import Term, Vocabulary, bases, names_no_quantity, quoted_spans, terms
from ..metrics._leaks import leaks
from ..metrics._restricted import find_restricted, named_terms
from ..metrics._spelling import visible
from ..metrics._text import fold, is_known
from ..signatures.expand import BooleanQuery, Clause
from ..signatures.expand_forms import MAX_TERMS
from ..signatures.types import DomainContext, Exclusion, MetadataFilter

TERM_WEIGHT = 0.3
"""What an added term weighs in a search, where a word of the query weighs 1."""
MOST_WORDS = 4
"""Words of an added term; a longer one is a sentence."""
_LONGEST_WRITTEN = 200
_SEAM = 200  # characters before an added term that can form a phrase with it
_KEPT = frozenset("'+#&./-")
_TAG = re.compile(r"<[^<>]{0,80}>")
_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
_STOPS = re.compile(r"[.?!;\n]")


class Vetted(NamedTuple):
    """Terms that a model proposed: those that may be added, and those that may not and why, by code."""

    kept: tuple[str, ...]
    left_out: dict[str, str]


def vetted(
    proposed: Iterable[object],
    *,
    query: str,
    exclusions: Sequence[Exclusion],
    supported: Vocabulary,
    restricted: Sequence[str] = (),
    room: int = MAX_TERMS,
) -> Vetted:
    """Return the proposed terms that may be added; never raises on what a model wrote.

    Left out are terms that name what is ruled out, names and numbers that nobody gave, and restricted terms. Terms
    that say nothing new are dropped without a word.

    Args:
        proposed: What the model answered.
        query: The query without what is ruled out.
        exclusions: What is ruled out now.
        supported: The words of query, conversation and domain context.
        restricted: Names that this user may not have searched for.
        room: How many terms may still be added.
    """
    kept: list[str] = []
    left_out: dict[str, str] = {}
    said = _keys(query)
    for item in proposed:
        written = _decoded(item)
        term = _plain(written)
        if not term or len(term.split()) > MOST_WORDS:
            continue
        before = " ".join((query[-_SEAM:], *kept))
        if named_terms(written, restricted) or _names_over(before, term, restricted):
            left_out["restricted"] = "restricted_term"
        elif leaks(written, exclusions) or _leaks_over(before, term, exclusions):
            left_out[term] = "excluded_term_present"
        elif _invented(term, supported):
            left_out[term] = "unsupported_term"
        elif (keys := _keys(term)) and not keys <= said and len(kept) < room:
            kept.append(_lowered(term, supported))
            said |= keys
    return Vetted(tuple(kept), left_out)


def known_terms(
    query: str, context: DomainContext, exclusions: Sequence[Exclusion], restricted: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the glossary's synonyms of terms that the query names, in any inflection.

    Those that are ruled out, and those that name what this user may not search for, are left out.
    """
    low, said = f" {' '.join(_words(query))} ", _keys(query)
    found: dict[str, None] = {}
    for term, synonyms in context.glossary.items():
        if f" {' '.join(_words(term))} " not in low:
            continue
        for synonym in synonyms:
            before = " ".join((query[-_SEAM:], *found))
            if _names_over(before, synonym, restricted):
                continue
            if len(found) < MAX_TERMS and not (_keys(synonym) <= said or _leaks_over(before, synonym, exclusions)):
                found.setdefault(synonym)
    return tuple(found)


def boolean_query(
    base: str, added: Sequence[str], exclusions: Sequence[Exclusion], filters: Sequence[MetadataFilter]
) -> BooleanQuery:
    """Return the query for a search engine: what the user quoted must be there, what is ruled out must not."""
    ruled_out = [e for e in exclusions if e.status == "active"]
    return BooleanQuery(
        must=tuple(Clause(phrase=span) for span in quoted_spans(base)),
        should=(
            *([Clause(phrase=base)] if base else []),
            *(Clause(phrase=term, weight=TERM_WEIGHT) for term in added),
        ),
        must_not=tuple(
            Clause(phrase=phrase, field=e.field)
            for e in ruled_out
            for phrase in dict.fromkeys((e.phrase, *(e.aliases if e.field is None else ())))
        ),
        filters=tuple(filters),
    )


def _leaks_over(before: str, term: str, exclusions: Sequence[Exclusion]) -> bool:
    """Whether a term names what is ruled out, alone or with the words before it: "boiler" after "gas" does.

    A search joins its words, so that no full stop of the query stands between them.
    """
    before = _STOPS.sub(" ", before[-_SEAM:])
    return any(leak.end > len(before) for leak in leaks(f"{before} {_STOPS.sub(' ', term)}", exclusions)) or bool(
        leaks(term, exclusions)
    )


def _names_over(before: str, term: str, restricted: Sequence[str]) -> bool:
    """Whether a term names something restricted, alone or with the words before it."""
    if not restricted:
        return False
    tail = before[-_SEAM:]
    return any(found.end > len(tail) for found in find_restricted(f"{tail} {term}", restricted))


def _decoded(item: object) -> str:
    """Return a proposed term as a reader sees it: no entities, tags or invisible characters; "" when it is no text."""
    if not isinstance(item, str):
        return ""
    text = item[:_LONGEST_WRITTEN]
    for _ in range(3):  # "&amp;amp;": whoever encodes oftener finds no reader
        text = _PERCENT.sub(lambda m: chr(int(m.group(1), 16)), html.unescape(text))
    return visible(_TAG.sub("", text))


def _plain(written: str) -> str:
    """Return a term as words and blanks; marks that belong to a letter stay, as vowel signs do."""
    signs = "".join(c if c.isalnum() or c in _KEPT or unicodedata.category(c)[0] == "M" else " " for c in written)
    return " ".join(word for part in signs.split() if (word := part.strip("-/'&.")))


def _words(text: str) -> list[str]:
    """Return the words of a text in order, as lemmas: "benches" is the glossary's "bench"."""
    return [_lemma(term) for term in terms(fold(text))]


def _lemma(term: Term) -> str:
    return min(bases(term.key, english=True)) if term.kind == "word" else term.key


def _keys(text: str) -> set[str]:
    """Return the content of a text as lemmas, so that "chairs" says nothing new beside "chair"."""
    return {_lemma(term) for term in terms(text)}


def _invented(term: str, supported: Vocabulary) -> bool:
    """Whether a term brings a number, or a name, that nobody gave."""
    for part in terms(term):
        if names_no_quantity(part):
            continue
        if part.kind in ("number", "identifier", "url") and not supported.has(part, english=True):
            return True
        cased = part.text != part.text.lower()
        if part.kind == "word" and cased and not is_known(part.text.lower()) and not supported.has(part, english=True):
            return True
    return False


def _lowered(term: str, supported: Vocabulary) -> str:
    """Write a term small, as models begin a list with capitals, but for the names that somebody gave."""
    return " ".join(w if w.isupper() or _given(w, supported) else w.lower() for w in term.split())


def _given(word: str, supported: Vocabulary) -> bool:
    return any(part.text == word and supported.has(part, english=True) for part in terms(word))
