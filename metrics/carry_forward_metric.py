"""carry_forward: the metric that optimizers climb (design section 9): right decisions, told with their evidence.

The half that needs a gold; `carry_forward.check` is the half that needs none. No DSPy is imported before `metric` is
called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..data._golden import contains
from ..data.carry_forward import Current, Decision, GoldenRow
from ..signatures.types import Violation
from . import carry_forward
from ._gold import as_prediction, row_of
from ._known_sources import nfc
from ._ledger import normal
from ._ledger_reading import Reading, read

WEIGHTS = {"decisions": 0.4, "current": 0.3, "answers": 0.2, "missing": 0.1}
"""Share of each part in the score; they sum to 1."""

HARD = frozenset({"unparsable", "silently_dropped", "duplicate_question", "contradiction", "not_verbatim"})
"""Codes that make a prediction worth nothing: a question that is lost or altered is the fault this behaviour is for."""

SOFT_FACTOR = 0.5
"""What the score is multiplied by when another rule is broken: the guard would send the prediction back."""

GOOD = 0.6
"""From here on a prediction that breaks no rule is good: the right decisions, and most of what they should say."""

_FAMILIES = {
    "ledger": ("silently_dropped", "duplicate_question", "unknown_question", "not_verbatim", "contradiction",
               "immutable_field_changed", "current_question_lost", "retrieval_failed"),
    "grounded": ("ungrounded_resolution",),
    "whole": ("partial_resolution", "missed_resolution"),
    "form": ("unparsable", "missing_field"),
}  # fmt: skip
COMPONENTS = (*_FAMILIES, "precision", "recall", "decisions", "current", "answers", "missing")
_MOST_NAMED = 3


class Components(NamedTuple):
    """Parts of the score, each in [0, 1] and 1.0 when nothing is wrong.

    Attributes:
        ledger: No question lost, doubled, altered or invented.
        grounded: No answer without evidence.
        whole: Nothing closed by half, nothing left open that a passage answers.
        form: A prediction that can be read, no field blank.
        precision: Share of the resolved questions that the gold resolves.
        recall: Share of the gold's that are resolved.
        decisions: Harmonic mean of the two.
        current: The status of the current question is right, and so is what the answer holds and cites.
        answers: Mean over the gold's resolved questions: citations and facts; 0 for one that was not resolved.
        missing: Share of the open questions that say what is missing, and nothing that is settled.
        score: Weighted mean; halved when a rule is broken, 0 after a hard violation.
        feedback: One sentence: what is wrong, and what a good answer is.
        violations: Codes of the broken rules, in order.
    """

    ledger: float
    grounded: float
    whole: float
    form: float
    precision: float
    recall: float
    decisions: float
    current: float
    answers: float
    missing: float
    score: float
    feedback: str
    violations: tuple[str, ...] = ()

    def parts(self) -> dict[str, float]:
        """Return the components by name, without score and feedback."""
        return {name: getattr(self, name) for name in COMPONENTS}


def metric(example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
    """Score a prediction for an optimizer; the same whatever the trace.

    Args:
        example: A `GoldenRow`, or a `dspy.Example` or mapping with its fields.
        pred: What a program returned; anything at all.
        trace: Ignored, as are `pred_name` and `pred_trace`.

    Returns:
        A `dspy.Prediction` with score, feedback, components (dict) and violations (codes).

    Raises:
        ValueError: The example is no golden row. A malformed prediction never raises.
    """
    return as_prediction(score_components(golden_row(example), pred))


def golden_row(example: Any) -> GoldenRow:
    """Return the golden row that an example holds; raises `ValueError` when there is none."""
    return row_of(example, GoldenRow)


def score_components(row: GoldenRow, prediction: Any) -> Components:
    """Score a prediction against a golden row; pure, and never raises on what a model wrote."""
    found = carry_forward.check(
        turn=row.turn, ledger=row.ledger, question=row.question, context=row.context, prediction=prediction,
        history=row.history,
    )  # fmt: skip
    reading = read(prediction, row.ledger, row.question)
    if row.context is None and not isinstance(reading, Violation) and _unchanged(row, reading):
        found = [v for v in found if v.code != "retrieval_failed"]  # nothing else could have been done
    codes = {violation.code for violation in found}
    parts = {name: float(codes.isdisjoint(family)) for name, family in _FAMILIES.items()}
    if isinstance(reading, Violation):
        parts |= dict.fromkeys(COMPONENTS[len(_FAMILIES) :], 0.0)
    else:
        parts |= _agreement(row, reading)
    mean = sum(share * parts[name] for name, share in WEIGHTS.items())
    score = 0.0 if codes & HARD else round(mean * (SOFT_FACTOR if codes else 1.0), 6)
    feedback = _feedback(row, found, parts, None if isinstance(reading, Violation) else reading)
    return Components(**parts, score=score, feedback=feedback, violations=tuple(v.code for v in found))


def _unchanged(row: GoldenRow, reading: Reading) -> bool:
    """Whether a prediction leaves the ledger as it is, as it must where the retrieval failed."""
    kept = {c.entry.question_id: c.given.missing_evidence for c in reading.carrying if c.entry is not None}
    same = all(kept.get(e.question_id) == e.missing_evidence for e in reading.ledger)
    return same and not reading.resolving and reading.entering is None


def _agreement(row: GoldenRow, reading: Reading) -> dict[str, float]:
    gold = {normal(each.question): each for each in row.gold.pending}
    wanted = {name for name, each in gold.items() if each.decision == "resolved"}
    said = {normal(r.entry.question): r.given for r in reading.resolving if r.entry is not None}
    precision = len(wanted & said.keys()) / len(said) if said else 1.0
    recall = len(wanted & said.keys()) / len(wanted) if wanted else 1.0
    told = [
        _holds(said[name].answer, said[name].citations, gold[name]) if name in said else 0.0 for name in sorted(wanted)
    ]
    return {
        "precision": precision,
        "recall": recall,
        "decisions": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "current": _current(row, reading),
        "answers": sum(told) / len(told) if told else 1.0,
        "missing": _missing(row, reading, gold),
    }


def _current(row: GoldenRow, reading: Reading) -> float:
    gold, given = row.gold.current_answer, reading.answer
    if not row.gold.current.asks and given.status in ("UNANSWERED", gold.status):
        return 1.0  # nothing was asked: any wording will do
    if gold.status == given.status:
        return 1.0 if gold.status == "UNANSWERED" else _holds(given.text or "", given.citations, row.gold.current)
    if "UNANSWERED" in (gold.status, given.status):
        return 0.0
    return 0.5 * _holds(given.text or "", given.citations, row.gold.current)


def _holds(text: str, citations: Sequence[str], right: Current | Decision) -> float:
    """Value an answer by the facts it holds; half of it is gone when it cites too little or something else."""
    cited = set(map(nfc, citations))
    facts = sum(contains(text, fact) for fact in right.facts) / len(right.facts) if right.facts else 1.0
    well = set(map(nfc, right.must_cite)) <= cited and (not right.may_cite or cited <= set(map(nfc, right.may_cite)))
    return facts if well else 0.5 * facts


def _missing(row: GoldenRow, reading: Reading, gold: Mapping[str, Decision]) -> float:
    shares = list[bool]()
    for carrying in reading.carrying:
        words: Sequence[str] = ()
        settled: Sequence[str] = ()
        if carrying.entry is not None:
            right = gold.get(normal(carrying.entry.question))
            words, settled = (right.missing_words, right.settled) if right is not None else ((), ())
        elif carrying.current:
            words = row.gold.current.missing_words
        text = carrying.given.missing_evidence
        there = not words or any(word.casefold() in text.casefold() for word in words)
        shares.append(there and not any(contains(text, word) for word in settled))
    return sum(shares) / len(shares) if shares else 1.0


def _feedback(
    row: GoldenRow, violations: Sequence[Violation], parts: Mapping[str, float], reading: Reading | None
) -> str:
    """Say in one sentence what is wrong, the gravest first, and what a good answer is."""
    hard = [v for v in violations if v.code in HARD]
    told = [v.message.rstrip(".") for v in (*hard, *(v for v in violations if v.code not in HARD))][:_MOST_NAMED]
    gold = row.gold
    if parts["decisions"] < 1.0 or parts["answers"] < 1.0:
        right = [f"{r.question!r} by {r.answer!r}" for r in gold.resolved_questions]
        told.append(f"this turn resolves {'; '.join(right[:_MOST_NAMED]) or 'no pending question'}")
    if parts["current"] < 1.0:
        told.append(f"the current question is {gold.current_answer.status}: {gold.current_answer.text!r}")
    if parts["missing"] < 1.0 and reading is not None:
        right = [f"{e.question!r}: {e.missing_evidence}" for e in gold.updated_unresolved_questions]
        told.append(f"what is missing is {'; '.join(right[:_MOST_NAMED]) or 'nothing'}")
    return "; ".join(told) + "." if told else "Right."
