"""Replies to turns that ask the documents nothing: from ledger, registry and history, by code, save for words."""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics._turn_kind import TurnReading
from ..sessions.state import SessionState
from ..signatures.types import CitationRegistry, Turn
from .about import AboutTurn, Reply
from .about_reply import reply
from .answering import Answered
from .asked import Asked
from .discreet import shown_state
from .rewriting import rewriter_for
from .talk import Talk
from .tallied import Tallied
from .work import Flow, Work


def reply_to(
    talk: Talk,
    reading: TurnReading,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    tallied: Tallied,
) -> Flow[Answered]:
    """Reply to small talk, and to what is asked of the conversation itself."""
    about = AboutTurn(asked.query, reading, shown_state(state, asked.scope), asked.scope)
    rewriter = yield from rewriter_for(talk, about, tallied)
    [done] = yield (Work("reply", lambda: reply(about, rewriter)),)
    if done.error is not None:
        raise done.error
    said: Reply = done.value
    tallied.warn(said.warnings)
    registry = _used(state.registry, said.cited, state.turn + 1)
    return Answered(said.answer, said.status, registry, said.sources, cited=said.cited)


def _used(registry: CitationRegistry, cited: Sequence[str], turn: int) -> CitationRegistry:
    """Return the registry with this turn as the last one that cited these sources."""
    entries = tuple(
        entry.model_copy(update={"last_turn": turn}) if entry.doc_id in cited else entry for entry in registry.entries
    )
    return registry.model_copy(update={"entries": entries}) if cited else registry
