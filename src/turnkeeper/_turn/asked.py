"""What a turn was asked, and what it knows before its first step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ..errors import InputError
from ..metrics._frames import is_correction
from ..metrics._markers import find_markers, nfc
from ..sessions.state import SessionState
from ..signatures.types import AccessScope, CitationRegistry, MetadataFilter, Passage, Turn
from .answer import body_of
from .search import SEARCH
from .storable import storable


@dataclass(frozen=True)
class Asked:
    """One turn as the application asks for it, validated.

    Attributes:
        session_id: The session.
        query: The user's words.
        scope: What this user may see.
        tenant: Whose session it is.
        key: Idempotency key, or None.
        passages: What the application found; None where its search failed; a `Retriever` for this turn alone;
            `SEARCH` to ask that of the conversation.
        reply: An answer that was given already and is only to be taken note of, or None.
        filters: The application's metadata filters.
    """

    session_id: str
    query: str
    scope: AccessScope | None = None
    tenant: str = "default"
    key: str | None = None
    passages: Any = field(default=SEARCH)
    reply: str | None = None
    filters: tuple[MetadataFilter, ...] = ()


NOT_SHOWN = "..."
"""What stands in the history in place of an answer that must not be shown: no word that anything could refer to."""


def messages(state: SessionState, hidden: Collection[int] = ()) -> tuple[Turn, ...]:
    """Return the history of a session as far as it was loaded, oldest first, without the answers of `hidden` turns.

    A question that the user has corrected ("sorry, I meant the other one") is gone with its answer: the corrected one
    stands in its place, so that later turns refer to what was meant.
    """
    said: list[Turn] = []
    for record in state.turns:
        corrects = record.kind == "question" and record.standalone_query and is_correction(record.query)
        if corrects and said:
            del said[_last_question(said) :]
        said.append(Turn(role="user", content=record.standalone_query if corrects else record.query))
        if record.answer:
            answer = NOT_SHOWN if record.turn in hidden else record.answer
            said.append(Turn(role="assistant", content=answer))
    return tuple(said)


def _last_question(said: Sequence[Turn]) -> int:
    return next((place for place in range(len(said) - 1, -1, -1) if said[place].role == "user"), 0)


def spoken(history: Sequence[Turn], registry: CitationRegistry) -> tuple[Turn, ...]:
    """Return the history as it would be said aloud: ids of documents are nothing that a pronoun can stand for."""
    ids = [entry.doc_id for entry in registry.entries]
    return tuple(
        turn if turn.role == "user" else turn.model_copy(update={"content": _unmarked(turn.content, ids, registry)})
        for turn in history
    )


def _unmarked(answer: str, ids: Sequence[str], registry: CitationRegistry) -> str:
    body = nfc(body_of(answer))
    told, at = "", 0
    for marker in find_markers(body, ids, registry.convention):
        if marker.codes or not set(marker.ids) <= set(ids):
            continue
        told += body[at : marker.start].rstrip(" ")
        at = marker.end
    return (told + body[at:]).strip() or answer


def previous_question(history: Sequence[Turn]) -> str:
    """Return the user's message before this one, or "": the context leg of the search."""
    return next((turn.content for turn in reversed(history) if turn.role == "user"), "")


def passages_of(given: Any) -> tuple[Passage, ...]:
    """Return passages of an application: ours, or mappings of their fields.

    Raises:
        InputError: Something else; the message names its place and field.
    """
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"passages must be a list of passages, not {type(given).__name__}")
    return tuple(storable(_passage(one, place)) for place, one in enumerate(given))


def _passage(given: Any, place: int) -> Passage:
    if isinstance(given, Passage):
        return given
    try:
        return Passage.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise InputError(f"{'.'.join(['passages', str(place), *map(str, first['loc'])])}: {first['msg']}") from None
