"""What a conversation is set up with, as its turns read it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..modules._guard import RiskLevel, Scrub
from ..retrieval import Retriever
from ..sessions import SessionStore
from ..signatures.carry_forward import LedgerPolicy
from ..signatures.types import Convention, DomainContext
from .queues import SessionQueues
from .search import SearchSettings
from .steps import Steps

RECENT = 100
"""Turns of a session that a turn reads; what older ones owe stands in registry, ledger and exclusions."""


@dataclass(frozen=True)
class Talk:
    """The settings of a conversation.

    Attributes:
        store: Where sessions live.
        retriever: Finds passages, or None when the application passes its own with each turn.
        steps: The programs.
        searching: How it searches.
        convention: How a new session cites.
        policy: When open questions go to a person.
        risk_level: "high" asks a person where "normal" guesses.
        domain_context: Words of the application's field.
        recent: Turns of history that prompts may draw on.
        scrub: Hook of the application on every text of the history, before any step is given it.
        queues: Where turns of one session wait for each other.
    """

    store: SessionStore
    retriever: Retriever | None
    steps: Steps
    searching: SearchSettings
    convention: Convention
    policy: LedgerPolicy
    risk_level: RiskLevel
    domain_context: DomainContext | None
    recent: int
    scrub: Scrub | None = None
    queues: SessionQueues = field(default_factory=SessionQueues, compare=False)
