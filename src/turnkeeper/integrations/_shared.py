"""What the wrappers share: messages of any library as turns, and a search that is held to what the user ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..errors import InputError
from ..metrics._negation import detect, without_exclusions
from ..retrieval import Retriever, SearchRequest, search_verified
from ..signatures.expand import BooleanQuery, Clause
from ..signatures.types import AccessScope, Exclusion, Passage, Turn

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "chatbot": "assistant"}


Contradicting = Literal["drop", "warn"]


class Found(NamedTuple):
    """A passage that was found, and what has to be said of it."""

    passage: Passage
    warning: str | None = None


def turns_of(messages: Iterable[Any] | None) -> list[Turn]:
    """Return the user's and the assistant's messages as turns, oldest first; those of systems and tools are left out.

    Args:
        messages: Of LangChain, LlamaIndex or turnkeeper, mappings with role and content, or pairs of them.

    Raises:
        InputError: Something that is no message.
    """
    turns = []
    for number, message in enumerate(messages or ()):
        role, content = _parts(message)
        if role is None or content is None:
            raise InputError(f"history: message {number} has no role or no content: {type(message).__name__}")
        known = _ROLES.get(str(getattr(role, "value", role)).lower())
        if known is not None and (text := _text(content)):
            turns.append(Turn(role=known, content=text))  # type: ignore[arg-type]
    return turns


def verified(
    retriever: Retriever,
    query: str,
    *,
    history: Sequence[Turn] = (),
    exclusions: Sequence[Exclusion] | None = None,
    scope: AccessScope | None = None,
    k: int = 4,
    contradicting: Contradicting = "drop",
) -> list[Found]:
    """Search for a query without what the user ruled out, and drop passages that assert it.

    Args:
        retriever: Any engine.
        query: One that stands alone.
        history: The user's earlier words, in which what is ruled out is read too.
        exclusions: The state after the turn before; None reads it in the history.
        scope: What this user may see.
        k: Passages wanted.
        contradicting: What becomes of passages that assert what was ruled out and have no successor: nobody reads
            warnings in a chain, so they are dropped; "warn" puts them last, each with its warning.

    Raises:
        RetrievalError: The search failed.
    """
    state = detect(history, query, None, exclusions).exclusions
    active = [each for each in state if each.status == "active"]
    names = dict.fromkeys((name, each.field) for each in active for name in (each.phrase, *each.aliases))
    wanted = without_exclusions(" ".join(query.split()), state)
    asked = SearchRequest(
        query=BooleanQuery(
            should=(Clause(phrase=wanted or query),),
            must_not=tuple(Clause(phrase=name, field=field) for name, field in names),
        ),
        scope=scope,
        k=k,
    )
    found = search_verified(retriever, asked, state)
    clean = len(found.passages) - len(found.warnings)  # what still contradicts stands last
    warned = [None] * clean + [notice.message for notice in found.warnings]
    both = [Found(passage, warning) for passage, warning in zip(found.passages, warned, strict=True)]
    return both if contradicting == "warn" else both[:clean]


def words_of(request: SearchRequest) -> str:
    """Return what a retriever that takes a plain text is asked."""
    return " ".join(clause.phrase for clause in (*request.query.must, *request.query.should))


def _parts(message: Any) -> tuple[Any, Any]:
    if isinstance(message, (tuple, list)) and len(message) == 2:
        return message[0], message[1]
    if isinstance(message, Mapping):
        return message.get("role") or message.get("type"), message.get("content")
    return getattr(message, "role", None) or getattr(message, "type", None), getattr(message, "content", None)


def _text(content: Any) -> str:
    """Return the text of a content: images and calls of tools hold none."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, (str, Mapping))]
    return "\n".join(text for text in texts if isinstance(text, str))
