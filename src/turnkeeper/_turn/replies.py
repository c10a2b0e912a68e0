"""Replies to turns that ask the documents nothing: from ledger, registry and history, by code."""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics._turn_kind import TurnReading
from ..sessions.state import SessionState
from ..signatures.types import Turn
from .answering import Answered
from .asked import Asked
from .talk import Talk
from .tallied import Tallied
from .work import Flow


def reply_to(
    talk: Talk,
    reading: TurnReading,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    tallied: Tallied,
) -> Flow[Answered]:
    """Reply to small talk, and to what is asked of the conversation itself."""
    raise NotImplementedError
    yield
