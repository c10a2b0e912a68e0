"""What compiling needs to know of each behaviour; one entry a behaviour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dspy

from ..data import reformulate as golden
from ..data.leaks import require_apart
from ..data.reformulate import Asked, Demo, GoldenRow
from ..errors import InputError
from ..modules._reformulate_plan import plan
from ..modules._reformulate_rules import ReformulateBehaviour
from ..modules._window import quote, window
from ..modules.reformulate import Reformulate
from ..signatures.reformulate_forms import FORMS, Form
from ..signatures.types import ResolvedReference, Turn


class CompileBehaviour(NamedTuple):
    """A behaviour as the optimizers see it.

    Attributes:
        name: Its stem.
        forms: What its model may be asked for, the default first.
        program: A form -> the bare program.
        load: A split and a folder (None: the shipped set) -> rows.
        digest: The same -> digest of the rows.
        apart: A folder (None: the shipped set); raises `RowError` when a row of one split stands in another.
        demos: A row and a form -> complete demos.
        answered: A row and a prediction's fields -> the row with that prediction as its gold, or None when it has none.
        inputs: A row -> the program's inputs.
        gold: A row -> the fields of the prediction that its gold is.
        copied: A row -> the fields of a prediction that copies the user's words, the baseline to beat.
        metric: The five-argument metric of the behaviour.
    """

    name: str
    forms: tuple[str, ...]
    program: Callable[[Any], dspy.Module]
    load: Callable[[str, Path | None], list[GoldenRow]]
    digest: Callable[[str, Path | None], str]
    apart: Callable[[Path | None], None]
    demos: Callable[[GoldenRow, Any], list[Demo]]
    answered: Callable[[GoldenRow, dict[str, Any]], GoldenRow | None]
    inputs: Callable[[GoldenRow], dict[str, Any]]
    gold: Callable[[GoldenRow], dict[str, Any]]
    copied: Callable[[GoldenRow], dict[str, Any]]
    metric: Callable[[], Callable[..., Any]]


def _ask(history: Sequence[Turn], query: str, form: Form) -> Asked:
    decided = plan(query, history, form)
    picked = {number for number, _ in decided.picked}
    mentions = tuple(m.text for number, m in enumerate(decided.mentions) if number not in picked)
    if decided.ask == "referents" and not mentions:
        return Asked("nothing", "")
    return Asked(decided.ask, quote(window(history, query)), mentions)


def _seen(row: GoldenRow) -> GoldenRow:
    """Return the row as the guard would pass it on: restricted terms of the history masked."""
    return row.model_copy(update={"history": _inputs(row)["history"]})


def _inputs(row: GoldenRow) -> dict[str, Any]:
    rules = ReformulateBehaviour()
    asked = {"history": row.history, "query": row.query, "access_scope": row.access_scope}
    return rules.program_inputs(rules.prepare(asked, scrub=None, risk_level="normal"))


def _demos(row: GoldenRow, form: Form) -> list[Demo]:
    row = _seen(row)
    decided = plan(row.query, row.history, form)
    demos = golden.to_demos(row, form, _ask)
    # The program shows the model what a pick stands for, so a demo must show the same.
    return [demo._replace(fields={**demo.fields, "query": " ".join(decided.query.split())}) for demo in demos]


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


def _metric() -> Callable[..., Any]:
    from ..metrics.reformulate_metric import metric

    return metric


BEHAVIOURS: dict[str, CompileBehaviour] = {
    "reformulate": CompileBehaviour(
        name="reformulate",
        forms=FORMS,
        program=Reformulate,
        load=golden.load,
        digest=golden.digest,
        apart=require_apart,
        demos=_demos,
        answered=_answered,
        inputs=_inputs,
        gold=_gold,
        copied=lambda row: {"standalone_query": row.query, "action": "unchanged", "resolved_references": ()},
        metric=_metric,
    )
}


def find(name: str) -> CompileBehaviour:
    """Return a behaviour; raises `InputError` that lists what there is."""
    if name not in BEHAVIOURS:
        raise InputError(f"no behaviour {name!r} to compile; there is: {', '.join(sorted(BEHAVIOURS))}")
    return BEHAVIOURS[name]
