"""The history as steps are given it: what today's user may not see, and what the application scrubs, is not in it."""

from __future__ import annotations

from ..modules._inputs import scrubbed
from ..modules._masking import mask_history
from ..sessions.state import SessionState
from ..signatures.types import Notice, Turn
from .asked import Asked, messages
from .storable import storable_result
from .talk import Talk
from .tallied import Tallied
from .visible import hidden_turns
from .work import Flow, Work


def prompted(talk: Talk, asked: Asked, state: SessionState, tallied: Tallied) -> Flow[tuple[Turn, ...]]:
    """Return the history for prompts and callables: without hidden answers, scrubbed, and masked.

    A scrub hook that fails leaves nothing of it, with a warning: what was not scrubbed is not shown.
    """
    said = messages(state, hidden_turns(state, asked.scope))
    clean = yield from scrubbed_turns(talk, said, tallied)
    return tuple(mask_history(clean, asked.query, asked.scope))


def scrubbed_turns(talk: Talk, said: tuple[Turn, ...], tallied: Tallied) -> Flow[tuple[Turn, ...]]:
    """Return messages through the application's hook, or none of them, with a warning, where it fails."""
    scrub = talk.scrub
    if scrub is None or not said:
        return said
    [done] = yield (Work("scrub", lambda: tuple(map(storable_result, scrubbed("conversation", said, scrub)))),)
    if done.error is None:
        clean: tuple[Turn, ...] = done.value
        return clean
    message = f"The hook scrub failed ({type(done.error).__name__}); no step was shown what was said before."
    tallied.warn([Notice(code="step_failed", message=message)])
    return ()
