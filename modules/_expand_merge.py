"""Merge what a model says is ruled out with what the detector found: the model adds, and never takes away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..metrics._negation import Detected
from ..metrics._negation_state import aliases_of
from ..metrics._negation_text import Word, read
from ..signatures.types import DomainContext, Exclusion

_UNREAD = frozenset(
    "ilman paitsi lukuunottamatta uten unntatt f\u0103r\u0103 krom\u011b osim razen llevat \u00e1n ilma tanpa kecuali "
    "isipokuwa \u03c7\u03c9\u03c1\u03af\u03c2 \u043e\u0441\u0432\u0435\u043d \u043e\u0441\u0438\u043c "
    "\u05d1\u05dc\u05d9 \u05dc\u05dc\u05d0 \u0628\u062f\u0648\u0646".split()
)
"""Words of other languages that mean "without" or "except" and nothing else, and that the detector does not read.

Its silence about a cue that it does read is a reading: in "plans that do not include X", "with or without X", "no more
than X" and in titles a phrase stands behind a negating word and is asked for all the same.
"""
_MOST_WORDS = 4


class _Request(Protocol):
    @property
    def query(self) -> str: ...

    @property
    def context(self) -> DomainContext: ...


def merged(detected: Detected, proposed: Iterable[object], request: _Request) -> tuple[Exclusion, ...]:
    """Return the state after this turn.

    A phrase that only the model named counts when the user wrote it in this very turn right behind such a word, outside
    quotation marks, and the detector found nothing there that is ruled out, taken back or vague.
    """
    state = detected.exclusions
    if detected.vague or detected.revoked or any(e.turn is None and e.status == "active" for e in state):
        return state
    words = read(request.query).words
    if not any(word.low in _UNREAD for word in words):
        return state
    added: list[Exclusion] = []
    for item in proposed:
        phrase = " ".join(item.split()) if isinstance(item, str) else ""
        cue = _cue_before([word.low for word in read(phrase).words], words)
        if cue and phrase.casefold() not in {e.phrase.casefold() for e in (*state, *added)}:
            added.append(Exclusion(phrase=phrase, cue=cue, aliases=aliases_of(phrase, request.context)))
    return (*state, *added)


def _cue_before(phrase: Sequence[str], words: Sequence[Word]) -> str | None:
    """Return the cue that stands right before the phrase in the user's words, or None."""
    n = len(phrase)
    if not 0 < n <= _MOST_WORDS:
        return None
    for start in range(1, len(words) - n + 1):
        cue = words[start - 1]
        if cue.low not in _UNREAD or cue.dead or cue.quote:
            continue
        if [w.low for w in words[start : start + n]] == list(phrase) and words[start + n - 1].sentence == cue.sentence:
            return cue.low
    return None
