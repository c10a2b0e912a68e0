"""The ledger after a turn: what can be answered now, what is carried on, what enters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..events import bound
from ..metrics._ledger import LedgerTurn, after_failure
from ..metrics._ledger import find as find_question
from ..metrics._ledger_waiting import waits
from ..modules._carry_forward_alerts import alerts
from ..modules._cite_evidence import evidence
from ..modules._cite_registry import after_turn as registered
from ..sessions.state import SessionState
from ..signatures.carry_forward import CarryForwardResult, CurrentAnswer
from ..signatures.cite import ABSTENTION, Source
from ..signatures.types import CitationRegistry, Notice, OpenQuestion, Turn
from .answer import body_of
from .answering import Answered
from .asked import Asked
from .discreet import shown_exclusions
from .finding import Found
from .foreign_ledger import as_carried
from .result import ResolvedEntry
from .talk import Talk
from .tallied import Tallied
from .understand import Understood
from .visible import hidden_ids, shown_passages, shown_registry, still_shown
from .work import Flow


class Kept(NamedTuple):
    """What the turn leaves open.

    Attributes:
        ledger: After the turn.
        resolved: Earlier questions that it answered.
        sources: What those answers cite.
        registry: After them.
        human_review: Whether a person has to look at the ledger: a state.
        current: The answer to the question of now, where carry_forward knows better than the step before.
        same: Id of the open question that the question of now repeats and answers, or "".
    """

    ledger: tuple[OpenQuestion, ...]
    resolved: tuple[ResolvedEntry, ...]
    sources: tuple[Source, ...]
    registry: CitationRegistry
    human_review: bool
    current: CurrentAnswer | None = None
    same: str = ""


def carried(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    understood: Understood,
    found: Found,
    answered: Answered,
    tallied: Tallied,
) -> Flow[Kept]:
    """Hold the open questions against new evidence. Nothing is asked of an LM where no evidence changed."""
    number = state.turn + 1
    failed = after_failure(state.ledger, turn=number, policy=talk.policy)
    unchanged = Kept(state.ledger, (), (), answered.registry, failed.human_review)
    step = talk.steps.get("carry_forward")
    if step is None:
        tallied.warn(_alerts(talk, asked, failed, number))
        return unchanged
    current: CurrentAnswer | None = None if answered.left else CurrentAnswer(text=None, status="UNANSWERED")
    if answered.asks:
        answers = answered.status != "UNANSWERED"
        current = CurrentAnswer(
            text=body_of(answered.answer) if answers else ABSTENTION if answered.judged else None,
            citations=answered.cited if answers else (),
            status=answered.status,
        )
    same = _answered_again(asked, state, understood, answered)
    inputs = {
        "turn": number,
        "history": list(history),
        # What was just answered needs no second answer.
        "ledger": [one for one in state.ledger if one is not same],
        # What asks the documents nothing, or may not be asked, never enters.
        "query": asked.query if answered.asks or answered.left else "",
        "standalone_query": understood.standalone if answered.asks or answered.left else "",
        "context": None if found.passages is None else list(found.passages),
        "evidence": {name: None if one is None else list(one) for name, one in found.again.items()},
        "access_scope": asked.scope,
        "exclusions": list(understood.exclusions),
        "registry": _with_convention(talk, answered.registry),
        "current_answer": current,
        "current_missing": answered.missing,
        "policy": talk.policy,
    }
    [done] = yield (step.work(**(inputs if step.own else _shown(inputs, asked))),)
    if step.own:
        result = done.value if isinstance(done.value, CarryForwardResult) else None
    else:
        try:
            result = as_carried(done.value, inputs, talk.risk_level)
        except InputError as error:
            result, done = None, done._replace(error=error)
    tallied.step(done, result)
    if result is None:
        lost = answered.asks and answered.status != "ANSWERED"
        message = "The open questions stay as they are" + (f", and this one is not among them: {asked.query}" * lost)
        tallied.warn([Notice(code="turn_not_processed", message=message), *_alerts(talk, asked, failed, number)])
        return unchanged
    return _kept(talk, asked, state, found, answered, result, same)


def _alerts(talk: Talk, asked: Asked, failed: LedgerTurn, number: int) -> tuple[Notice, ...]:
    """Return the notices of a ledger that nothing was done to: its questions have grown older all the same."""
    with bound(session_id=asked.session_id, tenant=asked.tenant):
        return alerts(failed, number, talk.policy)


def _shown(inputs: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """Return what a callable is given of a guard's inputs: nothing that today's user may not see."""
    registry: CitationRegistry = inputs["registry"]
    evidence = {name: shown_passages(found, registry) for name, found in inputs["evidence"].items()}
    context = shown_passages(inputs["context"], registry)
    return {
        **inputs,
        "ledger": [one for one in inputs["ledger"] if not waits(one, asked.scope)],
        "context": None if context is None else list(context),
        "evidence": {name: None if found is None else list(found) for name, found in evidence.items()},
        "exclusions": list(shown_exclusions(inputs["exclusions"], asked.scope)),
        "registry": shown_registry(registry, asked.scope),
    }


def _answered_again(
    asked: Asked, state: SessionState, understood: Understood, answered: Answered
) -> OpenQuestion | None:
    """Return the open question that this turn asks again, in its words and meaning, and answers with a source.

    The source is one that today's user may see.
    """
    hidden = hidden_ids(state.registry, asked.scope)
    if not (answered.asks and answered.status == "ANSWERED" and still_shown(answered.cited, hidden)):
        return None
    return find_question(state.ledger, asked.query, understood.standalone, understood.exclusions)


def _kept(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    found: Found,
    answered: Answered,
    result: CarryForwardResult,
    same: OpenQuestion | None,
) -> Kept:
    left = {one.question_id for one in result.ledger} | ({same.question_id} if same is not None else set())
    resolved = _resolved([one for one in state.ledger if one.question_id not in left], result)
    now = result.current_answer.citations if answered.left else ()
    cited = tuple(dict.fromkeys((*now, *(doc_id for one in resolved for doc_id in one.citations))))
    registry = _with_convention(talk, answered.registry) if cited else answered.registry
    if cited:
        offered = evidence(registry, found.all, asked.scope)
        told = registry.convention or talk.convention
        registry = registered(registry, cited, offered, found.all, told, state.turn + 1, found.source_ids)
    titles = {entry.doc_id: entry.title for entry in registry.entries}
    sources = tuple(Source(doc_id=doc_id, title=titles.get(doc_id, "")) for doc_id in cited)
    better = result.current_answer if result.current_answer.status != answered.status else None
    if same is not None:
        text, seen = body_of(answered.answer), still_shown(answered.cited, hidden_ids(state.registry, asked.scope))
        own = ResolvedEntry(question=same.question, answer=text, citations=seen, question_id=same.question_id)
        resolved = (own, *resolved)
    return Kept(
        ledger=result.ledger,
        resolved=resolved,
        sources=sources,
        registry=registry,
        human_review=result.human_review,
        current=better if answered.asks or answered.left else None,
        same=same.question_id if same is not None else "",
    )


def _resolved(gone: list[OpenQuestion], result: CarryForwardResult) -> tuple[ResolvedEntry, ...]:
    """Return what was resolved with the ids of what left the ledger; several in the same words left it in order."""
    resolved = []
    for one in result.resolved_questions:
        entry = next((entry for entry in gone if entry.question == one.question), None)
        if entry is not None:
            gone.remove(entry)
        name = "" if entry is None else entry.question_id
        resolved.append(
            ResolvedEntry(question=one.question, answer=one.answer, citations=one.citations, question_id=name)
        )
    return tuple(resolved)


def _with_convention(talk: Talk, registry: CitationRegistry) -> CitationRegistry:
    return registry.model_copy(update={"convention": registry.convention or talk.convention})
