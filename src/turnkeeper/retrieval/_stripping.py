"""What leaves a request before any engine or application's function sees it: restricted terms and excluded phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..metrics._leaks import leaks
from ..metrics._restricted import masked, named_terms
from ..signatures.expand import BooleanQuery, Clause
from ..signatures.types import Exclusion
from .request import SearchRequest


def stripped(request: SearchRequest) -> SearchRequest:
    """Return a request that searches for nothing restricted, and whose context names nothing excluded.

    A clause of `must_not` that names a restricted term goes whole: what would be left of it rules out more, and no
    passage that names the term is returned anyway.
    """
    terms: Sequence[str] = request.scope.restricted_terms if request.scope else ()
    query = request.query
    context = without(masked(request.context, terms, " "), [clause.phrase for clause in query.must_not])
    if not terms:
        return request if context == request.context else request.model_copy(update={"context": context})
    kept = BooleanQuery(
        must=_unrestricted(query.must, terms),
        should=_unrestricted(query.should, terms),
        must_not=tuple(clause for clause in query.must_not if not named_terms(clause.phrase, terms)),
        filters=query.filters,
    )
    return request.model_copy(update={"query": kept, "context": context})


def without(text: str, phrases: Iterable[str]) -> str:
    """Return a text without some phrases, in whatever inflection."""
    found = leaks(text, [Exclusion(phrase=phrase) for phrase in phrases]) if text else ()
    parts, end = [], 0
    for leak in found:
        parts.append(text[end : leak.start])
        end = leak.end
    return " ".join([*parts, text[end:]]) if found else text


def _unrestricted(clauses: Iterable[Clause], terms: Sequence[str]) -> tuple[Clause, ...]:
    """Return the clauses without restricted terms; a value of a field is either searched for whole or not at all."""
    kept = []
    for clause in clauses:
        phrase = masked(clause.phrase, terms, " ")
        if phrase == clause.phrase:
            kept.append(clause)
        elif clause.field is None and phrase.strip():
            kept.append(clause.model_copy(update={"phrase": phrase}))
    return tuple(kept)
