"""cite: the metric that optimizers climb (design section 9): the right sources, the right facts, nothing of nowhere.

The half that needs a gold; `cite.check` is the half that needs none. No DSPy is imported before `metric` is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..data._cite_markers import DEFAULT
from ..data._cite_problems import HEADING
from ..data._golden import contains
from ..data.cite import GoldenRow
from ..signatures.cite import ABSTENTION
from ..signatures.types import CitationRegistry, Violation
from . import cite
from ._abstention import denies, is_abstention
from ._cite_reading import Reading, read
from ._cite_reuse import passed_over
from ._gold import as_prediction, row_of
from ._known_sources import nfc
from ._support import Evidence, fit, needs

WEIGHTS = {"support": 0.45, "markers": 0.3, "ids": 0.15, "listing": 0.1}
"""Share of each check in their mean, by which the agreement with the gold is multiplied; they sum to 1.

Code writes the Sources section and known ids only, so that for our own programs `listing` and `ids` are all but
given; what is left to a model is what it says and which source it puts behind it."""

HARD = frozenset({"fabricated_id", "unparsable"})
"""Codes that make a prediction worth nothing: an id of nowhere is the fault this behaviour is for."""

GOOD = 0.6
"""From here on a prediction that breaks no rule is good: every source that is needed, and half of the facts; with as
many other sources as needed ones, all of the facts."""

CITED = 0.3
"""What an answer with the right sources is worth when it holds none of the gold's facts."""

MISSED = 0.5
"""What the agreement is multiplied with when a source without which the answer is wrong is not cited."""

ABSTAINED = 0.2
"""What an abstention is worth where the evidence answers: more than a made-up answer, far less than a good one."""

REWORDED = 0.4
"""What an abstention in other words is worth where the gold abstains: right, and of no use to what counts on it."""

_FAMILIES = {
    "ids": ("fabricated_id", "out_of_range", "renamed_id", "renumbered", "id_collision", "id_kind_confusion"),
    "markers": (
        "convention_drift", "malformed_marker", "partial_marker", "orphan_marker", "citation_in_code", "url_mismatch",
        "missing_inline_citation",
    ),
    "listing": (
        "missing_sources_section", "duplicate_sources_section", "duplicate_source_entry", "sources_mismatch",
        "cited_not_listed", "new_reused_misclassified",
    ),
    "support": ("misattributed", "unsupported_claim", "stale_prior_turn_citation"),
    "form": ("unparsable",),
}  # fmt: skip
COMPONENTS = (*_FAMILIES, "abstention", "recall", "precision", "facts", "reuse")
_MOST_NAMED = 3
_MOST_UNKNOWN = 4


class Components(NamedTuple):
    """Parts of the score, each in [0, 1] and 1.0 when nothing is wrong.

    Attributes:
        ids: Every id that is cited or listed is one that was given, under its own name.
        markers: Every claim has its marker, in the session's convention.
        listing: Sources section, `sources` and the split into new and reused agree with what is cited.
        support: What is cited says so.
        form: An answer that can be read.
        abstention: Answered where the evidence answers and abstained where it does not; 0.5 in other words.
        recall: Share of the sources without which an answer is wrong (`must_cite`) that are cited.
        precision: Share of the cited sources that a right answer may cite.
        facts: Share of the gold's facts that the answer holds.
        reuse: Share of claims that cite a registered source where one bears them out (`missed_reuse`); not scored.
        score: Agreement on sources and facts times the weighted mean of the checks; 0 after a hard violation.
        feedback: One sentence: what is wrong, and what a good answer is.
        violations: Codes of the broken rules, in order.
    """

    ids: float
    markers: float
    listing: float
    support: float
    form: float
    abstention: float
    recall: float
    precision: float
    facts: float
    reuse: float
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
    """Score a prediction against a golden row; pure, and never raises on what a model wrote.

    Before the first citation `source_tag` is expected, as in the set. Numbers of nowhere that a program could not turn
    into ids (`unknown`) count as fabricated ids, as they do for the guard.
    """
    registry = row.registry.model_copy(update={"convention": row.registry.convention or DEFAULT})
    violations = [*_unknown(prediction), *_checked(row, registry, prediction)]
    codes = {violation.code for violation in violations}
    checks = {name: float(codes.isdisjoint(family)) for name, family in _FAMILIES.items()}
    found = read(prediction, registry, row.context, row.question, row.access_scope)
    reading = found if isinstance(found, Reading) else None
    parts = {**checks, **_agreement(row, reading)}
    passed = sum(share * parts[name] for name, share in WEIGHTS.items())
    score = 0.0 if codes & HARD else round(_worth(row, parts, reading) * passed, 6)
    feedback = _feedback(row, violations, parts, reading)
    return Components(**parts, score=score, feedback=feedback, violations=tuple(v.code for v in violations))


def _checked(row: GoldenRow, registry: CitationRegistry, prediction: Any) -> list[Violation]:
    return cite.check(
        registry=registry,
        context=row.context,
        question=row.question,
        prediction=prediction,
        access_scope=row.access_scope,
    )


def _unknown(prediction: Any) -> list[Violation]:
    """Return a violation for each number that no source of the prompt had."""
    try:
        said = prediction.get("unknown") if isinstance(prediction, Mapping) else getattr(prediction, "unknown", None)
    except Exception:  # a foreign object may raise anything from its attributes
        return []
    numbers = [n for n in said if isinstance(n, int) and 0 <= n < 1000] if isinstance(said, (list, tuple)) else []
    return [
        Violation(code="fabricated_id", message=f"There is no source [{number}].", span=f"[{number}]")
        for number in list(dict.fromkeys(numbers))[:_MOST_UNKNOWN]
    ]


def _agreement(row: GoldenRow, reading: Reading | None) -> dict[str, float]:
    if reading is None:
        return dict.fromkeys(("abstention", "recall", "precision", "facts", "reuse"), 0.0)
    gold, cited = row.gold, reading.cited
    must, may = {nfc(i) for i in gold.must_cite}, {nfc(i) for i in (*gold.must_cite, *gold.may_cite)}
    body = _body(reading)
    held = Evidence([body])
    return {
        "abstention": _abstention(row, reading),
        "recall": sum(i in cited for i in must) / len(must) if must else 1.0,
        "precision": sum(i in may for i in cited) / len(cited) if cited else 1.0,
        "facts": sum(_holds(body, held, fact) for fact in gold.facts) / len(gold.facts) if gold.facts else 1.0,
        "reuse": 1.0 if gold.abstain else passed_over(reading, row.question)[1],
    }


def _abstention(row: GoldenRow, reading: Reading) -> float:
    if not row.gold.abstain:
        return float(not _declined(reading))
    return 1.0 if is_abstention(reading.text.text) else 0.5 * _declined(reading)


def _declined(reading: Reading) -> bool:
    """Whether an answer says nothing but that nothing was found, in any words."""
    if is_abstention(reading.text.text):
        return True
    body = [s for s in reading.sentences if s.claims or denies(s.text)]
    return not reading.cited and bool(body) and all(denies(s.text) for s in body)


def _body(reading: Reading) -> str:
    """Return the answer without markers and Sources sections; code stays, facts may stand there."""
    text, at, kept = reading.text.text, 0, list[str]()
    for start, end in sorted([(m.start, m.end) for m in reading.markers] + [(p.start, p.end) for p in reading.places]):
        if start >= at:
            kept.append(text[at:start])
            at = end
    return "".join((*kept, text[at:]))


def _holds(body: str, held: Evidence, fact: str) -> bool:
    """Whether a fact stands in the answer, word for word or with all its numbers, names and content words."""
    if contains(body, fact):
        return True
    need = needs(fact, held.language, Evidence([]))
    return bool(need.numbers or need.names or need.words) and fit(need, held).holds(1.0)


def _worth(row: GoldenRow, parts: Mapping[str, float], reading: Reading | None) -> float:
    """Return what an answer is worth beside its form."""
    if reading is None or not parts["abstention"]:
        return ABSTAINED if reading is not None and not row.gold.abstain else 0.0
    if row.gold.abstain:
        return 1.0 if parts["abstention"] == 1.0 else REWORDED
    recall, precision = parts["recall"], parts["precision"]
    sources = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return sources * (1.0 if recall == 1.0 else MISSED) * (CITED + (1 - CITED) * parts["facts"])


def _feedback(
    row: GoldenRow, violations: Sequence[Violation], parts: Mapping[str, float], reading: Reading | None
) -> str:
    """Say in one sentence what is wrong, the gravest first, and what a good answer is."""
    hard = [v for v in violations if v.code in HARD]
    told = [v.message.rstrip(".") for v in (*hard, *(v for v in violations if v.code not in HARD))][:_MOST_NAMED]
    gold = row.gold
    if gold.abstain:
        if parts["abstention"] < 1.0:
            told.append(f"no source answers the question, so a good answer is: {ABSTENTION}")
        return "; ".join(told) + "." if told else "Right."
    titles = {source.doc_id: source.title for source in gold.sources}
    if parts["abstention"] < 1.0:
        told.append("the sources answer the question")
    if parts["recall"] < 1.0:
        told.append("needed are: " + "; ".join(f"'{titles.get(i, i)}'" for i in gold.must_cite))
    if parts["precision"] < 1.0:
        told.append("only these are of use: " + "; ".join(f"'{title}'" for title in titles.values()))
    if parts["facts"] < 1.0 and reading is not None:
        body = _body(reading)
        held = Evidence([body])
        told.append("the answer lacks: " + "; ".join(f for f in gold.facts if not _holds(body, held, f)))
    if not told:
        return "Right."
    good = " ".join(gold.answer.rpartition(f"\n\n{HEADING}")[0].split())
    return "; ".join((*told, f"a good answer is: {good}"))
