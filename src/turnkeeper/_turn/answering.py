"""Answers to the question of now: with citations, given by the application, or none and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..metrics._abstention import is_abstention
from ..metrics._evidence_scope import in_scope
from ..metrics._ledger_evidence import Answer, CitedText
from ..metrics._open_parts import open_part
from ..metrics.cite import cited_ids
from ..modules._cite_given import after_reply
from ..sessions.state import SessionState, TurnStatus
from ..signatures.cite import ABSTENTION, CiteResult, Source
from ..signatures.types import CitationRegistry, Turn
from .answer import body_of
from .asked import Asked
from .finding import Found
from .foreign import as_result
from .storable import storable
from .talk import Talk
from .tallied import Tallied
from .understand import Understood
from .visible import shown_passages, shown_registry
from .work import Flow

BARRED = "This question asks for something that you have no access to."
UNCLEAR = "I am not sure what you mean; could you say it with its name?"
"""What is asked back where nothing better is known."""


class Answered(NamedTuple):
    """An answer and what it leaves in the registry.

    Attributes:
        answer: With markers and Sources section.
        status: Of the question of now.
        registry: After the answer.
        sources: The Sources section as data.
        asks: Whether the turn asks something that the ledger may have to keep.
        left: Whether the answer is left to carry_forward: the turn completes a question that is open.
        missing: What a partial answer leaves open.
        cited: Ids cited, in order.
        judged: Whether an LM has read what was found; a step that is off, failed or was never answered has not.
    """

    answer: str
    status: TurnStatus
    registry: CitationRegistry
    sources: tuple[Source, ...] = ()
    asks: bool = False
    left: bool = False
    missing: str = ""
    cited: tuple[str, ...] = ()
    judged: bool = True


def registry_of(talk: Talk, state: SessionState) -> CitationRegistry:
    """Return the registry with the convention of this turn: the session's own, else as the conversation is set up."""
    return state.registry.model_copy(update={"convention": state.registry.convention or talk.convention})


def cited_answer(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    understood: Understood,
    found: Found,
    tallied: Tallied,
) -> Flow[Answered]:
    """Ask cite for an answer from what was found; without the step, or when it fails, abstain."""
    registry = registry_of(talk, state)
    nothing = Answered(ABSTENTION, "UNANSWERED", state.registry, asks=True, judged=False)
    step = talk.steps.get("cite")
    if step is None:
        return nothing
    passages = found.passages if step.own else shown_passages(found.passages, registry)
    inputs = {
        "query": understood.standalone,
        "history": list(history),
        "registry": registry if step.own else shown_registry(registry, asked.scope),
        "context": None if passages is None else list(passages),
        "turn": state.turn + 1,
        "access_scope": asked.scope,
    }
    [done] = yield (step.work(**inputs),)
    if step.own and isinstance(done.value, CiteResult):
        result: CiteResult | None = done.value
    else:
        turn, risk = state.turn + 1, talk.risk_level
        result = as_result(done.value, registry, found, understood.standalone, asked, turn, risk)
    tallied.step(done, result)
    if result is None:
        return nothing
    answered = result.ok and not result.fallback and not result.abstained
    cited = tuple(source.doc_id for source in result.sources)
    open_ = _left_open(asked.query, result.answer, cited, registry, found, asked) if answered else ""
    return Answered(
        answer=result.answer,
        status=("PARTIAL" if open_ else "ANSWERED") if answered else "UNANSWERED",
        registry=_with_source_ids(result.registry, state.registry, found.source_ids),
        sources=result.sources,
        asks=True,
        cited=cited,
        missing=open_,
        judged=_judged(result),
    )


def _judged(result: CiteResult) -> bool:
    """Whether an LM has read the evidence: a step that fell back without one readable answer has not."""
    return not result.fallback or any(violation.code != "unparsable" for violation in result.violations)


def _left_open(
    question: str, answer: str, cited: tuple[str, ...], registry: CitationRegistry, found: Found, asked: Asked
) -> str:
    """Return the part of a question of several parts of which the answer and what it cites say nothing, or ""."""
    texts = CitedText(found.passages, registry, asked.scope)
    return (open_part(Answer(question, body_of(answer), cited), texts, told=True) or "").rstrip(" ?.!")


def left_to_carry_forward(state: SessionState) -> Answered:
    """Return no answer yet: the user has completed a question that is open, and it is answered as that."""
    return Answered(ABSTENTION, "UNANSWERED", state.registry, left=True)


def given_reply(asked: Asked, state: SessionState, found: Found) -> Answered:
    """Take note of a reply that the application gave: what it cites among the turn's passages is registered.

    Args:
        found: What was searched for where the application passed no passages, under the retriever's ids.
    """
    reply = asked.reply or ""
    given = asked.passages if isinstance(asked.passages, (list, tuple)) else map(storable, found.passages or ())
    passages = tuple(p for p in given if in_scope(asked.scope, p.metadata, (p.doc_id,), p.title, p.text))
    registry = after_reply(state.registry, reply, passages, state.turn + 1)
    known = {entry.doc_id: entry for entry in registry.entries}
    ids = cited_ids(registry=registry, context=(), question=asked.query, prediction={"answer": reply})
    cited = tuple(doc_id for doc_id in ids if doc_id in known)
    return Answered(
        answer=reply,
        status="UNANSWERED" if is_abstention(body_of(reply)) else "ANSWERED",
        registry=registry,
        sources=tuple(Source(doc_id=doc_id, title=known[doc_id].title) for doc_id in cited),
        asks=True,
        cited=cited,
    )


def barred(state: SessionState) -> Answered:
    """Return the abstention of a question that reaches beyond what the user may see; it enters nothing."""
    return Answered(ABSTENTION, "UNANSWERED", state.registry)


def asked_back(state: SessionState, tallied: Tallied) -> Answered:
    """Return a question back: with risk_level="high" nothing is guessed."""
    told = next((n.message for n in tallied.warnings if n.code == "ambiguous_reference"), "")
    return Answered(f"{UNCLEAR} {told}".strip(), "UNANSWERED", state.registry)


def not_asked(answer: str, state: SessionState) -> Answered:
    """Return an answer to a turn that asks the documents nothing."""
    return Answered(answer, "ANSWERED", state.registry)


def _with_source_ids(
    registry: CitationRegistry, before: CitationRegistry, source_ids: Mapping[str, str]
) -> CitationRegistry:
    """Return the registry with the retriever's ids of new sources: cite was shown those that are cited alone."""
    known = {entry.doc_id for entry in before.entries}
    entries = tuple(
        entry
        if entry.doc_id in known
        else entry.model_copy(update={"source_id": source_ids.get(entry.doc_id, entry.source_id)})
        for entry in registry.entries
    )
    return registry.model_copy(update={"entries": entries})
