"""expand: the metric that optimizers climb (design section 9): exclusions that hold, and added terms that help.

The half that needs a gold; `expand.check` is the half that needs none. No DSPy is imported before `metric` is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..data.expand import GoldenRow
from ..signatures.expand import Expansion
from ..signatures.types import Violation
from . import expand
from ._content import bases, is_function_word, terms
from ._gold import as_prediction, row_of
from ._predictions import read_prediction

WEIGHTS = {"terms": 0.6, "unsupported": 0.2, "form": 0.2}
"""Share of each part in their mean, by which the agreement on the exclusions is multiplied; they sum to 1."""

HARD = frozenset({"empty_query", "unparsable", "excluded_term_present"})
"""Codes that make a prediction worth nothing: searching for what was ruled out is the fault this behaviour is for."""

GOOD = 0.6
"""From here on a prediction that breaks no rule is good: the right exclusions, and a third of the terms useful."""

ENOUGH = 4
"""Useful words after which more earn nothing: a search with eight terms is no better than one with four."""

_FAMILIES = {
    "leak": ("excluded_term_present",),
    "unsupported": ("unsupported_term",),
    "form": ("empty_query", "unparsable"),
}
COMPONENTS = (*_FAMILIES, "kept", "wanted", "terms")
_MOST_NAMED = 3


class Components(NamedTuple):
    """Parts of the score, each in [0, 1] and 1.0 when nothing is wrong.

    Attributes:
        leak: No excluded phrase, inflection or alias in the query.
        unsupported: No name or number of nowhere.
        form: A query that can be searched.
        kept: Share of the gold's exclusions that the prediction holds (the detector's dropped ones).
        wanted: Share of the prediction's exclusions that the gold holds (invented ones hide right pages).
        terms: Harmonic mean of the share of added terms that are useful and of how many useful words there are.
        score: Agreement on the exclusions times the weighted mean of the rest; 0 after a hard violation.
        feedback: One sentence: what is wrong, and what a good answer is.
        violations: Codes of the broken rules, in order.
    """

    leak: float
    unsupported: float
    form: float
    kept: float
    wanted: float
    terms: float
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
    violations = expand.check(
        history=row.history,
        query=row.query,
        prediction=prediction,
        domain_context=row.domain_context,
        exclusions=row.exclusions,
        standalone_query=row.standalone_query,
    )
    codes = {violation.code for violation in violations}
    said = read_prediction(prediction, Expansion, none_is_absent=True)
    given = said if isinstance(said, Expansion) else Expansion(expanded_query="")
    checks = {name: float(codes.isdisjoint(family)) for name, family in _FAMILIES.items()}
    gold, ours = row.gold.negation_constraints, given.negation_constraints
    parts = {
        **checks,
        "kept": _share(gold, ours),
        "wanted": _share(ours, gold),
        "terms": _usefulness(row, given.expansion_terms_added),
    }
    agreement = _harmonic(parts["kept"], parts["wanted"])
    mean = sum(share * parts[name] for name, share in WEIGHTS.items())
    score = 0.0 if codes & HARD else round(agreement * mean, 6)
    feedback = _feedback(row, violations, parts)
    return Components(**parts, score=score, feedback=feedback, violations=tuple(v.code for v in violations))


def _share(wanted: Sequence[str], found: Sequence[str]) -> float:
    """Return the share of phrases that have a partner with the same content words; 1.0 where none is wanted."""
    there = [_words(phrase) for phrase in found]
    return sum(_words(phrase) in there for phrase in wanted) / len(wanted) if wanted else 1.0


def _usefulness(row: GoldenRow, added: Sequence[str]) -> float:
    """Value added terms by the words that a good page holds; where the gold adds nothing, adding nothing is right."""
    gold = row.gold
    best = _all_words(gold.expansion_terms_added)
    useful = best | _all_words((*gold.acceptable_terms, *gold.relevant_terms))
    if not useful:
        return float(not added)
    if not added:
        return 0.0
    hits = [_words(term) & useful for term in added]
    enough = min(ENOUGH, len(best or useful))
    there = min(1.0, len(frozenset().union(*hits)) / enough)
    return _harmonic(sum(map(bool, hits)) / len(added), there)


def _all_words(phrases: Sequence[str]) -> frozenset[str]:
    return frozenset().union(*map(_words, phrases))


def _words(text: str) -> frozenset[str]:
    """Return the content words of a phrase in one form each, whatever their inflection."""
    found = [t for t in terms(text) if t.kind != "negation"]
    content = [t for t in found if t.kind != "word" or not is_function_word(t.key, None)]
    return frozenset(min(bases(t.key, True)) if t.kind == "word" else t.key for t in content or found)


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def _feedback(row: GoldenRow, violations: Sequence[Violation], parts: Mapping[str, float]) -> str:
    """Say in one sentence what is wrong, the gravest first, and what a good answer is."""
    hard = [v for v in violations if v.code in HARD]
    told = [v.message.rstrip(".") for v in (*hard, *(v for v in violations if v.code not in HARD))][:_MOST_NAMED]
    gold = row.gold
    if parts["kept"] < 1.0 or parts["wanted"] < 1.0:
        told.append(f"what is ruled out is: {'; '.join(gold.negation_constraints) or 'nothing'}")
    if parts["terms"] < 1.0:
        good = gold.expansion_terms_added or gold.relevant_terms
        told.append(f"useful terms are: {'; '.join(good)}" if good else "nothing should be added")
    return "; ".join(told) + "." if told else "Right."
