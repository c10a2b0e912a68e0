"""Restricted terms leave a history before any model sees it."""

from __future__ import annotations

from ..metrics._text import fold, lemmas, tokenize
from ..signatures.types import AccessScope

MASK = "[restricted]"


def mask_restricted(text: str, scope: AccessScope | None) -> str:
    """Replace every restricted term of a text, inflected or possessive forms included, by `[restricted]`."""
    if scope is None or not scope.restricted_terms or not text:
        return text
    tokens = tokenize(text)
    lows = [token.low.removesuffix("'s") for token in tokens]
    spans = []
    for term in scope.restricted_terms:
        wanted = [token.low for token in tokenize(term)] or [fold(term)]
        for at in range(len(lows) - len(wanted) + 1):
            if all(_same(lows[at + k], word) for k, word in enumerate(wanted)):
                spans.append((tokens[at].start, tokens[at + len(wanted) - 1].end))
    parts, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += [text[end:start], MASK]
            end = stop
    return "".join([*parts, text[end:]])


def _same(word: str, wanted: str) -> bool:
    return word == wanted or bool(lemmas(word) & lemmas(wanted)) or wanted in word.replace("/", "-").split("-")
