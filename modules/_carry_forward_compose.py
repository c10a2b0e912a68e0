"""From decisions to the turn's result: code keeps wording, ids and counters, and no answer stands without a source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import dspy

from ..metrics._ledger import Asked as Entering
from ..metrics._ledger import LedgerTurn, after_failure, after_turn
from ..metrics._ledger_utterance import reminds
from ..metrics._marker_types import written
from ..signatures.carry_forward import CurrentAnswer, ResolvedQuestion, UnresolvedQuestion
from ..signatures.cite import ABSTENTION
from ..signatures.types import Convention, OpenQuestion
from ._carry_forward_doubts import Grounds
from ._carry_forward_missing import about, says_nothing
from ._carry_forward_reading import undecided
from ._carry_forward_request import CURRENT, Asked, CarryForwardRequest, Decided, Part, digest_with

NOTHING_ASKED = CurrentAnswer(text=None, status="UNANSWERED")
UNANSWERED = CurrentAnswer(text=ABSTENTION, status="UNANSWERED")


class Verdict(NamedTuple):
    """A decision as code takes it.

    Attributes:
        decided: What the model said.
        holds: Whether the answer stands: each part with a source that bears it out.
        doubts: Code and message of what does not, and of what could not be read.
    """

    decided: Decided
    holds: bool
    doubts: tuple[tuple[str, str], ...]

    @property
    def whole(self) -> bool:
        """Whether the question is answered and nothing of it is left open."""
        return self.holds and not self.decided.missing

    @property
    def unread(self) -> bool:
        """Whether there is no decision at all."""
        return any(code == "unparsable" for code, _ in self.doubts)


def composed(request: CarryForwardRequest, decisions: Iterable[Decided], calls: int) -> dspy.Prediction:
    """Return the prediction of a turn; never raises on what a model wrote.

    A claim that does not stand changes nothing: its question is carried as it was. What was wrong with it is in
    `doubts`, by place, for whoever wants to ask again.
    """
    said = {decided.place: decided for decided in (*request.kept, *decisions)}
    grounds = Grounds()
    verdicts = {
        item.place: _verdict(request, item, said.get(item.place) or undecided(item), grounds) for item in request.asked
    }
    current = _current(request, verdicts)
    turn = _ledger(request, verdicts, current)
    return dspy.Prediction(
        current_answer=current,
        resolved_questions=(*_resolved(request, verdicts), *_resolved_again(request, current)),
        updated_unresolved_questions=unresolved(turn.ledger),
        ledger_turn=turn,
        said=tuple(verdict.decided for verdict in verdicts.values()),
        doubts={place: verdict.doubts for place, verdict in verdicts.items() if verdict.doubts},
        unread=tuple(place for place, verdict in verdicts.items() if verdict.unread),
        lm_calls=calls,
        raw=_raw(said.values()) if calls else None,
        reason="asked" if request.asked else "nothing_to_ask",
    )


def _resolved(request: CarryForwardRequest, verdicts: dict[int, Verdict]) -> Iterator[ResolvedQuestion]:
    """Yield the pending questions that were answered."""
    for place, verdict in verdicts.items():
        if place != CURRENT and verdict.whole:
            yield ResolvedQuestion(
                question=request.ledger[place].question,
                answer=rendered(verdict.decided.parts, request.convention),
                citations=verdict.decided.citations,
            )


def _resolved_again(request: CarryForwardRequest, current: CurrentAnswer) -> Iterator[ResolvedQuestion]:
    """Yield the question that was given up and asked again, where it is answered now with a source."""
    if request.given_up is not None and current.status == "ANSWERED" and current.citations:
        question, answer = request.given_up.question, current.text or ""
        yield ResolvedQuestion(question=question, answer=answer, citations=current.citations)


def unresolved(ledger: Iterable[OpenQuestion]) -> tuple[UnresolvedQuestion, ...]:
    """Return the questions of a ledger as a result shows them."""
    return tuple(
        UnresolvedQuestion(
            question_id=entry.question_id,
            question=entry.question,
            missing_evidence=entry.missing_evidence,
            first_asked_turn=entry.first_asked_turn,
            attempts=entry.attempts,
        )
        for entry in ledger
    )


def rendered(parts: Sequence[Part], convention: Convention | None) -> str:
    """Return an answer with the session's markers, each before the stop of the sentence it belongs to."""
    told = ""
    for part in parts:
        markers = " ".join(written(doc_id, convention) for doc_id in part.ids)
        told = f"{told} {part.text} {markers}".strip() + part.stop
    return told if told.endswith((".", "!", "?", "\u3002")) or not told else f"{told}."


def _verdict(request: CarryForwardRequest, item: Asked, decided: Decided, grounds: Grounds) -> Verdict:
    entry = OpenQuestion(question=request.question) if item.place == CURRENT else request.ledger[item.place]
    doubts = decided.doubts or grounds.doubts(item, entry, decided, request.own_words(item.place))
    if not decided.parts or doubts:
        return Verdict(decided, False, doubts)
    if not decided.missing and (left := grounds.left_open(item, entry, decided)):
        decided = decided._replace(missing=left)  # half an answer closes no question
    return Verdict(decided, True, ())


def _current(request: CarryForwardRequest, verdicts: dict[int, Verdict]) -> CurrentAnswer:
    again = None if request.same is None else verdicts.get(request.same)
    if request.current is not None and (request.current.status == "ANSWERED" or again is None or not again.whole):
        return request.current
    own = verdicts.get(CURRENT)
    if own is None or not own.holds:
        own = next((verdicts[place] for place in _stand_ins(request, verdicts) if verdicts[place].whole), None)
    if own is not None:
        return CurrentAnswer(
            text=rendered(own.decided.parts, request.convention),
            citations=own.decided.citations,
            status="ANSWERED" if own.whole else "PARTIAL",
        )
    return UNANSWERED if request.asking != "nothing" or request.barred else NOTHING_ASKED


def _stand_ins(request: CarryForwardRequest, verdicts: dict[int, Verdict]) -> list[int]:
    """Return the pending questions whose answer is the current one's too: repeated, completed, or reminded of."""
    reminded = [p for p in verdicts if p != CURRENT and reminds(request.question, request.ledger[p])]
    reminded = reminded if request.asking == "unclear" else []
    return [p for p in (request.same, request.completed, *reminded) if p is not None and p in verdicts]


def _ledger(request: CarryForwardRequest, verdicts: dict[int, Verdict], current: CurrentAnswer) -> LedgerTurn:
    if request.failed:
        return after_failure(request.ledger, turn=request.turn, policy=request.policy)
    ledger = tuple(
        entry.model_copy(update={"standalone_query": request.standalone_of(place)})
        if place == request.completed
        else entry
        for place, entry in enumerate(request.ledger)
    )
    carried = {p: v for p, v in verdicts.items() if p != CURRENT and not v.whole}
    again = [request.given_up.question_id for _ in _resolved_again(request, current) if request.given_up is not None]
    return after_turn(
        ledger,
        turn=request.turn,
        resolved=[*(request.ledger[p].question_id for p, v in verdicts.items() if p != CURRENT and v.whole), *again],
        missing={request.ledger[p].question_id: _still_missing(request, p, v) for p, v in carried.items()},
        # What could not be read was held against nothing: it is asked again next turn.
        digests={request.ledger[p].question_id: request.digest_of(p) for p, v in carried.items() if not v.unread},
        asked=_entering(request, verdicts.get(CURRENT), current),
        uncounted=request.uncounted,
        policy=request.policy,
    )


def _still_missing(request: CarryForwardRequest, place: int, verdict: Verdict) -> str:
    """Return what is missing now: the model's words where a part was found or code had none, else "" for no change."""
    told = verdict.decided.missing
    narrowed = verdict.holds or says_nothing(request.ledger[place].missing_evidence)
    return told if told and narrowed and not verdict.doubts else ""


def _entering(request: CarryForwardRequest, verdict: Verdict | None, current: CurrentAnswer) -> Entering | None:
    if current.status == "ANSWERED" or request.asking == "nothing" or request.barred:
        return None
    told = verdict.decided.missing if verdict is not None and not verdict.doubts else ""
    standalone = " ".join((request.standalone or request.question).split())
    judged = bool(request.found_now.evidence) and _judged(request, verdict)
    return Entering(
        question=request.question,
        missing_evidence=told or request.missing or about(standalone),
        standalone_query=standalone if request.standalone or request.same is None else "",
        exclusions=request.exclusions,
        evidence_digest=digest_with(standalone, request.found_now.digest) if judged else "",
    )


def _judged(request: CarryForwardRequest, verdict: Verdict | None) -> bool:
    """Whether anybody has read what was found for the current question: what nobody has read is asked next turn."""
    if request.current is None:
        return verdict is not None and not verdict.unread
    return request.current.text is not None


def _raw(decisions: Iterable[Decided]) -> str:
    told: list[dict[str, Any]] = [
        {
            "question": d.place,
            "answer": " ".join(f"{p.text}{p.stop}" for p in d.parts),
            "sources": d.citations,
            "missing": d.missing,
        }
        for d in decisions
    ]
    return json.dumps(told, ensure_ascii=False)
