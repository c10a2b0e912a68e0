"""The exclusions of a conversation: set, carried and revoked, turn by turn, by the user's own words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..signatures.types import DomainContext, Exclusion, Turn
from ._leaks import same_phrase
from ._negation_cues import Finding
from ._negation_reading import findings
from ._negation_revoked import revoked_by
from ._negation_shown import shown_by
from ._negation_text import read

MOST_ACTIVE = 200
"""Exclusions that are carried; a conversation that sets more loses the oldest revoked ones first."""


class TurnReading(NamedTuple):
    """What one message of the user does to the state."""

    exclusions: tuple[Exclusion, ...]
    vague: bool
    revoked: tuple[str, ...]


def after_turn(
    state: Sequence[Exclusion], text: str, turn: int | None, before: Sequence[Turn], context: DomainContext | None
) -> TurnReading:
    """Return the state after one message of the user.

    Args:
        state: The state before it.
        text: The message.
        turn: Its index in the history, None for the query.
        before: The messages before it; the last one may be what "not that one" speaks of.
        context: Aliases.
    """
    m = read(text)
    found = findings(m)
    gone = revoked_by(m, found, [e for e in state if e.status == "active"])
    lifted = {id(e) for e in gone}
    kept = [e.model_copy(update={"status": "revoked"}) if id(e) in lifted else e for e in state]
    for finding in found:
        for phrase in _named(finding, before):
            kept = _set(kept, _exclusion(phrase, finding, turn, context))
    return TurnReading(tuple(_bounded(kept)), any(f.vague for f in found), tuple(e.phrase for e in gone))


def _named(finding: Finding, before: Sequence[Turn]) -> Sequence[str]:
    return shown_by(before) if finding.shown else finding.phrases


def _exclusion(phrase: str, finding: Finding, turn: int | None, context: DomainContext | None) -> Exclusion:
    return Exclusion(
        phrase=phrase, cue=finding.cue, turn=turn, aliases=aliases_of(phrase, context), field=finding.field
    )


def aliases_of(phrase: str, context: DomainContext | None) -> tuple[str, ...]:
    """Return the other names of a phrase by the domain context."""
    if context is None:
        return ()
    names = [name for key, others in context.aliases.items() if same_phrase(key, phrase) for name in others]
    return tuple(dict.fromkeys(names))


def _set(state: list[Exclusion], new: Exclusion) -> list[Exclusion]:
    for n, old in enumerate(state):
        if old.field == new.field and same_phrase(old.phrase, new.phrase):
            return state if old.status == "active" else [*state[:n], *state[n + 1 :], new]
    return [*state, new]


def _bounded(state: list[Exclusion]) -> list[Exclusion]:
    if len(state) <= MOST_ACTIVE:
        return state
    active = [e for e in state if e.status == "active"]
    return active[-MOST_ACTIVE:]
