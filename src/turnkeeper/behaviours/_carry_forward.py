"""carry_forward, for everything around its program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..data import carry_forward as golden
from ..data.carry_forward import Call, Demo, GoldenRow
from ..data.leaks import require_apart
from ..metrics.carry_forward_metric import COMPONENTS, metric
from ..modules._carry_forward_compose import composed
from ..modules._carry_forward_prompt import inputs_of
from ..modules._carry_forward_request import CarryForwardRequest, Decided
from ..modules._carry_forward_rules import CarryForwardBehaviour
from ..modules.carry_forward import CarryForward
from ..signatures.carry_forward_forms import FORMS, Form
from ._entry import Behaviour, Column, Shown

_FIELDS = ("current_answer", "resolved_questions", "updated_unresolved_questions")


def _asked(row: GoldenRow) -> dict[str, Any]:
    return {
        "turn": row.turn,
        "history": list(row.history),
        "ledger": list(row.ledger),
        "query": row.question,
        "context": None if row.context is None else list(row.context),
    }


def _demos(row: GoldenRow, form: Form) -> list[Demo]:
    request = ENTRY.inputs(row)["request"]
    calls = [
        Call(
            inputs_of(request, batch, form),
            [item.place for item in batch.asked],
            [passage.doc_id for passage in batch.evidence],
        )
        for batch in CarryForward(form).batches(request)
    ]
    return golden.to_demos(row, form, calls)


def _answered(row: GoldenRow, prediction: dict[str, Any]) -> GoldenRow | None:
    if not all(prediction.get(name) is not None for name in _FIELDS):
        return None
    said = {name: prediction[name] for name in _FIELDS}
    told = type(row.gold).model_validate({**row.gold.model_dump(), **said})
    resolved = {each.question for each in told.resolved_questions}
    pending = tuple(
        each.model_copy(update={"decision": "resolved" if each.question in resolved else "carried", "part": None})
        for each in told.pending
    )
    return row.model_copy(update={"gold": told.model_copy(update={"pending": pending})})


def _gold(row: GoldenRow) -> dict[str, Any]:
    said = row.gold.model_dump(mode="json")
    return {name: said[name] for name in _FIELDS}


def _copied(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What costs no call: every question stays open."""
    request: CarryForwardRequest = inputs["request"]
    kept = composed(request, [Decided(item.place) for item in request.asked], 0)
    return {name: kept[name] for name in _FIELDS}


def _said(prediction: Mapping[str, Any]) -> str:
    current = _plain(prediction.get("current_answer")) or {}
    lines = [f"{current.get('status', '')}: {current.get('text') or '-'}"] if current else []
    for each in map(_plain, prediction.get("resolved_questions") or ()):
        lines.append(f"resolved: {each['question']} -> {each['answer']}")
    for each in map(_plain, prediction.get("updated_unresolved_questions") or ()):
        lines.append(f"open: {each['question']} ({each['missing_evidence']})")
    return "\n".join(lines)


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _shown(row: GoldenRow) -> Shown:
    history = [f"{turn.role}: {turn.content}" for turn in row.history]
    return Shown(row.question, _said(_gold(row)), (*history, *(f"open: {entry.question}" for entry in row.ledger)))


def _reflected(row: GoldenRow) -> dict[str, str]:
    request = ENTRY.inputs(row)["request"]
    batches = request.batches()
    read = [inputs_of(request, batch, "table") for batch in batches]
    return {name: "\n".join(each[name] for each in read) for name in ("passages", "questions")}


ENTRY = Behaviour(
    name="carry_forward",
    forms=FORMS,
    program=CarryForward,
    rules=CarryForwardBehaviour,
    load=golden.load,
    digest=golden.digest,
    apart=partial(require_apart, behaviour="carry_forward"),
    asked=_asked,
    demos=_demos,
    answered=_answered,
    gold=_gold,
    copied=_copied,
    fields=_FIELDS,
    said=_said,
    shown=_shown,
    reflected=_reflected,
    metric=metric,
    components=COMPONENTS,
    takes=(
        Column("query", "text", required=True),
        Column("turn", "json", required=True),
        Column("ledger", "json", required=True),
        Column("context", "json", required=True),
        Column("history", "turns"),
        Column("standalone_query", "text"),
        Column("evidence", "json"),
        Column("registry", "json"),
        Column("exclusions", "json"),
        Column("access_scope", "json"),
        Column("current_answer", "json"),
        Column("current_missing", "text"),
        Column("policy", "json"),
    ),
    gives=(
        Column("current_answer", "json"),
        Column("resolved_questions", "json"),
        Column("updated_unresolved_questions", "json"),
        Column("ledger", "json"),
        Column("human_review", "json"),
    ),
)
