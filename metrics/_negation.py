"""The exclusion detector: what the user rules out, carries on and takes back over the turns (design section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..signatures.types import DomainContext, Exclusion, Turn
from ._exclusion_strip import without_exclusions
from ._negation_state import after_turn, aliases_of

__all__ = ["Detected", "detect", "without_exclusions"]


class Detected(NamedTuple):
    """What the user's own words say.

    Attributes:
        exclusions: The state after this turn in the order in which it was set, revoked ones included.
        vague: Whether this message rules something out that names nothing ("nothing boring").
        revoked: The phrases that this message takes back.
    """

    exclusions: tuple[Exclusion, ...]
    vague: bool
    revoked: tuple[str, ...]

    @property
    def active(self) -> tuple[str, ...]:
        """The phrases that are ruled out now."""
        return tuple(dict.fromkeys(e.phrase for e in self.exclusions if e.status == "active"))


def detect(
    history: Sequence[Turn],
    query: str,
    domain_context: DomainContext | None = None,
    exclusions: Sequence[Exclusion] | None = None,
) -> Detected:
    """Read the exclusions of a conversation; pure, deterministic, linear in the input, never raises on a text.

    Only the user's messages count, and in them not what is quoted, pasted or reported.

    Args:
        history: The earlier messages, oldest first.
        query: The user's message as written.
        domain_context: Aliases of excluded phrases.
        exclusions: The state after the turn before; None rebuilds it from the history.

    Returns:
        The state after this turn.
    """
    state: tuple[Exclusion, ...] = ()
    if exclusions is not None:
        state = tuple(_with_aliases(e, domain_context) for e in exclusions)
    else:
        for n, turn in enumerate(history):
            if turn.role == "user":
                before = history[max(0, n - 2) : n]
                state = after_turn(state, turn.content, n, before, domain_context).exclusions
    return Detected(*after_turn(state, query, None, history[-2:], domain_context))


def _with_aliases(exclusion: Exclusion, context: DomainContext | None) -> Exclusion:
    names = dict.fromkeys((*exclusion.aliases, *aliases_of(exclusion.phrase, context)))
    return exclusion if len(names) == len(exclusion.aliases) else exclusion.model_copy(update={"aliases": tuple(names)})
