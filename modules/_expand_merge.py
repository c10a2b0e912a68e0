"""Merge what a model says is ruled out with what the detector found: the model adds, and never takes away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..metrics._negation import Detected
from ..metrics._text import low_tokens
from ..signatures.types import Exclusion

_REACH = 6
"""Words after a negating one in which a phrase may stand that only the model took for excluded."""
_NEGATING = frozenset(
    "not no nor none never without except excluding exclude skip avoid minus besides neither sans ohne sin senza sem "
    "nicht kein keine keinen pas sauf excepto menos hate dislike drop omit unlike".split()
)
_MOST_WORDS = 8


class _Request(Protocol):
    @property
    def query(self) -> str: ...


def merged(detected: Detected, proposed: Iterable[object], request: _Request) -> tuple[Exclusion, ...]:
    """Return the state after this turn.

    A phrase that only the model named counts when the user wrote it in this very turn behind a negating word, and the
    detector did not read the turn otherwise: it found nothing ruled out, taken back or vague there.
    """
    state = detected.exclusions
    if detected.vague or detected.revoked or any(e.turn is None and e.status == "active" for e in state):
        return state
    words = low_tokens(request.query)
    added: list[Exclusion] = []
    for item in proposed:
        phrase = " ".join(item.split()) if isinstance(item, str) else ""
        cue = _cue_before(low_tokens(phrase), words)
        if cue and phrase.casefold() not in {e.phrase.casefold() for e in (*state, *added)}:
            added.append(Exclusion(phrase=phrase, cue=cue))
    return (*state, *added)


def _cue_before(phrase: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the negating word that stands shortly before the phrase in the user's words, or None."""
    if not 0 < len(phrase) <= _MOST_WORDS:
        return None
    for start in range(len(words) - len(phrase) + 1):
        if list(words[start : start + len(phrase)]) != list(phrase):
            continue
        near = words[max(0, start - _REACH) : start]
        for word in reversed(near):
            if word in _NEGATING or word.endswith("n't"):
                return word
    return None
