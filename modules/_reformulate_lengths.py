"""Keep an answer within the length that the check allows, by leaving out what explains a name. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..metrics._text import tokenize
from ._substitution import Resolved, substitute

_CLAUSE = re.compile(r",? (?:which|that|who|where|when|because|since|if|plus|including)\b|[,;:(]")
_PHRASE = re.compile(r" (?=(?:of|in|on|at|for|from|to|with|by|under|about|dated|between|during|after|before|near)\b)")
_LINKS = frozenset("of in on at for from to with by under about between during after before near the a an and".split())
_NAME = re.compile(r"[A-Z0-9]")
_LEAST = 12
_TIMES = 3


def longest(query: str) -> int:
    """Return how many words a standalone form of the query may have (design section 4, ruling 4)."""
    return max(_LEAST, _TIMES * len(query.split()))


def shortened(query: str, resolved: Sequence[Resolved], *, limit: int) -> list[Resolved]:
    """Cut referents, the longest first, until the query with them keeps to the limit or nothing can be cut."""
    kept = list(resolved)
    while kept and len(substitute(query, kept).split()) > limit:
        at = max(range(len(kept)), key=lambda number: len(kept[number].referent))
        shorter = _shorter(kept[at].referent)
        if shorter is None:
            break
        kept[at] = Resolved(kept[at].mention, shorter)
    return kept


def trimmed(text: str, kept: str, query: str, *, limit: int) -> str:
    """Leave out prepositional phrases that a model added to the user's words, those without a name first."""
    if len(text.split()) <= limit or not text.startswith(kept):
        return text
    end = re.search(r"[?.!]*$", text)
    tail = end.group() if end else ""
    own = {token.low for token in tokenize(query)} - _LINKS
    parts = _PHRASE.split(text[len(kept) : len(text) - len(tail)])
    while len((kept + " ".join(parts)).split()) > limit:
        added = [n for n in range(1, len(parts)) if own.isdisjoint(token.low for token in tokenize(parts[n]))]
        if not added or len(parts) < 3:
            break
        parts.pop(next((n for n in added if not _NAME.search(parts[n])), added[0]))
    return kept + " ".join(parts) + tail


def _shorter(referent: str) -> str | None:
    """Return the referent without its last clause, or else without its last prepositional phrase."""
    clauses = [m.start() for m in _CLAUSE.finditer(referent) if m.start() > 0]
    if clauses:
        return referent[: clauses[0]].rstrip(" ,;:(")
    phrases = _PHRASE.split(referent)
    return " ".join(phrases[:-1]) if len(phrases) > 1 else None
