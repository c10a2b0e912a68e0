"""What a user is shown of a session: never a word that today's scope restricts, whoever said it under a wider one.

The session itself stays word for word: a question waits in the ledger until it may be searched for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ..metrics._restricted import masked, named_terms
from ..sessions.state import SessionState
from ..signatures.types import AccessScope, Exclusion, Frozen
from .asked import Asked
from .result import ConversationTurn

T = TypeVar("T")
_SHOWN = (
    "standalone_query", "negation_constraints", "expansion_terms", "answer", "resolved_questions", "open_questions",
    "violations", "warnings",
)  # fmt: skip
"""Fields of a turn that may repeat what was said earlier; ids of documents are the application's own."""
_NO_TEXT = frozenset(
    "doc_id source_id question_id citations cited new_citations reused_citations resolved code kind status field "
    "evidence_digest".split()
)


def shown_turn(turn: ConversationTurn, asked: Asked) -> ConversationTurn:
    """Return a turn as this user may be shown it; an answer that the application gave itself stays as it is."""
    terms = asked.scope.restricted_terms if asked.scope is not None else []
    if not terms:
        return turn
    kept = {"answer"} if asked.reply is not None else set()
    if turn.standalone_query == asked.query:
        kept.add("standalone_query")
    told = {name: _shown(getattr(turn, name), terms) for name in _SHOWN if name not in kept}
    return turn.model_copy(update=told)


def shown_state(state: SessionState, scope: AccessScope | None) -> SessionState:
    """Return a session as a reply about it may quote it: open questions, earlier turns and what is ruled out."""
    terms = scope.restricted_terms if scope is not None else []
    if not terms:
        return state
    told = {name: _shown(getattr(state, name), terms) for name in ("ledger", "turns", "exclusions")}
    return state.model_copy(update=told)


def shown_exclusions(exclusions: Iterable[Exclusion], scope: AccessScope | None) -> tuple[Exclusion, ...]:
    """Return what is ruled out as a callable may be given it."""
    return _shown(tuple(exclusions), scope.restricted_terms if scope is not None else [])


def _shown(value: T, terms: list[str]) -> T:
    shown: Any = value
    if isinstance(value, str):
        shown = masked(value, terms) if named_terms(value, terms) else value
    elif isinstance(value, tuple):
        shown = tuple(_shown(one, terms) for one in value)
    elif isinstance(value, Frozen):
        fields = {name: getattr(value, name) for name in type(value).model_fields if name not in _NO_TEXT}
        told = {name: _shown(one, terms) for name, one in fields.items() if isinstance(one, (str, tuple))}
        shown = value.model_copy(update=told)
    return shown  # type: ignore[no-any-return]
