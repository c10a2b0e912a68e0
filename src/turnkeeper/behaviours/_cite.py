"""cite, for everything around its program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..data import cite as golden
from ..data.cite import Demo, GoldenRow
from ..data.leaks import require_apart
from ..metrics._abstention import is_abstention
from ..metrics.cite_metric import COMPONENTS, metric
from ..modules._cite_render import rendered
from ..modules._cite_rules import CiteBehaviour
from ..modules.cite import Cite, asked_of
from ..signatures.cite import ABSTENTION, CitedAnswer
from ..signatures.cite_forms import FORMS, Form
from ._cite_extract import extract
from ._entry import Behaviour, Column, Shown

_SAID = ("answer", "sources", "new_citations", "reused_citations")


def _asked(row: GoldenRow) -> dict[str, Any]:
    return {
        "history": list(row.history),
        "query": row.question,
        "registry": row.registry,
        "context": None if row.context is None else list(row.context),
        "turn": row.turn,
        "access_scope": row.access_scope,
    }


def _demos(row: GoldenRow, form: Form) -> list[Demo]:
    shown = ENTRY.inputs(row)["evidence"]
    return golden.to_demos(row, form, _prompted(row) if shown else None, [item.doc_id for item in shown])


def _prompted(row: GoldenRow) -> dict[str, Any]:
    inputs = ENTRY.inputs(row)
    return asked_of(inputs["history"], inputs["question"], inputs["evidence"])


def _answered(row: GoldenRow, prediction: dict[str, Any]) -> GoldenRow | None:
    try:
        said = CitedAnswer.model_validate({name: prediction.get(name) or () for name in _SAID})
    except ValueError:
        return None
    declined = is_abstention(said.answer)
    if not declined and not said.sources:
        return None
    fields = {**said.model_dump(include=set(_SAID[2:])), "answer": said.answer, "sources": said.sources}
    return row.model_copy(update={"gold": row.gold.model_copy(update={**fields, "abstain": declined})})


def _gold(row: GoldenRow) -> dict[str, Any]:
    said = row.gold.model_dump(mode="json")
    return {name: said[name] for name in _SAID}


def _copied(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What costs no call and is no toy: the sentences that share most words with the question, rendered as ever."""
    found = inputs["evidence"]
    told = rendered(extract(inputs["question"], found), found, inputs["registry"].convention)
    return {
        "answer": told.answer,
        "sources": told.sources,
        "new_citations": told.new,
        "reused_citations": told.reused,
        "unknown": told.unknown,
        "abstained": told.answer == ABSTENTION,
    }


def _said(prediction: Mapping[str, Any]) -> str:
    return str(prediction.get("answer", ""))


def _shown(row: GoldenRow) -> Shown:
    return Shown(row.question, row.gold.answer, tuple(f"{turn.role}: {turn.content}" for turn in row.history))


def _reflected(row: GoldenRow) -> dict[str, str]:
    return {name: value for name, value in _prompted(row).items() if name != "correction_feedback"}


ENTRY = Behaviour(
    name="cite",
    forms=FORMS,
    program=Cite,
    rules=CiteBehaviour,
    load=golden.load,
    digest=golden.digest,
    apart=partial(require_apart, behaviour="cite"),
    asked=_asked,
    demos=_demos,
    answered=_answered,
    gold=_gold,
    copied=_copied,
    fields=(*_SAID, "unknown", "abstained"),
    said=_said,
    shown=_shown,
    reflected=_reflected,
    metric=metric,
    components=COMPONENTS,
    takes=(
        Column("query", "text", required=True),
        Column("context", "json", required=True),
        Column("registry", "json"),
        Column("turn", "json", required=True),
        Column("history", "turns"),
        Column("access_scope", "json"),
    ),
    gives=(
        Column("answer", "text"),
        Column("sources", "json"),
        Column("new_citations", "texts"),
        Column("reused_citations", "texts"),
        Column("registry", "json"),
        Column("abstained", "json"),
    ),
)
