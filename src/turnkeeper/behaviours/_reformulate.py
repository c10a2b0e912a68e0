"""reformulate, for everything around its program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data import reformulate as golden
from ..data.leaks import require_apart
from ..data.reformulate import Asked, Demo, GoldenRow
from ..metrics.reformulate_metric import WEIGHTS, metric
from ..modules._reformulate_plan import plan
from ..modules._reformulate_rules import ReformulateBehaviour
from ..modules._window import quote, window
from ..modules.reformulate import Reformulate
from ..signatures.reformulate_forms import FORMS, Form
from ..signatures.types import ResolvedReference, Turn
from ._entry import Behaviour, Column, Shown


def _asked(row: GoldenRow) -> dict[str, Any]:
    return {"history": list(row.history), "query": row.query, "access_scope": row.access_scope}


def _demos(row: GoldenRow, form: Form) -> list[Demo]:
    # As the guard would pass it on: restricted terms of the history masked.
    row = row.model_copy(update={"history": ENTRY.inputs(row)["history"]})
    decided = plan(row.query, row.history, form)
    demos = golden.to_demos(row, form, _ask)
    # The program shows the model what a pick stands for, so a demo must show the same.
    return [demo._replace(fields={**demo.fields, "query": " ".join(decided.query.split())}) for demo in demos]


def _ask(history: Sequence[Turn], query: str, form: Form) -> Asked:
    decided = plan(query, history, form)
    picked = {number for number, _ in decided.picked}
    mentions = tuple(m.text for number, m in enumerate(decided.mentions) if number not in picked)
    if decided.ask == "referents" and not mentions:
        return Asked("nothing", "")
    return Asked(decided.ask, quote(window(history, query)), mentions)


def _answered(row: GoldenRow, prediction: dict[str, Any]) -> GoldenRow | None:
    text = prediction.get("standalone_query")
    if not isinstance(text, str) or not text.strip():
        return None
    references = tuple(ResolvedReference.model_validate(r) for r in prediction.get("resolved_references") or ())
    said = {"standalone_query": text, "resolved_references": references, "action": prediction.get("action", "rewrite")}
    return row.model_copy(update={"gold": row.gold.model_copy(update=said)})


def _gold(row: GoldenRow) -> dict[str, Any]:
    said = row.gold.model_dump(mode="json")
    return {name: said[name] for name in ("standalone_query", "resolved_references", "action")}


def _copied(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"standalone_query": inputs["query"], "action": "unchanged", "resolved_references": ()}


def _said(prediction: Mapping[str, Any]) -> str:
    return str(prediction.get("standalone_query", ""))


def _shown(row: GoldenRow) -> Shown:
    return Shown(row.query, row.gold.standalone_query, tuple(_lines(row.history)))


def _reflected(row: GoldenRow) -> dict[str, str]:
    return {"history": "\n".join(_lines(ENTRY.inputs(row)["history"])), "query": row.query}


def _lines(history: Sequence[Turn]) -> list[str]:
    return [f"{turn.role}: {turn.content}" for turn in history]


ENTRY = Behaviour(
    name="reformulate",
    forms=FORMS,
    program=Reformulate,
    rules=ReformulateBehaviour,
    load=golden.load,
    digest=golden.digest,
    apart=require_apart,
    asked=_asked,
    demos=_demos,
    answered=_answered,
    gold=_gold,
    copied=_copied,
    fields=("standalone_query", "resolved_references", "access_constraints_applied", "action"),
    said=_said,
    shown=_shown,
    reflected=_reflected,
    metric=metric,
    components=(*WEIGHTS, "scope", "agreement"),
    takes=(Column("query", "text", required=True), Column("history", "turns"), Column("access_scope", "json")),
    gives=(Column("standalone_query", "text"), Column("action", "text")),
)
