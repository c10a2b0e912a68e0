"""Compose an expanded query from small decisions: the words without what is ruled out, the terms that may be added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..metrics._content import Vocabulary, bases, quoted_spans, terms
from ..metrics._leaks import leaks
from ..metrics._restricted import named_terms
from ..metrics._text import fold, is_known
from ..signatures.expand import BooleanQuery, Clause
from ..signatures.expand_forms import MAX_TERMS
from ..signatures.types import DomainContext, Exclusion, MetadataFilter

TERM_WEIGHT = 0.3
"""What an added term weighs in a search, where a word of the query weighs 1."""
MOST_WORDS = 4
"""Words of an added term; a longer one is a sentence."""
_SIGNS = re.compile(r"[^\w\s'+#&./-]+")


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
        term = _plain(item)
        if not term or len(term.split()) > MOST_WORDS:
            continue
        if named_terms(term, restricted):
            left_out["restricted"] = "restricted_term"
        elif leaks(term, exclusions):
            left_out[term] = "excluded_term_present"
        elif _invented(term, supported):
            left_out[term] = "unsupported_term"
        elif (keys := _keys(term)) and not keys <= said and len(kept) < room:
            kept.append(_lowered(term, supported))
            said |= keys
    return Vetted(tuple(kept), left_out)


def known_terms(query: str, context: DomainContext, exclusions: Sequence[Exclusion]) -> tuple[str, ...]:
    """Return the glossary's synonyms of terms that the query names, without those that are ruled out."""
    low, found = f" {' '.join(_words(query))} ", []
    said = _keys(query)
    for term, synonyms in context.glossary.items():
        if f" {' '.join(_words(term))} " not in low:
            continue
        found += [s for s in synonyms if not _keys(s) <= said and not leaks(s, exclusions)]
    return tuple(dict.fromkeys(found))[:MAX_TERMS]


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


def _plain(item: object) -> str:
    return " ".join(_SIGNS.sub(" ", item[:200]).split()).strip(".-/' ") if isinstance(item, str) else ""


def _words(text: str) -> list[str]:
    return [t.text for t in terms(fold(text))]


def _keys(text: str) -> set[str]:
    """Return the content of a text as lemmas, so that "chairs" says nothing new beside "chair"."""
    return {min(bases(t.key, english=True)) if t.kind == "word" else t.key for t in terms(text)}


def _invented(term: str, supported: Vocabulary) -> bool:
    """Whether a term brings a number, or a name, that nobody gave."""
    for part in terms(term):
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
