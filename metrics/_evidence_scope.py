"""Whether today's access scope lets a document be evidence: the retrievers' contract, held against stored metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..signatures.types import AccessScope
from ._restricted import find_restricted

_OWN_ID = ("doc_id", "doc_ids")
_DEEPEST = 4


def in_scope(scope: AccessScope | None, metadata: Mapping[str, Any], ids: tuple[str, ...], *texts: str) -> bool:
    """Whether a document is visible.

    Args:
        scope: None limits nothing.
        metadata: The document's; for every attribute of the scope it must hold a permitted value, exactly, and one
            without the attribute is not visible.
        ids: The document's own, which `doc_ids` of a scope means.
        texts: Title and text, which may name no restricted term.
    """
    if scope is None:
        return True
    for name, permitted in scope.allowed.items():
        held = set(ids) if name in _OWN_ID and name not in metadata else _values(metadata.get(name))
        if held.isdisjoint(permitted):
            return False
    terms = scope.restricted_terms
    return not terms or not any(find_restricted(text, terms) for text in texts)


def _values(value: Any, depth: int = 0) -> set[str]:
    if isinstance(value, bool):
        return {"true" if value else "false"}
    if isinstance(value, (str, int, float)):
        return {str(value)}
    if isinstance(value, (list, tuple, set, frozenset)) and depth < _DEEPEST:
        return {one for inner in value for one in _values(inner, depth + 1)}
    return set()
