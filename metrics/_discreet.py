"""Restricted terms that a model brings in, reported without being named: no retry, result or event repeats one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..signatures.types import AccessScope, Violation
from ._restricted import UNNAMED, find_restricted, masked, named_terms
from ._text import tokenize


def restricted_leaks(texts: Sequence[str], query: str, scope: AccessScope | None) -> list[Violation]:
    """Return a `scope_leak` when a text of the model names a restricted term that the user's own words do not."""
    if scope is None or not scope.restricted_terms:
        return []
    named = {term for text in texts for term in named_terms(text, scope.restricted_terms)}
    if not named or named <= set(named_terms(query, scope.restricted_terms)):
        return []
    message = "The answer names a restricted term that is not in the user's own words; leave it out."
    return [Violation(code="scope_leak", message=message, span=None)]


def unnamed(
    violations: Iterable[Violation], texts: Sequence[str], query: str, scope: AccessScope | None
) -> list[Violation]:
    """Return violations that quote no restricted term, nor a word of one that the query or the model's texts name.

    That such a word stands in neither query nor history is left out: the `scope_leak` says it.
    """
    if scope is None or not scope.restricted_terms:
        return list(violations)
    terms = scope.restricted_terms
    words = {
        token.low
        for text in (*texts, query)
        for start, end, _ in find_restricted(text, terms)
        for token in tokenize(text[start:end])
        if token.low != "the" and (len(token.low) > 3 or token.text[0].isupper())
    }
    kept = []
    for violation in violations:
        span = violation.span if violation.span == _hidden(violation.span or "", words, terms) else None
        if violation.code == "unsupported_term" and span is None and words:
            continue
        message = _hidden(violation.message, words, terms)
        kept.append(Violation(code=violation.code, message=message, span=span))
    return kept


def _hidden(text: str, words: set[str], terms: Sequence[str]) -> str:
    text = masked(text, terms, UNNAMED)
    parts, end = [], 0
    for token in tokenize(text) if words else ():
        if token.low.removesuffix("'s") in words:
            parts += [text[end : token.start], UNNAMED]
            end = token.end
    return "".join([*parts, text[end:]])
