"""The registry after a turn: what was cited is kept with its text, under an id that never changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..signatures.types import CitationRegistry, Convention, Passage, RegisteredSource
from ._cite_evidence import Evidence

SNIPPET = 600
"""Characters of a source that are stored, so that a later turn can cite it without finding it again."""


def after_turn(
    registry: CitationRegistry,
    cited: Sequence[str],
    found: Sequence[Evidence],
    context: Sequence[Passage] | None,
    convention: Convention,
    turn: int,
    source_ids: Mapping[str, str] | None = None,
) -> CitationRegistry:
    """Return the registry with the sources that this turn cited; entries are added and none is ever renamed.

    Args:
        registry: Before the turn.
        cited: Ids that the answer cites, each among `found`.
        found: The evidence of the turn, whole: what is stored must not depend on what a prompt had room for.
        context: The turn's passages, for their metadata.
        convention: How the answer cites.
        turn: Number of the turn, from 1.
        source_ids: Shown id to the retriever's, where they differ.
    """
    offered = {item.doc_id: item for item in found}
    passages = {passage.doc_id: passage for passage in reversed(list(context or ()))}
    named = set(cited)
    kept = [e.model_copy(update={"last_turn": turn}) if e.doc_id in named else e for e in registry.entries]
    known = {entry.doc_id for entry in registry.entries}
    added = [
        RegisteredSource(
            doc_id=doc_id,
            source_id=(source_ids or {}).get(doc_id, doc_id),
            title=offered[doc_id].title,
            snippet=offered[doc_id].text[:SNIPPET],
            metadata=passages[doc_id].metadata if doc_id in passages else {},
            first_turn=turn,
            last_turn=turn,
        )
        for doc_id in dict.fromkeys(cited)
        if doc_id not in known and doc_id in offered
    ]
    told = registry.convention or (convention if added else None)
    return CitationRegistry(convention=told, entries=(*kept, *added))
