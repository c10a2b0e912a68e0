"""The rules of carry_forward for the guard: input, cache key, what is settled, check, repair, acceptance, fallback."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..metrics._evidence_scope import in_scope
from ..metrics._ledger import LedgerTurn, after_failure, with_ids, without_namesakes
from ..metrics._ledger_heard import heard
from ..metrics._ledger_waiting import waits
from ..metrics._restricted import named_terms
from ..metrics.carry_forward import check as check_turn
from ..signatures.carry_forward import CarriedForward, CarryForwardResult, CurrentAnswer
from ..signatures.types import Notice, OpenQuestion, Passage, Violation
from ._carry_forward_alerts import alerts
from ._carry_forward_compose import NOTHING_ASKED, composed, unresolved
from ._carry_forward_inputs import Given, read
from ._carry_forward_request import CURRENT, WAITS, CarryForwardRequest, Decided, Found, evidence_digest
from ._cite_evidence import WHOLE, Budget, evidence
from ._cite_task import DEFAULT_CONVENTION
from ._guard import Outcome, RiskLevel, Scrub
from ._masking import mask_history, mask_restricted
from ._recorded import Recorded

PROCESSING_ERROR = "I could not process this question; please ask it again."
"""What the user is told when a turn failed."""
_LOSSES = frozenset(
    ("silently_dropped", "duplicate_question", "unknown_question", "not_verbatim", "immutable_field_changed")
)


@dataclass(frozen=True)
class CarryForwardTask:
    """One turn, validated and scrubbed, and how far its repairs are.

    Attributes:
        given: What the application passed.
        risk_level: "high" hands what stays unanswered to a person.
        budget: Words of evidence that a prompt quotes.
        kept: Decisions that need no repair.
        feedback: Place and message of what does.
        repairs: Attempts that were repaired so far.
    """

    given: Given
    risk_level: RiskLevel
    budget: Budget = WHOLE
    kept: tuple[Decided, ...] = ()
    feedback: tuple[tuple[int, str], ...] = ()
    repairs: int = 0

    @cached_property
    def request(self) -> CarryForwardRequest:
        given = self.given
        restricted = given.scope.restricted_terms if given.scope is not None else ()
        ledger = with_ids(given.ledger)
        standalone = mask_restricted(given.standalone, given.scope)
        known = without_namesakes(ledger, given.question, standalone, given.exclusions)
        return CarryForwardRequest(
            turn=given.turn,
            question=given.question,
            ledger=ledger,
            found=tuple(self._found_for(entry) for entry in ledger),
            found_now=self._found(given.context),
            standalone=standalone,
            history=mask_history(given.history, given.question, given.scope),
            heard=heard(given.question, known, turn=given.turn, history=given.history),
            current=given.current,
            barred=given.current is None and bool(restricted) and bool(named_terms(given.question, restricted)),
            exclusions=given.exclusions,
            missing=given.missing,
            convention=given.registry.convention or DEFAULT_CONVENTION,
            failed=given.failed,
            policy=given.policy,
            kept=self.kept,
            feedback=self.feedback,
        )

    def _found_for(self, entry: OpenQuestion) -> Found:
        # A question from a wider scope that names what today's restricts waits: no prompt quotes it.
        if waits(entry, self.given.scope):
            return WAITS
        return self._found(self.given.context_of(entry.question_id))

    def _found(self, passages: Sequence[Passage] | None) -> Found:
        if passages is None:
            return Found(failed=True)
        ids = {passage.doc_id for passage in passages}
        offered = evidence(self.given.registry, passages, self.given.scope, self.budget)
        # A pending question waits for evidence that comes: what is only registered was there when it was asked.
        shown = tuple(item for item in offered if item.doc_id in ids and item.text.strip())
        visible = {item.doc_id for item in shown}
        return Found(shown, evidence_digest([p for p in passages if p.doc_id in visible]))


class CarryForwardBehaviour:
    """The rules of carry_forward for the guard."""

    name = "carry_forward"
    retries = 2
    result_type = CarryForwardResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Scrub | None, risk_level: RiskLevel) -> CarryForwardTask:
        """Validate what the application passed; raise `InputError` that names the field."""
        return CarryForwardTask(read(self.name, inputs, scrub), risk_level)

    def key(self, task: CarryForwardTask) -> Hashable:
        return json.dumps(task.given.as_json()), task.risk_level

    def settled(self, task: CarryForwardTask) -> Outcome | None:
        """Nothing changes after a failed retrieval; where no evidence is new, everything is carried without a call."""
        if task.given.failed:
            notice = Notice(code="retrieval_failed", message=_unrecorded("The retrieval failed", task.given))
            return self._unchanged(task, task.given.current or NOTHING_ASKED, notice)
        if task.request.to_ask:
            return None
        return self.accept(task, composed(task.request, (), 0))

    def program_inputs(self, task: CarryForwardTask) -> dict[str, Any]:
        return {"request": task.request}

    def shrink(self, task: CarryForwardTask) -> CarryForwardTask | None:
        """Quote less of each passage; no question and no passage is left out."""
        smaller = Budget(task.budget.passage // 2, 0) if task.budget.passage > 20 else None
        return replace(task, budget=smaller) if smaller else None

    def check(self, task: CarryForwardTask, prediction: Any) -> list[Violation]:
        """Return what a repair could mend; after the last one, what does not stand is carried and breaks nothing."""
        last = task.repairs >= self.retries
        asked = len(task.request.asked)
        if last and asked and len(prediction.unread) == asked:
            return [_violation(*prediction.doubts[prediction.unread[0]][0])]
        if not last:
            told = [_violation(*doubt) for _, doubt in _mendable(task, prediction)]
            if told:
                return told
        found = check_turn(
            turn=task.given.turn,
            ledger=task.request.ledger,
            question=task.given.question,
            context=task.given.context,
            uncounted=task.request.uncounted,
            prediction={name: getattr(prediction, name) for name in CarriedForward.model_fields},
            history=task.given.history,
            standalone_query=task.request.standalone or None,
            exclusions=task.given.exclusions,
        )
        # What speaks against an answer was seen to above; that no question is lost holds whatever a model says.
        return [violation for violation in found if violation.code in _LOSSES]

    def repair(self, task: CarryForwardTask, prediction: Any) -> CarryForwardTask:
        """Return the task that asks again about what did not stand, and about nothing else."""
        doubted = dict(_mendable(task, prediction))
        asked = {item.place for item in task.request.asked}
        decided = {d.place: d for d in (*task.kept, *prediction.said) if d.place in asked and d.place not in doubted}
        # The same words would make the same prompt, and the same answer.
        lead = "Still wrong. " if task.feedback else ""
        told = tuple((place, f"{lead}{code}: {message}") for place, (code, message) in doubted.items())
        return replace(task, kept=tuple(decided.values()), feedback=told, repairs=task.repairs + 1)

    def accept(self, task: CarryForwardTask, prediction: Any) -> Outcome:
        turn: LedgerTurn = prediction.ledger_turn
        notices = [*alerts(turn, task.given.turn, task.given.policy)]
        for place, doubts in prediction.doubts.items():
            named = task.given.question if place == CURRENT else task.request.ledger[place].question
            message = f"{doubts[0][0]}: nothing was taken over; the question stays open: {named}"
            notices.append(Notice(code="question_undecided", message=message))
        if task.request.barred:
            message = "The question names something this user may not search; it is not kept."
            notices.append(Notice(code="permission_boundary", message=message))
        current: CurrentAnswer = prediction.current_answer
        if task.risk_level == "high" and current.status == "UNANSWERED" and task.request.asking != "nothing":
            current = NOTHING_ASKED
            message = f"A person has to answer this question: {task.given.question}"
            notices.append(Notice(code="human_review", message=message))
        fields = {
            "current_answer": current,
            "resolved_questions": tuple(prediction.resolved_questions),
            "updated_unresolved_questions": tuple(prediction.updated_unresolved_questions),
            "ledger": turn.ledger,
            "human_review": turn.human_review,
        }
        return Outcome(fields, tuple(notices))

    def fall_back(self, task: CarryForwardTask, violations: Sequence[Violation]) -> Outcome:
        """The ledger stays as it is, byte for byte; the new question travels in the warning."""
        notice = Notice(code="turn_not_processed", message=_unrecorded("The turn could not be processed", task.given))
        failed = CurrentAnswer(text=None if task.risk_level == "high" else PROCESSING_ERROR, status="UNANSWERED")
        notices = [notice]
        if task.risk_level == "high" and task.given.current is None:
            message = f"A person has to answer this question: {task.given.question}"
            notices.append(Notice(code="human_review", message=message))
        return self._unchanged(task, task.given.current or failed, *notices)

    def describe(self, task: CarryForwardTask) -> dict[str, Any]:
        given = task.given

        def inputs() -> dict[str, Any]:
            passages: dict[str, Any] = {}
            for some in (given.context, *(given.evidence[name] for name in sorted(given.evidence))):
                for one in some or ():
                    if in_scope(given.scope, one.metadata, (one.doc_id,), one.title, one.text):
                        passages.setdefault(one.doc_id, one.model_dump(mode="json"))
            return {
                "turn": given.turn,
                "history": [turn.model_dump() for turn in given.history[-4:]],
                "ledger": [entry.model_dump(mode="json") for entry in given.ledger],
                "context": None if given.context is None else list(passages.values()),
            }

        window = [entry.question for entry in given.ledger]
        return {"original": given.question, "window": window, "inputs": Recorded(inputs, given.scope)}

    def discreet(self, task: CarryForwardTask, text: str) -> str:
        return mask_restricted(text, task.given.scope)

    def _unchanged(self, task: CarryForwardTask, current: CurrentAnswer, *notices: Notice) -> Outcome:
        given = task.given
        turn = after_failure(given.ledger, turn=given.turn, policy=given.policy)
        raised = alerts(turn, given.turn, given.policy)
        fields = {
            "current_answer": current,
            "updated_unresolved_questions": unresolved(given.ledger),
            "ledger": given.ledger,
            "human_review": turn.human_review,
        }
        return Outcome(fields, (*notices, *raised))


def _mendable(task: CarryForwardTask, prediction: Any) -> list[tuple[int, tuple[str, str]]]:
    """Return place, code and message of what a repair may mend; whether a passage answers is asked again only once."""
    return [
        (place, doubts[0])
        for place, doubts in prediction.doubts.items()
        if doubts[0][0] != "missed_resolution" or task.repairs == 0
    ]


def _violation(code: str, message: str) -> Violation:
    return Violation(code=code, message=message)


def _unrecorded(reason: str, given: Given) -> str:
    return f"{reason}; the open questions stay as they are, and this one is not among them: {given.question}"
