"""Replies to turns about the conversation itself: from ledger, registry and history, by code, without retrieval or LM.

They cite only what is registered, register nothing, and never enter the ledger.
"""

from __future__ import annotations

from typing import NamedTuple

from ..metrics._turn_kind import TurnReading
from ..sessions.state import SessionState, TurnRecord, TurnStatus
from ..signatures.cite import Source
from ..signatures.types import AccessScope, Notice, RegisteredSource
from .visible import in_sight


class Reply(NamedTuple):
    """A reply, ready to be committed.

    Attributes:
        answer: What is shown, with a Sources section where it cites.
        status: UNANSWERED when there is nothing that the turn could be about.
        sources: The Sources section as data.
        warnings: What the application should know.
    """

    answer: str
    status: TurnStatus = "ANSWERED"
    sources: tuple[Source, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids cited, each of them registered."""
        return tuple(source.doc_id for source in self.sources)


class AboutTurn(NamedTuple):
    """What a reply is made from.

    Attributes:
        query: The user's words.
        reading: What was read in them.
        state: The session before this turn; `state.turns` holds what history there is.
        scope: What this user may see today.
    """

    query: str
    reading: TurnReading
    state: SessionState
    scope: AccessScope | None = None

    @property
    def language(self) -> str:
        """Of the reply."""
        return self.reading.language

    @property
    def last(self) -> TurnRecord | None:
        """The newest turn that answered something; small talk and looks at the ledger stand in between."""
        return next((t for t in reversed(self.state.turns) if t.kind in ANSWERING and t.answer), None)

    def sources(self, doc_ids: tuple[str, ...]) -> list[RegisteredSource]:
        """Return registered sources in this order; those that today's scope hides are left out."""
        entries = {entry.doc_id: entry for entry in self.state.registry.entries}
        there = [entries[doc_id] for doc_id in dict.fromkeys(doc_ids) if doc_id in entries]
        return [entry for entry in there if self.visible(entry)]

    def visible(self, entry: RegisteredSource) -> bool:
        """Whether today's scope lets a source be named."""
        return in_sight(entry, self.scope)


ANSWERING = frozenset(("question", "clarification", "about_answer"))
"""Kinds of turns whose answer a later turn may be about."""
