"""The rules of reformulate for the guard: input, cache key, what is blocked, check, acceptance, fallback."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from ..errors import InputError
from ..metrics._scope import access_constraints, beyond_scope, named_terms
from ..metrics.reformulate import check as check_reformulation
from ..signatures.reformulate import ReformulateResult
from ..signatures.types import AccessScope, MetadataFilter, Notice, ResolvedReference, Turn, Violation
from ._guard import Outcome, RiskLevel, Scrub
from ._masking import mask_restricted
from ._reformulate_doubts import opener_left
from ._window import window

MAX_QUERY = 8_000
"""Characters of a query that a model is asked about; a longer one is used as it is, with a notice."""
MAX_INPUT = 64_000_000
"""Characters of query and history together that are accepted at all."""

_HISTORY = TypeAdapter(list[Turn])
_FILTERS = TypeAdapter(list[MetadataFilter])


class ReformulateTask(NamedTuple):
    """One turn, validated and scrubbed."""

    history: tuple[Turn, ...]
    query: str
    scope: AccessScope | None
    filters: tuple[MetadataFilter, ...]
    risk_level: RiskLevel


class ReformulateBehaviour:
    """The rules of reformulate for the guard."""

    name = "reformulate"
    retries = 1
    result_type = ReformulateResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> ReformulateTask:
        """Validate what the application passed; raise `InputError` that names the field."""
        unknown = set(inputs) - {"history", "query", "access_scope", "metadata_filters"}
        if unknown or not isinstance(inputs.get("query"), str):
            raise InputError(
                f"reformulate takes history, query (str), access_scope, metadata_filters; got {sorted(inputs)}"
            )
        try:
            history = _HISTORY.validate_python(list(inputs.get("history") or []))
            scope = inputs.get("access_scope")
            scope = None if scope is None else AccessScope.model_validate(scope)
            filters = _FILTERS.validate_python(list(inputs.get("metadata_filters") or []))
        except (ValidationError, TypeError) as error:
            raise InputError(f"reformulate: {error}") from None
        size = len(inputs["query"]) + sum(len(turn.content) for turn in history)
        if size > MAX_INPUT:
            raise InputError(f"reformulate: query and history have {size} characters; at most {MAX_INPUT} are accepted")
        masked = tuple(
            Turn(role=t.role, content=mask_restricted(scrub(t.content) if scrub else t.content, scope)) for t in history
        )
        return ReformulateTask(masked, inputs["query"], scope, tuple(filters), risk_level)

    def key(self, task: ReformulateTask) -> Hashable:
        scope = task.scope.model_dump_json() if task.scope else ""
        return task.query, task.history, scope, tuple(f.model_dump_json() for f in task.filters), task.risk_level

    def settled(self, task: ReformulateTask) -> Outcome | None:
        """Return the query as it stands when it names a restricted term, or is too long to be a question."""
        if task.scope is not None and named_terms(task.query, task.scope.restricted_terms):
            return self._outcome(task, task.query, "unchanged", ())
        if len(task.query) > MAX_QUERY:
            message = f"The query has {len(task.query)} characters; above {MAX_QUERY} it is used as it is."
            return self._outcome(task, task.query, "unchanged", (Notice(code="query_too_long", message=message),))
        return None

    def program_inputs(self, task: ReformulateTask) -> dict[str, Any]:
        return {"history": task.history, "query": task.query}

    def shrink(self, task: ReformulateTask) -> ReformulateTask | None:
        return task._replace(history=task.history[-2:]) if len(task.history) > 2 else None

    def check(self, task: ReformulateTask, prediction: Any) -> list[Violation]:
        given = {
            "standalone_query": prediction.standalone_query,
            "resolved_references": prediction.resolved_references,
            "action": prediction.action,
        }
        found = check_reformulation(history=task.history, query=task.query, prediction=given, access_scope=task.scope)
        opener = opener_left(task.query, str(prediction.standalone_query))
        if opener and not found:
            message = f"`{opener}` is a fragment; give the query the form of the question that it continues."
            found = [Violation(code="residual_reference", message=message, span=opener)]
        return found

    def accept(self, task: ReformulateTask, prediction: Any) -> Outcome:
        notices = tuple(prediction.notices)
        if task.risk_level == "high" and any(n.code == "ambiguous_reference" for n in notices):
            review = Notice(code="human_review", message="Ask the user which one is meant before anything is searched.")
            return self._outcome(task, task.query, "clarify", (*notices, review))
        return self._outcome(
            task, prediction.standalone_query, prediction.action, notices, prediction.resolved_references
        )

    def fall_back(self, task: ReformulateTask, violations: Sequence[Violation]) -> Outcome:
        notice = Notice(code="fallback_raw_query", message="The query is used as the user wrote it.")
        return self._outcome(task, task.query, "unchanged", (notice,))

    def describe(self, task: ReformulateTask) -> dict[str, Any]:
        return {
            "original": task.query,
            "window": [m.turn.model_dump() for m in window(task.history, task.query)],
        }

    def _outcome(
        self,
        task: ReformulateTask,
        query: str,
        action: str,
        notices: tuple[Notice, ...],
        references: Sequence[ResolvedReference] = (),
    ) -> Outcome:
        reach = beyond_scope(task.query, task.scope) if task.scope is not None else None
        if reach:
            notices = (*notices, Notice(code="permission_boundary", message=reach))
            if task.risk_level == "high":
                notices = (*notices, Notice(code="human_review", message="The query asks beyond the user's scope."))
        fields = {
            "standalone_query": query,
            "resolved_references": tuple(references),
            "access_constraints_applied": (
                *access_constraints(task.scope),
                *(f"{f.field} {f.op} {json.dumps(f.value, ensure_ascii=False)}" for f in task.filters),
            ),
            "action": action,
        }
        return Outcome(fields, notices)
