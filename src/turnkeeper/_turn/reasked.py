"""Turns that only rule something out or take it back ("forget what I said about dogs"): the last question, anew."""

from __future__ import annotations

import re

from ..metrics._content import Term
from ..metrics._ledger_words import content
from ..metrics._negation import Detected
from ..metrics.expand import without_exclusions
from ..sessions.state import SessionState
from ..signatures.types import Exclusion

_ASKING = frozenset(("question", "clarification"))
_COMMANDS = frozenset(
    "forget say said after mind mean meant fine okay ok good right allow include back again actually consider ignore "
    "drop matter lift exclude exclusion skip leave out remove filter rule condition restriction please thank thanks "
    "sorry want need like thing one anything something nothing only just also too well all change show give list "
    "instead vergiss doch auch egal bitte keine kein ohne oublie finalement aussi sans olvida tambien sin".split()
)
_DOUBT = re.compile(
    r"\s*(?:(?:hm+|oh|no|but|really|sorry|wait)[,.!? ]+){0,2}(?:"
    r"are you (?:really |quite |absolutely )?(?:sure|certain)\b"
    r"|is that (?:really |actually )?(?:right|true|correct)\b|i (?:really )?doubt (?:that|it)\b"
    r"|i don'?t believe (?:that|it)\b|that (?:can'?t|cannot) be (?:right|true|correct)\b"
    r"|that(?:'s| is) (?:wrong|not (?:right|true|correct))\b"
    r"|bist du (?:dir )?sicher\b|sind sie (?:sich )?sicher\b|stimmt das\b"
    r"|es-tu s\u00fbre?\b|vous \u00eates s\u00fbre?s?\b|\u00bf?est\u00e1s segur[oa]\b"
    r")[^?.!]{0,60}[?.!]*",
    re.IGNORECASE,
)
_LONGEST = 400  # characters of a turn that is nothing but doubt


def asked_anew(query: str, found: Detected, state: SessionState) -> str | None:
    """Return the last question without what was ruled out, when a turn does no more than change what is ruled out.

    None when the turn rules nothing out and takes nothing back, when it asks for something itself, and when nothing was
    asked before.

    Args:
        query: The user's words.
        found: The exclusions that they set and take back.
        state: The session before the turn.
    """
    new = tuple(e for e in found.exclusions if e.turn is None and e.status == "active" and e not in state.exclusions)
    if not (found.revoked or new) or "?" in query:
        return None
    named = _words(" ".join((*found.revoked, *(e.phrase for e in new))))
    if _words(query) - named - _COMMANDS:
        return None
    last = next((t.standalone_query or t.query for t in reversed(state.turns) if t.kind in _ASKING), "")
    taken_back = tuple(Exclusion(phrase=phrase) for phrase in found.revoked)
    return without_exclusions(last, (*state.exclusions, *taken_back)) or None


def doubted(query: str, state: SessionState) -> str | None:
    """Return the last question when a turn only doubts its answer ("are you sure? I heard it is 45 days"), else None.

    What the user has heard is no evidence; the question is answered again from the documents.
    """
    opening = _DOUBT.match(query)
    if opening is None or "?" in query[opening.end() :] or len(query) > _LONGEST:
        return None
    return next((t.standalone_query or t.query for t in reversed(state.turns) if t.kind in _ASKING), None)


def _words(text: str) -> set[str]:
    return {_key(term) for term in content(text)}


def _key(term: Term) -> str:
    return term.key
