"""Open questions that wait: asked under a wider scope, they name what today's user may not have searched for."""

from __future__ import annotations

from ..signatures.types import AccessScope, OpenQuestion
from ._restricted import named_terms


def waits(entry: OpenQuestion, scope: AccessScope | None) -> bool:
    """Whether a question is not searched for today: it is carried as it is, without an attempt."""
    terms = scope.restricted_terms if scope is not None else ()
    return bool(terms) and bool(named_terms(f"{entry.question}\n{entry.standalone_query}", terms))
