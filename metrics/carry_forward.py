"""carry_forward: the checks that need no gold, and the ledger after a turn (design section 7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..signatures.carry_forward import LedgerPolicy
from ..signatures.types import AccessScope, CitationRegistry, Exclusion, OpenQuestion, Passage, Turn, Violation
from ._cite_reading import few, violation
from ._ledger import DEFAULT_POLICY, Asked, LedgerTurn, after_failure, after_turn, without_namesakes
from ._ledger_answers import current_violations, resolution_violations
from ._ledger_entries import entry_violations
from ._ledger_evidence import CitedText
from ._ledger_heard import heard
from ._ledger_reading import Reading, missing_fields, read
from ._ledger_waiting import waits

__all__ = ["check", "outcome"]


def check(
    *,
    turn: int,
    ledger: Sequence[OpenQuestion],
    question: str,
    context: Sequence[Passage] | None,
    prediction: Any,
    registry: CitationRegistry | None = None,
    access_scope: AccessScope | None = None,
    standalone_query: str | None = None,
    exclusions: Sequence[Exclusion] | None = None,
    history: Sequence[Turn] = (),
    uncounted: Collection[str] = (),
) -> list[Violation]:
    """Check what a turn makes of the open questions; pure, deterministic, linear in the input.

    `version_conflict` is the session store's to find: it takes two writers, and here there is one prediction.

    Args:
        turn: Number of this turn, from 1.
        ledger: Open questions before it. Ids may be empty; a model's own ids are then not held against them.
        question: The user's question of this turn.
        context: This turn's passages, those found again for pending questions among them; None when the retrieval
            failed, which is a `retrieval_failed` violation whatever was predicted.
        prediction: A `CarriedForward`, or any mapping or object with its fields; unknown fields are ignored.
        registry: Sources of earlier turns whose stored text is evidence too.
        access_scope: What this user may see; a passage or source outside it is no evidence.
        standalone_query: Other words of the question, by which an answer may be about it; the same words as those of
            a pending question with another standalone query ask something else.
        exclusions: What is ruled out in this turn, which makes the same words another question too; None where that
            is not known.
        history: What was said before, oldest first; it tells a query in keywords from what completes a question.
        uncounted: Ids of pending questions whose own search failed: no attempt counts for them, nor for those that
            name what `access_scope` restricts, which are not searched for.

    Returns:
        The broken rules, empty when there is none. What a model wrote never raises: an unusable prediction is one
        `unparsable` violation that names the field.

    Example:
        >>> from turnkeeper.signatures.types import OpenQuestion
        >>> ledger = [OpenQuestion(question_id="q1", question="Who runs the Tarn ferry?", first_asked_turn=1)]
        >>> nothing = {"text": None, "citations": [], "status": "UNANSWERED"}
        >>> said = {"current_answer": nothing, "resolved_questions": [], "updated_unresolved_questions": []}
        >>> [v.code for v in check(turn=2, ledger=ledger, question="Thanks!", context=[], prediction=said)]
        ['silently_dropped']
    """
    failed = context is None
    found = list[Violation]()
    if failed:
        message = "The retrieval failed: no attempt counts, and every question stays as it is."
        found.append(violation("retrieval_failed", message))
    standalone = standalone_query or ""
    reading = read(prediction, ledger, question, standalone, exclusions, context)
    if isinstance(reading, Violation):
        return [*found, reading]
    known = without_namesakes(ledger, question, standalone, exclusions)
    asks = heard(question, known, turn=turn, history=history).asking
    cited = CitedText(context, registry, access_scope)
    found += missing_fields(reading)
    found += entry_violations(reading, question, turn, asks, _uncounted(reading, access_scope, uncounted, failed))
    found += resolution_violations(reading, cited)
    if not failed and "current_answer" not in reading.absent:
        found += current_violations(reading, question, asks, cited, (standalone_query,) if standalone_query else ())
    return few(found)


def outcome(
    *,
    turn: int,
    ledger: Sequence[OpenQuestion],
    question: str,
    context: Sequence[Passage] | None,
    prediction: Any,
    registry: CitationRegistry | None = None,
    access_scope: AccessScope | None = None,
    standalone_query: str | None = None,
    exclusions: Sequence[Exclusion] | None = None,
    uncounted: Collection[str] = (),
    policy: LedgerPolicy = DEFAULT_POLICY,
) -> LedgerTurn:
    """Return the ledger after a turn by its prediction: the very same one when the prediction breaks a rule.

    Args:
        policy: When review is raised, and when a question is given up; the other arguments are those of `check`.
    """
    violations = check(
        turn=turn, ledger=ledger, question=question, context=context, prediction=prediction, registry=registry,
        access_scope=access_scope, standalone_query=standalone_query, exclusions=exclusions, uncounted=uncounted,
    )  # fmt: skip
    before = tuple(ledger)
    reading = read(prediction, before, question, standalone_query or "", exclusions, context)
    if violations or isinstance(reading, Violation):
        return after_failure(before, turn=turn, policy=policy)
    entering = reading.entering
    asked = None
    if entering is not None:
        ruled_out = None if exclusions is None else tuple(exclusions)
        asked = Asked(question, entering.missing_evidence, standalone_query or "", ruled_out)
    missing = {c.entry.question_id: c.given.missing_evidence for c in reading.carrying if c.entry is not None}
    return after_turn(
        before, turn=turn, resolved=reading.resolved, missing=missing, asked=asked, policy=policy,
        uncounted=_uncounted(reading, access_scope, uncounted, failed=False),
    )  # fmt: skip


def _uncounted(reading: Reading, scope: AccessScope | None, own: Collection[str], failed: bool) -> frozenset[str]:
    """Return the ids of the questions that nobody tried to answer in this turn."""
    return frozenset(e.question_id for e in reading.ledger if failed or e.question_id in own or waits(e, scope))
