"""Which registered sources today's user may be shown, and what of a session a prompt or a callable is given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..metrics._evidence_scope import in_scope
from ..sessions.state import SessionState
from ..signatures.types import AccessScope, CitationRegistry, Passage, RegisteredSource


def in_sight(entry: RegisteredSource, scope: AccessScope | None) -> bool:
    """Whether today's scope lets a source be named."""
    ids = tuple(one for one in (entry.doc_id, entry.source_id) if one)
    return in_scope(scope, entry.metadata, ids, entry.title, entry.snippet)


def hidden_ids(registry: CitationRegistry, scope: AccessScope | None) -> frozenset[str]:
    """Return the ids of sources that were withdrawn, or are outside today's scope."""
    return frozenset(entry.doc_id for entry in registry.entries if entry.withdrawn or not in_sight(entry, scope))


def hidden_turns(state: SessionState, scope: AccessScope | None) -> frozenset[int]:
    """Return the numbers of turns whose answers rest on a source that is hidden today."""
    hidden = hidden_ids(state.registry, scope)
    return frozenset(turn.turn for turn in state.turns if not hidden.isdisjoint(turn.cited))


def shown_registry(registry: CitationRegistry, scope: AccessScope | None) -> CitationRegistry:
    """Return a registry in which hidden sources keep their ids and nothing else that could be read."""
    hidden = hidden_ids(registry, scope)
    bare = {"title": "", "snippet": "", "metadata": {}}
    entries = tuple(e.model_copy(update=bare) if e.doc_id in hidden else e for e in registry.entries)
    return registry.model_copy(update={"entries": entries})


def shown_passages(passages: Iterable[Passage] | None, registry: CitationRegistry) -> tuple[Passage, ...] | None:
    """Return passages without those of withdrawn sources; None where the search failed."""
    gone = {entry.doc_id for entry in registry.entries if entry.withdrawn}
    return None if passages is None else tuple(p for p in passages if p.doc_id not in gone)


def still_shown(doc_ids: Sequence[str], hidden: Collection[str]) -> tuple[str, ...]:
    """Return the ids that are not hidden, in order."""
    return tuple(doc_id for doc_id in doc_ids if doc_id not in hidden)
