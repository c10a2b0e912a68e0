"""Golden rows of carry_forward as demos: what a model should have said in each call that the row costs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._carry_forward_problems import normalized
from ._golden import Demo

if TYPE_CHECKING:  # the forms import DSPy, rows need none
    from ..signatures.carry_forward_forms import Form
    from .carry_forward import GoldenRow

_MARKER = re.compile(r"\s*\[Source: ([^\[\]\n]{1,300})\]")


class Call(NamedTuple):
    """One call that the program makes for a row.

    Attributes:
        inputs: Of its predictor.
        places: The questions that it asks about: index into the ledger, or -1 for the current one.
        doc_ids: Ids of its passages, in the order of their numbers.
    """

    inputs: Mapping[str, Any]
    places: Sequence[int]
    doc_ids: Sequence[str]


def to_demos(row: GoldenRow, form: Form, calls: Sequence[Call]) -> list[Demo]:
    """Turn a row into complete demos: one for each call that the program makes, none where it asks no LM.

    Args:
        row: A golden row.
        form: What the model is asked for.
        calls: From the same code as makes the run's, else the demos differ from the prompts they stand in.
    """
    return [_of_call(row, form, call) for call in calls]


def _of_call(row: GoldenRow, form: Form, call: Call) -> Demo:
    told = [_told(row, place, call.doc_ids) for place in call.places]
    if form == "single":
        return Demo("single", {**call.inputs, "answer": told[0]})
    decisions = [{"question": number, "answer": each} for number, each in enumerate(told, 1)]
    return Demo("table", {**call.inputs, "decisions": decisions})


def _told(row: GoldenRow, place: int, doc_ids: Sequence[str]) -> str:
    """Return what the gold says of a question; one that is open has no answer but that of its settled part."""
    gold = row.gold
    question = row.question if place < 0 else row.ledger[place].question
    # By the wording that merges: a question that is asked again stands in the ledger as it was asked first.
    open_after = {normalized(each.question): each.missing_evidence for each in gold.updated_unresolved_questions}
    missing = open_after.get(normalized(question), "")
    if place < 0:
        answer = gold.current_answer.text if gold.current_answer.status != "UNANSWERED" else None
    else:
        resolved = {each.question: each.answer for each in gold.resolved_questions}
        answer = resolved.get(question) or gold.pending[place].part
        missing = "" if question in resolved else missing
    lacking = f"MISSING: {missing}" if missing or not answer else ""
    return " ".join(part for part in (_numbered(answer or "", doc_ids), lacking) if part)


def _numbered(answer: str, doc_ids: Sequence[str]) -> str:
    def number(match: re.Match[str]) -> str:
        return f" [{doc_ids.index(match[1]) + 1}]" if match[1] in doc_ids else ""

    return _MARKER.sub(number, answer)
