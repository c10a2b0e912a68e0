"""The rules of reformulate for the guard: input, cache key, what is blocked, check, acceptance, fallback."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ..metrics._restricted import named_terms
from ..metrics._scope import access_constraints, beyond_scope
from ..metrics.reformulate import check as check_reformulation
from ..signatures.reformulate import ReformulateResult
from ..signatures.types import AccessScope, MetadataFilter, Notice, ResolvedReference, Turn, Violation
from ._guard import Outcome, RiskLevel, Scrub
from ._inputs import FILTERS, HISTORY, SCOPE, require_fields, require_size, scrubbed, validated, validated_list
from ._masking import MASK, NEWEST, answers_with_mask, mask_history, mask_restricted, names_mask
from ._reformulate_doubts import opener_left
from ._window import window

MAX_QUERY = 8_000
"""Characters of a query that a model is asked about; a longer one is used as it is, with a notice."""

_DOUBTFUL = frozenset(("ambiguous_reference", "guessed_reference"))
_FIELDS = {"history": "", "query": "str", "access_scope": "", "metadata_filters": ""}


@dataclass(frozen=True)
class ReformulateTask:
    """One turn, validated and scrubbed.

    `history` may still hold restricted terms; a prompt, the check and the result know `masked` alone. It is made when
    it is first asked for, so that a turn served from the cache does not pay for it.
    """

    history: tuple[Turn, ...]
    query: str
    scope: AccessScope | None
    filters: tuple[MetadataFilter, ...]
    risk_level: RiskLevel

    @cached_property
    def masked(self) -> Sequence[Turn]:
        return mask_history(self.history, self.query, self.scope)


class _Window(NamedTuple):
    """The window of a turn for its event: built when the event is written, which is never when nobody listens."""

    task: ReformulateTask

    def model_dump(self) -> list[dict[str, Any]]:
        return [m.turn.model_dump() for m in window(self.task.masked, self.task.query)]


class ReformulateBehaviour:
    """The rules of reformulate for the guard."""

    name = "reformulate"
    retries = 1
    result_type = ReformulateResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> ReformulateTask:
        """Validate what the application passed; raise `InputError` that names the field."""
        require_fields(self.name, inputs, _FIELDS)
        history = validated_list(self.name, "history", HISTORY, inputs)
        filters = validated_list(self.name, "metadata_filters", FILTERS, inputs)
        scope = validated(self.name, "access_scope", SCOPE, inputs)
        require_size(self.name, inputs["query"], history)
        return ReformulateTask(scrubbed(self.name, history, scrub), inputs["query"], scope, filters, risk_level)

    def key(self, task: ReformulateTask) -> Hashable:
        scope = json.dumps(task.scope.model_dump()) if task.scope else ""
        return task.query, task.history, scope, tuple(json.dumps(f.model_dump()) for f in task.filters), task.risk_level

    def settled(self, task: ReformulateTask) -> Outcome | None:
        """Return the query as it stands when it names a restricted term, or is too long to be a question."""
        if task.scope is not None and named_terms(task.query, task.scope.restricted_terms):
            return self._outcome(task, task.query, "unchanged", ())
        if len(task.query) > MAX_QUERY:
            message = f"The query has {len(task.query)} characters; above {MAX_QUERY} it is used as it is."
            return self._outcome(task, task.query, "unchanged", (Notice(code="query_too_long", message=message),))
        return None

    def program_inputs(self, task: ReformulateTask) -> dict[str, Any]:
        return {"history": task.masked, "query": task.query}

    def shrink(self, task: ReformulateTask) -> ReformulateTask | None:
        return replace(task, history=task.history[-2:]) if len(task.history) > 2 else None

    def check(self, task: ReformulateTask, prediction: Any) -> list[Violation]:
        if _asks_for_restricted(task, prediction):
            return []  # the answer is right, and `accept` does not use it
        given = {
            "standalone_query": prediction.standalone_query,
            "resolved_references": prediction.resolved_references,
            "action": prediction.action,
        }
        found = check_reformulation(history=task.masked, query=task.query, prediction=given, access_scope=task.scope)
        opener = opener_left(task.query, str(prediction.standalone_query))
        if opener and not found:
            message = f"`{opener}` is a fragment; give the query the form of the question that it continues."
            found = [Violation(code="residual_reference", message=message, span=opener)]
        return found

    def accept(self, task: ReformulateTask, prediction: Any) -> Outcome:
        if _asks_for_restricted(task, prediction):
            reach = "The query refers to something that this user may not search for."
            return self._outcome(task, task.query, "unchanged", (), reach=reach)
        notices = tuple(prediction.notices)
        if task.risk_level == "high" and any(n.code in _DOUBTFUL for n in notices):
            review = Notice(code="human_review", message="Ask the user which one is meant before anything is searched.")
            return self._outcome(task, task.query, "clarify", (*notices, review))
        return self._outcome(
            task, prediction.standalone_query, prediction.action, notices, prediction.resolved_references
        )

    def fall_back(self, task: ReformulateTask, violations: Sequence[Violation]) -> Outcome:
        notice = Notice(code="fallback_raw_query", message="The query is used as the user wrote it.")
        return self._outcome(task, task.query, "unchanged", (notice,))

    def describe(self, task: ReformulateTask) -> dict[str, Any]:
        return {"original": task.query, "window": _Window(task)}

    def discreet(self, task: ReformulateTask, text: str) -> str:
        return mask_restricted(text, task.scope)

    def _outcome(
        self,
        task: ReformulateTask,
        query: str,
        action: str,
        notices: tuple[Notice, ...],
        references: Sequence[ResolvedReference] = (),
        reach: str | None = None,
    ) -> Outcome:
        reach = beyond_scope(task.query, task.scope) or reach
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


def _asks_for_restricted(task: ReformulateTask, prediction: Any) -> bool:
    """Whether the answer shows that the query is about something masked."""
    if task.scope is None or not task.scope.restricted_terms or names_mask(task.query):
        return False
    if not any(MASK in turn.content for turn in task.masked):
        return False
    raw = getattr(prediction, "raw", None)
    said = [raw if isinstance(raw, str) else "", str(prediction.standalone_query)]
    if answers_with_mask(said[0]) or names_mask(said[1]):
        return True
    # "the restricted plan": the mask without its brackets, unless the conversation itself uses the word.
    word = MASK.strip("[]")
    own = (task.query, *(turn.content for turn in task.history[-NEWEST:]))
    return any(word in text.lower() for text in said) and not any(word in text.lower() for text in own)
