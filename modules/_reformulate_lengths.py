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
    while len(substitute(query, kept).split()) > limit:
        cuts = {number: cut for number, r in enumerate(kept) if (cut := _shorter(r.referent))}
        if not cuts:
            break
        at = max(cuts, key=lambda number: len(kept[number].referent))
        kept[at] = Resolved(kept[at].mention, cuts[at])
    return kept


def trimmed(text: str, kept: str, query: str, *, limit: int) -> str:
    """Leave out prepositional phrases that a model added to the user's words, those without a name first."""
    if len(text.split()) <= limit or not text.startswith(kept):
        return text
    bare = text.rstrip("?.!")
    own = {token.low for token in tokenize(query)} - _LINKS
    parts = _PHRASE.split(bare[len(kept) :])
    words = len((kept + " ".join(parts)).split())
    added = [n for n in range(1, len(parts)) if own.isdisjoint(token.low for token in tokenize(parts[n]))]
    left_out: set[int] = set()
    for number in sorted(added, key=lambda n: _NAME.search(parts[n]) is not None):
        if words <= limit or len(parts) - len(left_out) < 3:
            break
        left_out.add(number)
        words -= len(parts[number].split())
    return kept + " ".join(part for n, part in enumerate(parts) if n not in left_out) + text[len(bare) :]


def _shorter(referent: str) -> str | None:
    """Return the referent cut at its first clause, or else without its last prepositional phrase."""
    clauses = [m.start() for m in _CLAUSE.finditer(referent) if m.start() > 0]
    if clauses:
        return referent[: clauses[0]].rstrip(" ,;:(")
    phrases = _PHRASE.split(referent)
    return " ".join(phrases[:-1]) if len(phrases) > 1 else None
