"""reformulate: the program that makes a query stand alone, and its rules for the guard (design section 4)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import dspy
from pydantic import TypeAdapter, ValidationError

from ..errors import InputError
from ..metrics._language import identify
from ..metrics._scope import access_constraints, beyond_scope, named_terms
from ..metrics.reformulate import check as check_reformulation
from ..signatures.reformulate import ReformulateResult
from ..signatures.reformulate_forms import FORMS, Form, ResolveReferents, RewriteQuery
from ..signatures.types import AccessScope, MetadataFilter, Notice, ResolvedReference, Turn, Violation
from ._guard import Outcome, RiskLevel, Scrub
from ._masking import mask_restricted
from ._reformulate_doubts import anchored, doubts_of_referent, doubts_of_rewrite, fits, turn_of
from ._reformulate_plan import Plan, plan
from ._substitution import Resolved, clean_referent, nominal, substitute
from ._window import quote, window

_HISTORY = TypeAdapter(list[Turn])
_FILTERS = TypeAdapter(list[MetadataFilter])


class Reformulate(dspy.Module):  # type: ignore[misc]
    """Make the user's query stand alone.

    The bare program: what optimizers compile. It asks at most one predictor a call, and none where rules suffice.

    Args:
        form: "referents" asks what each mention stands for and substitutes by code; "rewrite" asks for the whole query.
    """

    def __init__(self, form: Form = "referents") -> None:
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self.form = form
        if form == "referents":
            self.referents = dspy.Predict(ResolveReferents)
        self.rewrite = dspy.Predict(RewriteQuery)

    def forward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction with `standalone_query`, `resolved_references`, `action`, `notices`, `lm_calls`."""
        decided = plan(query, history, self.form)
        if decided.ask == "nothing" or not _open(decided):
            return _compose(decided, query, history, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        return _compose(decided, query, history, predictor(**_asked(decided, query, history, correction_feedback)))

    async def aforward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`, without blocking."""
        decided = plan(query, history, self.form)
        if decided.ask == "nothing" or not _open(decided):
            return _compose(decided, query, history, {})
        predictor = self.referents if decided.ask == "referents" else self.rewrite
        asked = await predictor.acall(**_asked(decided, query, history, correction_feedback))
        return _compose(decided, query, history, asked)


def _open(decided: Plan) -> list[int]:
    """Return the indices of the mentions that a model has to resolve; a rewrite is always open."""
    if decided.ask != "referents":
        return [0]
    picked = {number for number, _ in decided.picked}
    return [number for number in range(len(decided.mentions)) if number not in picked]


def _asked(decided: Plan, query: str, history: Sequence[Turn], feedback: str) -> dict[str, Any]:
    """Return the inputs of the predictor, with the JSON that an engine may prefill where the adapter knows how."""
    inputs: dict[str, Any] = {
        "history": quote(window(history, query)),
        "query": " ".join(decided.query.split()),
        "correction_feedback": feedback,
    }
    if decided.ask == "referents":
        inputs["mentions"] = [decided.mentions[number].text for number in _open(decided)]
    # Only an adapter that says so knows what a skeleton is; others would hand it to the LM as an option.
    if getattr(dspy.settings.adapter, "takes_skeleton", False):
        skeleton = _skeleton(decided, inputs.get("mentions", []))
        return {**inputs, "config": {"skeleton": skeleton}} if skeleton else inputs
    return inputs


def _skeleton(decided: Plan, mentions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the answer's fixed JSON with holes for what the model has to give."""
    if decided.ask == "rewrite":
        if not decided.kept:
            return []
        start = json.dumps(decided.kept, ensure_ascii=False)[1:-1]
        hole = {"hole": {"max_tokens": 120, "stop": '"'}}
        return [{"text": f'{{"standalone_query": "{start}'}, hole, {"text": '"}'}]
    skeleton: list[dict[str, Any]] = []
    lead = '{"referents": ['
    for mention in mentions:
        skeleton += [
            {"text": f'{lead}{{"mention": {json.dumps(mention, ensure_ascii=False)}, "referent": "'},
            {"hole": {"max_tokens": 40, "stop": '"'}},
        ]
        lead = '"}, '
    return [*skeleton, {"text": '"}]}'}]


def _compose(decided: Plan, query: str, history: Sequence[Turn], asked: Any) -> dspy.Prediction:
    """Turn a predictor's answer into the prediction; never raises on what a model wrote."""
    if decided.ask == "referents":
        return _substituted(decided, query, history, asked)
    if decided.ask == "nothing":
        text, calls = decided.query, 0
    else:
        answer, calls = asked["standalone_query"], 1
        text = " ".join(answer.split()) if isinstance(answer, str) else ""
    same = text == " ".join(query.split())
    return _prediction(
        query if same else text,
        "unchanged" if same else "rewrite",
        lm_calls=calls,
        notices=doubts_of_rewrite(decided, query, text, history),
        raw=text if calls else None,
        reason=decided.reason,
    )


def _substituted(decided: Plan, query: str, history: Sequence[Turn], asked: Any) -> dspy.Prediction:
    answers = dict(decided.picked)
    wanted = _open(decided)
    given = asked["referents"] if wanted else []
    for number, item in zip(wanted, given if isinstance(given, (list, tuple)) else [], strict=False):
        answers[number] = nominal(clean_referent(str(getattr(item, "referent", ""))))
    resolved, notices = [], []
    for number, mention in enumerate(decided.mentions):
        referent = answers.get(number, "")
        if not fits(mention, referent, query):
            continue  # the mention stays, and the check names it
        resolved.append(Resolved(mention, referent))
        notices += doubts_of_referent(mention, referent, history, by_rule=number not in wanted)
    references = tuple(
        ResolvedReference(mention=r.mention.text, referent=r.referent, turn=turn_of(r.referent, history))
        for r in resolved
    )
    return _prediction(
        substitute(query, anchored(query, resolved, history), english=identify(query) in (None, "en")),
        "rewrite" if resolved else "unchanged",
        resolved_references=references,
        notices=tuple(notices),
        lm_calls=1 if wanted else 0,
        raw=json.dumps([answers.get(n, "") for n in range(len(decided.mentions))], ensure_ascii=False),
        reason=decided.reason,
    )


def _prediction(text: str, action: str, **fields: Any) -> dspy.Prediction:
    filled = {"resolved_references": (), "notices": (), "lm_calls": 1, "raw": None, **fields}
    return dspy.Prediction(standalone_query=text, action=action, **filled)


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
        masked = tuple(
            Turn(role=t.role, content=mask_restricted(scrub(t.content) if scrub else t.content, scope)) for t in history
        )
        return ReformulateTask(masked, inputs["query"], scope, tuple(filters), risk_level)

    def key(self, task: ReformulateTask) -> Hashable:
        scope = task.scope.model_dump_json() if task.scope else ""
        return task.query, task.history, scope, tuple(f.model_dump_json() for f in task.filters), task.risk_level

    def settled(self, task: ReformulateTask) -> Outcome | None:
        """A query that names a restricted term goes to no model: it is blocked as it stands."""
        if task.scope is not None and named_terms(task.query, task.scope.restricted_terms):
            return self._outcome(task, task.query, "unchanged", ())
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
        return check_reformulation(history=task.history, query=task.query, prediction=given, access_scope=task.scope)

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
