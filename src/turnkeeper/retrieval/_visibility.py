"""Whether a passage may be returned: the last line, in code, whatever an engine or a function has returned."""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics._restricted import find_restricted
from ..signatures.types import MetadataFilter, Passage
from ._conditions import Conditions, conditions, hold
from ._facts import facts_of
from ._stripping import stripped
from .request import SearchRequest


class Visibility:
    """What a request lets through: scope, filters, clauses on metadata fields, and no restricted term."""

    def __init__(self, request: SearchRequest, *, scope: bool = True, filters: bool = True) -> None:
        """Read a request.

        Args:
            request: What was searched for.
            scope: False when whoever searched guarantees the scope's attributes without showing them in the metadata.
            filters: False when it has applied the filters itself.
        """
        none: tuple[MetadataFilter, ...] = ()
        request = stripped(request)
        query = request.query if filters else request.query.model_copy(update={"must": (), "filters": none})
        read = request.model_copy(
            update={
                "query": query,
                "scope": request.scope if scope else None,
                "filters": request.filters if filters else none,
            }
        )
        self._asked: Conditions = conditions(read)
        self._restricted: Sequence[str] = request.scope.restricted_terms if request.scope else ()

    def __call__(self, passage: Passage) -> bool:
        """Whether the passage may be returned."""
        if (self._asked.required or self._asked.forbidden) and not hold(facts_of(passage), self._asked):
            return False
        return not any(find_restricted(text, self._restricted) for text in (passage.title, passage.text))
