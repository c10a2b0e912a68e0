"""The ledger after a turn: what can be answered now, what is carried on, what enters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._ledger import after_failure
from ..modules._cite_evidence import evidence
from ..modules._cite_registry import after_turn as registered
from ..sessions.state import SessionState
from ..signatures.carry_forward import CarryForwardResult, CurrentAnswer
from ..signatures.cite import ABSTENTION, Source
from ..signatures.types import CitationRegistry, Notice, OpenQuestion, Turn
from .answer import body_of
from .answering import Answered
from .asked import Asked
from .finding import Found
from .result import ResolvedEntry
from .talk import Talk
from .tallied import Tallied
from .understand import Understood
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
    """

    ledger: tuple[OpenQuestion, ...]
    resolved: tuple[ResolvedEntry, ...]
    sources: tuple[Source, ...]
    registry: CitationRegistry
    human_review: bool
    current: CurrentAnswer | None = None


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
        return unchanged
    current = CurrentAnswer(text=None, status="UNANSWERED")
    if answered.asks:
        answers = answered.status == "ANSWERED"
        current = CurrentAnswer(
            text=body_of(answered.answer) if answers else ABSTENTION,
            citations=answered.cited if answers else (),
            status=answered.status,
        )
    inputs = {
        "turn": number,
        "history": list(history),
        "ledger": list(state.ledger),
        # What asks the documents nothing, or may not be asked, never enters.
        "query": asked.query if answered.asks else "",
        "standalone_query": understood.standalone if answered.asks else "",
        "context": None if found.passages is None else list(found.passages),
        "evidence": {name: None if one is None else list(one) for name, one in found.again.items()},
        "access_scope": asked.scope,
        "exclusions": list(understood.exclusions),
        "registry": _with_convention(talk, answered.registry),
        "current_answer": current,
        "policy": talk.policy,
    }
    [done] = yield (step.work(**inputs),)
    result = done.value if isinstance(done.value, CarryForwardResult) else None
    tallied.step(done, result)
    if result is None:
        message = f"The open questions stay as they are, and this one is not among them: {asked.query}"
        tallied.warn([Notice(code="turn_not_processed", message=message)])
        return unchanged
    return _kept(talk, asked, state, found, answered, result)


def _kept(
    talk: Talk, asked: Asked, state: SessionState, found: Found, answered: Answered, result: CarryForwardResult
) -> Kept:
    ids = {one.question: one.question_id for one in state.ledger}
    resolved = tuple(
        ResolvedEntry(question=r.question, answer=r.answer, citations=r.citations, question_id=ids.get(r.question, ""))
        for r in result.resolved_questions
    )
    cited = tuple(dict.fromkeys(doc_id for one in resolved for doc_id in one.citations))
    registry = _with_convention(talk, answered.registry) if cited else answered.registry
    if cited:
        offered = evidence(registry, found.all, asked.scope)
        told = registry.convention or talk.convention
        registry = registered(registry, cited, offered, found.all, told, state.turn + 1, found.source_ids)
    titles = {entry.doc_id: entry.title for entry in registry.entries}
    sources = tuple(Source(doc_id=doc_id, title=titles.get(doc_id, "")) for doc_id in cited)
    better = result.current_answer if result.current_answer.status != answered.status else None
    return Kept(result.ledger, resolved, sources, registry, result.human_review, better if answered.asks else None)


def _with_convention(talk: Talk, registry: CitationRegistry) -> CitationRegistry:
    return registry.model_copy(update={"convention": registry.convention or talk.convention})
