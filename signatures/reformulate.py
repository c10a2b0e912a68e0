"""reformulate: what it takes and gives (design section 4)."""

from __future__ import annotations

from typing import Literal

from .types import Frozen, GuardedResult, ResolvedReference

Action = Literal["rewrite", "unchanged", "clarify"]


class Reformulation(Frozen):
    """A prediction of the behaviour, as a program makes it and as a row of `turnkeeper check` gives it.

    Attributes:
        standalone_query: One utterance that can be searched without the history.
        resolved_references: Mentions of the query and their referents; may be empty, the check finds mentions itself.
        access_constraints_applied: Written by code from the scope; the check ignores a model's own claim.
        action: "unchanged" promises that the query is returned as asked, "clarify" that nothing was searched.
    """

    standalone_query: str
    resolved_references: tuple[ResolvedReference, ...] = ()
    access_constraints_applied: tuple[str, ...] = ()
    action: Action | None = None


class ReformulateResult(GuardedResult):
    """What the application gets."""

    standalone_query: str
    resolved_references: tuple[ResolvedReference, ...] = ()
    access_constraints_applied: tuple[str, ...] = ()
    action: Action = "rewrite"
