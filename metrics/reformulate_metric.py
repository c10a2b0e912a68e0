"""reformulate: the metric that optimizers climb (design section 9): the checks and the agreement with a gold.

The half that needs a gold; `reformulate.check` is the half that needs none. No DSPy is imported before `metric` is
called, so that the score can be had without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..data.reformulate import GoldenRow, contains
from ..signatures.reformulate import Reformulation
from ..signatures.types import Violation
from . import reformulate
from ._content import Term, missing, must_survive, terms
from ._gold import as_prediction, row_of
from ._language import unspaced
from ._predictions import read_prediction
from ._text import fold

WEIGHTS = {
    "residual": 0.36,
    "action": 0.18,
    "unsupported": 0.15,
    "dropped": 0.15,
    "form": 0.12,
    "language": 0.04,
}
"""Share of each check in their mean, by which the agreement is multiplied; they sum to 1.

A product and no sum: a query returned as it was, or any fluent text, passes most checks and must earn nothing by that.
A residual reference weighs most, since it is the fault this behaviour exists for. The scope has no share: a leak gives
0 whatever else holds."""

HARD = frozenset({"empty_query", "unparsable", "scope_leak", "answered"})
"""Codes that make a prediction worth nothing."""

MISSED = 0.5
"""What the agreement is multiplied with when a required phrase is missing or a forbidden one is there.

A factor and not only a bound: an answer that gets one of two referents stays ahead of one that gets none."""

GOOD = 0.6
"""From here on a prediction that breaks no rule is good: every required phrase, and 0.6 of the words (F1)."""

_FAMILIES = {
    "residual": ("residual_reference",),
    "unsupported": ("unsupported_term", "unsupported_reference"),
    "dropped": ("dropped_term",),
    "scope": ("scope_leak",),
    "language": ("language_changed",),
    "form": ("empty_query", "unparsable", "not_single_utterance", "too_long", "answered"),
}
_MOST_NAMED = 3


class Components(NamedTuple):
    """Parts of the score, each in [0, 1] and 1.0 when nothing is wrong.

    Attributes:
        residual: No reference is left that needs an earlier turn.
        unsupported: No word or reference without a source.
        dropped: No word of the query is lost.
        scope: Nothing beyond the access scope.
        language: The language of the query.
        form: One utterance that can be read, of bearable length, no answer.
        agreement: Content words shared with the closest reference (F1 by lemma), halved when a required phrase is
            missing or a forbidden one is there.
        action: Rewritten, left alone or handed back where the gold says so.
        score: The agreement times the weighted mean of the checks; 0 after a hard violation.
        feedback: One sentence: what is wrong, and what a good answer is.
        violations: Codes of the broken rules, in order.
    """

    residual: float
    unsupported: float
    dropped: float
    scope: float
    language: float
    form: float
    agreement: float
    action: float
    score: float
    feedback: str
    violations: tuple[str, ...] = ()

    def parts(self) -> dict[str, float]:
        """Return the components by name, without score and feedback."""
        return {name: getattr(self, name) for name in (*_FAMILIES, "agreement", "action")}


def metric(example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
    """Score a prediction for an optimizer; the same whatever the trace.

    Args:
        example: A `GoldenRow`, or a `dspy.Example` or mapping with its fields.
        pred: What a program returned; anything at all.
        trace: Ignored, as are `pred_name` and `pred_trace`: scores that depend on them break GEPA and Bootstrap.

    Returns:
        A `dspy.Prediction` with score, feedback, components (dict) and violations (codes).

    Raises:
        ValueError: The gold cannot be used.
    """
    return as_prediction(score_components(golden_row(example), pred))


def golden_row(example: Any) -> GoldenRow:
    """Return the golden row that an example holds; raises `ValueError` when there is none."""
    return row_of(example, GoldenRow)


def score_components(row: GoldenRow, prediction: Any) -> Components:
    """Score a prediction against a golden row; pure, and never raises on what a model wrote."""
    violations = reformulate.check(
        history=row.history, query=row.query, prediction=prediction, access_scope=row.access_scope
    )
    codes = {violation.code for violation in violations}
    checks = {name: float(codes.isdisjoint(family)) for name, family in _FAMILIES.items()}
    text, declared = _said(prediction)
    faults = _faults(row, text)
    words = max(_f1(text, reference, row.language) for reference in _references(row))
    parts = {**checks, "agreement": MISSED * words if faults else words, "action": _action(row, text, declared)}
    passed = sum(share * parts[name] for name, share in WEIGHTS.items())
    score = 0.0 if codes & HARD else round(parts["agreement"] * passed, 6)
    feedback = _feedback(row, violations, faults, parts)
    return Components(**parts, score=score, feedback=feedback, violations=tuple(v.code for v in violations))


def _said(prediction: Any) -> tuple[str, str | None]:
    """Return the text and the declared action of a prediction; an unusable one says nothing."""
    parsed = read_prediction(prediction, Reformulation)
    return ("", None) if isinstance(parsed, Violation) else (parsed.standalone_query, parsed.action)


def _references(row: GoldenRow) -> tuple[str, ...]:
    return (row.gold.standalone_query, *row.gold.acceptable)


def _faults(row: GoldenRow, text: str) -> list[str]:
    lacks = [f"'{phrase}' is missing" for phrase in row.gold.must_contain if not contains(text, phrase)]
    return lacks + [
        f"'{phrase}' does not belong there" for phrase in row.gold.must_not_contain if contains(text, phrase)
    ]


def _action(row: GoldenRow, text: str, declared: str | None) -> float:
    if declared == "clarify" or row.gold.action == "clarify":
        return float(declared == row.gold.action)
    if any(_plain(text) == _plain(reference) for reference in _references(row)):
        return 1.0
    return float((_plain(text) == _plain(row.query)) == (row.gold.action == "unchanged"))


def _plain(text: str) -> str:
    return " ".join(fold(text).split()).rstrip(" .?!。？！")


def _f1(text: str, reference: str, language: str) -> float:
    """Return the F1 of content words by lemma; of characters in scripts without spaces."""
    if _plain(text) == _plain(reference):
        return 1.0
    if unspaced(reference) or unspaced(text):
        got, wanted = list(_plain(text).replace(" ", "")), list(_plain(reference).replace(" ", ""))
        shared = sum((Counter(got) & Counter(wanted)).values())
        return _harmonic(shared / max(1, len(got)), shared / max(1, len(wanted)))
    english = language == "en"
    said, meant = _content(text, language), _content(reference, language)
    if not said or not meant:
        said, meant = terms(text), terms(reference)  # "hi there": nothing but function words on one side
    precision = 1 - len(missing(said, meant, english=english)) / max(1, len(said))
    recall = 1 - len(missing(meant, said, english=english)) / max(1, len(meant))
    return _harmonic(precision, recall) if said and meant else 0.0


def _content(text: str, language: str) -> list[Term]:
    return [term for term in terms(text) if must_survive(term, language)]


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def _feedback(
    row: GoldenRow, violations: Sequence[Violation], faults: Sequence[str], parts: Mapping[str, float]
) -> str:
    """Say in one sentence what is wrong, the gravest first, and what a good answer is."""
    hard = [v for v in violations if v.code in HARD]
    told = [v.message for v in (*hard, *(v for v in violations if v.code not in HARD))]
    told = [*(message.rstrip(".") for message in told[:_MOST_NAMED]), *faults[:_MOST_NAMED]]
    if not parts["action"]:
        told.append(f"the action should be `{row.gold.action}`")
    if not told and parts["agreement"] == 1.0:
        return "Right."
    reasons = "; ".join(told) or "Right in substance, worded otherwise than the reference"
    return f"{reasons}; a good answer is: {row.gold.standalone_query}"
