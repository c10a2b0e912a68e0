"""What an answer may cite: passages of this turn and registered sources, less what is withdrawn or out of scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..signatures.types import AccessScope, CitationRegistry, Passage
from ._golden import contains


class Document(NamedTuple):
    """One document as this turn shows it; `texts` is empty when nothing of it is evidence, `why` says why."""

    title: str
    texts: tuple[str, ...]
    why: str


def documents(
    registry: CitationRegistry, context: tuple[Passage, ...] | None, scope: AccessScope | None
) -> dict[str, Document]:
    """Return the documents that registry and context know, by id, in that order."""
    known: dict[str, Document] = {}
    for doc_id, title, text, why in _shown(registry, context, scope):
        earlier = known.get(doc_id, Document(title, (), ""))
        texts = (*earlier.texts, text) if text.strip() and not why else earlier.texts
        reason = "" if texts else earlier.why or why or "has no text"
        known[doc_id] = Document(earlier.title or title, texts, reason)
    return known


def _shown(
    registry: CitationRegistry, context: tuple[Passage, ...] | None, scope: AccessScope | None
) -> Iterator[tuple[str, str, str, str]]:
    withdrawn = {entry.doc_id for entry in registry.entries if entry.withdrawn}
    for entry in registry.entries:
        own = entry.source_id or entry.doc_id
        yield entry.doc_id, entry.title, entry.snippet, _barred(own, entry, withdrawn, scope)
    for passage in context or ():
        yield passage.doc_id, passage.title, passage.text, _barred(passage.doc_id, passage, withdrawn, scope)


def _barred(own_id: str, shown: Any, withdrawn: set[str], scope: AccessScope | None) -> str:
    if shown.doc_id in withdrawn:
        return "is withdrawn"
    text = getattr(shown, "text", None) or getattr(shown, "snippet", "")
    if scope is None or (_permitted(own_id, shown.metadata, scope) and not _restricted(f"{shown.title} {text}", scope)):
        return ""
    return "is out of scope"


def _permitted(own_id: str, metadata: Mapping[str, Any], scope: AccessScope) -> bool:
    """Whether every attribute of the scope holds; what lacks the attribute is not visible."""
    for field, values in scope.allowed.items():
        held = own_id if field == "doc_ids" else metadata.get(field)
        if held is None or not {str(each) for each in (held if isinstance(held, list) else [held])} & set(values):
            return False
    return True


def _restricted(text: str, scope: AccessScope) -> bool:
    return any(contains(text, term) for term in scope.restricted_terms)
