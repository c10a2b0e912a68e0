"""The rules of expand for the guard: input, cache key, what is settled, check, acceptance, fallback."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from ..errors import InputError
from ..metrics._restricted import named_terms
from ..metrics.expand import check as check_expansion
from ..signatures.expand import ExpandResult
from ..signatures.types import AccessScope, DomainContext, Exclusion, MetadataFilter, Notice, Turn, Violation
from ._expand_compose import boolean_query
from ._guard import Outcome, RiskLevel, Scrub
from ._inputs import (
    EXCLUSIONS,
    FILTERS,
    HISTORY,
    SCOPE,
    require_encodable,
    require_fields,
    require_size,
    scrubbed,
    validated,
    validated_list,
)
from ._masking import mask_history, mask_restricted
from ._recorded import Recorded
from .expand import ExpandRequest

MAX_QUERY = 8_000
"""Characters of a query that a model is asked about; a longer one is searched as it is, with a notice."""
_CONTEXT = TypeAdapter(DomainContext)
_FIELDS = {
    "history": "", "query": "str", "standalone_query": "str", "domain_context": "", "exclusions": "",
    "access_scope": "", "metadata_filters": "", "rules_only": "",
}  # fmt: skip


@dataclass(frozen=True)
class ExpandTask:
    """One turn, validated and scrubbed; a prompt knows the masked history alone."""

    history: tuple[Turn, ...]
    query: str
    standalone: str
    context: DomainContext
    carried: tuple[Exclusion, ...] | None
    scope: AccessScope | None
    filters: tuple[MetadataFilter, ...]
    risk_level: RiskLevel
    rules_only: bool = False

    @cached_property
    def request(self) -> ExpandRequest:
        masked = mask_history(self.history, self.query, self.scope)
        restricted = tuple(self.scope.restricted_terms) if self.scope else ()
        return ExpandRequest(
            masked, self.query, self.standalone, self.context, self.carried, restricted, self.rules_only
        )


class ExpandBehaviour:
    """The rules of expand for the guard."""

    name = "expand"
    retries = 1
    result_type = ExpandResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> ExpandTask:
        """Validate what the application passed; raise `InputError` that names the field."""
        require_fields(self.name, inputs, _FIELDS)
        standalone = inputs.get("standalone_query")
        if standalone is not None and not isinstance(standalone, str):
            raise InputError(f"expand: field `standalone_query` must be a text, not {type(standalone).__name__}")
        rules_only = inputs.get("rules_only", False)
        if not isinstance(rules_only, bool):
            raise InputError(f"expand: field `rules_only` must be true or false, not {rules_only!r}")
        history = validated_list(self.name, "history", HISTORY, inputs)
        given = inputs.get("exclusions")
        carried = None if given is None else validated_list(self.name, "exclusions", EXCLUSIONS, inputs)
        context = validated(self.name, "domain_context", _CONTEXT, inputs) or DomainContext()
        require_size(self.name, inputs["query"], history)
        for field, texts in (
            ("query", (inputs["query"],)),
            ("standalone_query", (standalone or "",)),
            ("history", (turn.content for turn in history)),
            ("domain_context", _texts(context)),
            ("exclusions", (text for e in carried or () for text in (e.phrase, e.cue, e.field or "", *e.aliases))),
        ):
            require_encodable(self.name, field, texts)
        return ExpandTask(
            history=scrubbed(self.name, history, scrub),
            query=inputs["query"],
            standalone=standalone or inputs["query"],
            context=context,
            carried=carried,
            scope=validated(self.name, "access_scope", SCOPE, inputs),
            filters=validated_list(self.name, "metadata_filters", FILTERS, inputs),
            risk_level=risk_level,
            rules_only=rules_only,
        )

    def key(self, task: ExpandTask) -> Hashable:
        models = (task.context, task.scope, *(task.carried or ()), *task.filters)
        rest = json.dumps([m and m.model_dump(mode="json") for m in models])
        return task.query, task.standalone, task.history, task.carried is None, rest, task.risk_level, task.rules_only

    def settled(self, task: ExpandTask) -> Outcome | None:
        """Return the query without what is ruled out when it names a restricted term, or is no question but a text."""
        if task.scope is not None and named_terms(task.standalone, task.scope.restricted_terms):
            notice = Notice(code="permission_boundary", message="The query names something this user may not search.")
            return self._plain(task, notice)
        if max(len(task.query), len(task.standalone)) > MAX_QUERY:
            message = f"The query has more than {MAX_QUERY} characters; nothing is added to it."
            return self._plain(task, Notice(code="query_too_long", message=message))
        if not task.request.base:
            message = "Nothing is left of the query without what is ruled out; it is searched as it is."
            return self._plain(task, Notice(code="fallback_raw_query", message=message))
        return None

    def program_inputs(self, task: ExpandTask) -> dict[str, Any]:
        return {"request": task.request}

    def shrink(self, task: ExpandTask) -> ExpandTask | None:
        """Cut the history; what it ruled out is carried on as state."""
        if len(task.history) <= 2:
            return None
        # Turn numbers of the state speak of the whole history.
        return replace(task, history=task.history[-2:], carried=_before(task))

    def check(self, task: ExpandTask, prediction: Any) -> list[Violation]:
        given = {
            "expanded_query": prediction.expanded_query,
            # What only the model found has been held against the user's words; the detector does not know it.
            "negation_constraints": [p for p in prediction.negation_constraints if p not in prediction.own],
            "expansion_terms_added": list(prediction.expansion_terms_added),
        }
        return check_expansion(
            history=task.request.history,
            query=task.query,
            prediction=given,
            domain_context=task.context,
            exclusions=task.carried,
            standalone_query=task.standalone,
        )

    def accept(self, task: ExpandTask, prediction: Any) -> Outcome:
        notices = self._notices(task)
        if prediction.left_out:
            codes = ", ".join(sorted(set(prediction.left_out.values())))
            message = f"{len(prediction.left_out)} proposed terms were left out ({codes})."
            notices = (*notices, Notice(code="term_left_out", message=message))
        fields = {
            "expanded_query": prediction.expanded_query,
            "negation_constraints": tuple(prediction.negation_constraints),
            "expansion_terms_added": tuple(prediction.expansion_terms_added),
            "negation_terms_preserved": tuple(prediction.negation_terms_preserved),
            "boolean": boolean_query(
                prediction.stripped, prediction.expansion_terms_added, prediction.exclusions, task.filters
            ),
            "exclusions": tuple(prediction.exclusions),
        }
        return Outcome(fields, notices)

    def fall_back(self, task: ExpandTask, violations: Sequence[Violation]) -> Outcome:
        notice = Notice(
            code="fallback_raw_query", message="The query is searched as the user wrote it; what is ruled out stays so."
        )
        return self._plain(task, notice)

    def describe(self, task: ExpandTask) -> dict[str, Any]:
        def inputs() -> dict[str, Any]:
            carried = None if task.carried is None else [each.model_dump(mode="json") for each in task.carried]
            context = task.context.model_dump(mode="json")
            told = {"standalone_query": task.standalone, "domain_context": context, "exclusions": carried}
            return {**told, "rules_only": True} if task.rules_only else told

        window = [turn.model_dump() for turn in task.request.history[-6:]]
        return {"original": task.query, "window": window, "inputs": Recorded(inputs, task.scope)}

    def discreet(self, task: ExpandTask, text: str) -> str:
        return mask_restricted(text, task.scope)

    def _notices(self, task: ExpandTask) -> tuple[Notice, ...]:
        vague = task.request.detected.vague
        if not vague:
            return ()
        message = "The query rules something out that names nothing that could be searched or checked."
        return (Notice(code="vague_exclusion", message=message),)

    def _plain(self, task: ExpandTask, notice: Notice) -> Outcome:
        """The query as it is; the exclusions that the detector finds stay enforced."""
        request = task.request
        state = tuple(request.detected.exclusions)
        active = tuple(dict.fromkeys(e.phrase for e in state if e.status == "active"))
        fields = {
            "expanded_query": task.standalone,
            "negation_constraints": active,
            "negation_terms_preserved": active,
            "boolean": boolean_query(request.base or task.standalone, (), state, task.filters),
            "exclusions": state,
        }
        return Outcome(fields, (*self._notices(task), notice))


def _texts(context: DomainContext) -> Iterator[str]:
    yield from context.entities
    for table in (context.glossary, context.aliases):
        for term, others in table.items():
            yield from (term, *others)


def _before(task: ExpandTask) -> tuple[Exclusion, ...]:
    """The exclusions before this turn."""
    if task.carried is not None:
        return task.carried
    return tuple(e for e in task.request.detected.exclusions if e.turn is not None)
