"""expand, for everything around its program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..data import expand as golden
from ..data.expand import Demo, GoldenRow
from ..data.leaks import require_apart
from ..metrics.expand_metric import COMPONENTS, metric
from ..modules._expand_rules import ExpandBehaviour
from ..modules.expand import Expand, asked_of
from ..signatures.expand_forms import FORMS, Form
from ._entry import Behaviour, Column, Shown


def _asked(row: GoldenRow) -> dict[str, Any]:
    return {
        "history": list(row.history),
        "query": row.query,
        "standalone_query": row.standalone_query,
        "domain_context": row.domain_context,
        "exclusions": None if row.exclusions is None else list(row.exclusions),
    }


def _demos(row: GoldenRow, form: Form) -> list[Demo]:
    request = ENTRY.inputs(row)["request"]
    return golden.to_demos(row, form, asked_of(request, form) if request.asks else None)


def _answered(row: GoldenRow, prediction: dict[str, Any]) -> GoldenRow | None:
    text, added = prediction.get("expanded_query"), prediction.get("expansion_terms_added") or ()
    if not isinstance(text, str) or not text.strip() or not added:
        return None
    said = {
        "expanded_query": text,
        "expansion_terms_added": tuple(added),
        "negation_constraints": tuple(prediction.get("negation_constraints") or ()),
    }
    return row.model_copy(update={"gold": row.gold.model_copy(update=said)})


def _gold(row: GoldenRow) -> dict[str, Any]:
    said = row.gold.model_dump(mode="json")
    return {name: said[name] for name in ("expanded_query", "negation_constraints", "expansion_terms_added")}


def _copied(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What costs no call and is no toy: the detector's exclusions and the glossary's terms, nothing of a model."""
    request = inputs["request"]
    base = request.base or request.standalone
    return {
        "expanded_query": " ".join((base, *request.known)),
        "negation_constraints": request.detected.active,
        "expansion_terms_added": request.known,
        "negation_terms_preserved": request.detected.active,
    }


def _said(prediction: Mapping[str, Any]) -> str:
    return str(prediction.get("expanded_query", ""))


def _shown(row: GoldenRow) -> Shown:
    return Shown(row.query, row.gold.expanded_query, tuple(f"{turn.role}: {turn.content}" for turn in row.history))


def _reflected(row: GoldenRow) -> dict[str, str]:
    request = ENTRY.inputs(row)["request"]
    return {"query": request.base, "excluded": "; ".join(request.detected.active)}


ENTRY = Behaviour(
    name="expand",
    forms=FORMS,
    program=Expand,
    rules=ExpandBehaviour,
    load=golden.load,
    digest=golden.digest,
    apart=partial(require_apart, behaviour="expand"),
    asked=_asked,
    demos=_demos,
    answered=_answered,
    gold=_gold,
    copied=_copied,
    fields=("expanded_query", "negation_constraints", "expansion_terms_added", "negation_terms_preserved"),
    said=_said,
    shown=_shown,
    reflected=_reflected,
    metric=metric,
    components=COMPONENTS,
    takes=(
        Column("query", "text", required=True),
        Column("history", "turns"),
        Column("standalone_query", "text"),
        Column("domain_context", "json"),
        Column("exclusions", "json"),
        Column("access_scope", "json"),
    ),
    gives=(
        Column("expanded_query", "text"),
        Column("negation_constraints", "texts"),
        Column("expansion_terms_added", "texts"),
        Column("boolean", "json"),
        Column("exclusions", "json"),
    ),
)
