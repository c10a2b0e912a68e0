"""The end of a turn: one text, one record, one durable commit, and what the application gets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..errors import UnknownSessionError, WrongTenantError
from ..metrics._abstention import is_abstention
from ..metrics.cite import check
from ..sessions import SessionState, TurnRecord
from ..sessions.state import Committed, TurnStatus
from ..signatures.cite import ABSTENTION
from ..signatures.types import Notice
from .answer import Told, body_of, compose, without_quoted
from .asked import Asked
from .discreet import shown_turn
from .result import ConversationTurn, OpenEntry
from .reviewing import Reviewed, reviewed
from .talk import Talk
from .tallied import Tallied
from .work import Done, Flow, Work

if TYPE_CHECKING:
    from .flow import Taken

_REUSED = (
    "This idempotency key belongs to a turn with other words, which is given back; what was asked now was not taken."
)


def committed_before(talk: Talk, asked: Asked) -> Flow[ConversationTurn | None]:
    """Return the turn that was committed under the key, or None; no LM is asked then."""
    if asked.key is None:
        return None
    key = asked.key
    [done] = yield (
        Work("committed", lambda: talk.store.committed(asked.session_id, asked.tenant, idempotency_key=key)),
    )
    if isinstance(done.error, UnknownSessionError) and not isinstance(done.error, WrongTenantError):
        return None
    if done.error is not None:
        raise done.error
    return None if done.value is None else _replayed(asked, done.value)


def commit(talk: Talk, taken: Taken, tallied: Tallied, started: float) -> Flow[ConversationTurn]:
    """Commit a turn and return it. Raises what the store raises; then nothing of it is kept."""
    state, answered, kept, number = taken.state, taken.answered, taken.kept, taken.number
    told, status = _told(taken, tallied)
    before = {entry.doc_id for entry in state.registry.entries}
    after = {entry.doc_id for entry in kept.registry.entries}
    cited = tuple(
        dict.fromkeys((*answered.cited, *(s.doc_id for s in kept.sources), *(s.doc_id for s in told.sources)))
    )
    cited = tuple(doc_id for doc_id in cited if doc_id in after)
    review: Reviewed = reviewed(talk, taken, tallied)
    found = None if taken.found.passages is None else tuple(dict.fromkeys(p.doc_id for p in taken.found.passages))
    result = ConversationTurn(
        session_id=taken.asked.session_id,
        turn=number,
        kind=taken.reading.kind,
        query=taken.asked.query,
        standalone_query=taken.understood.standalone,
        action=taken.understood.action,
        negation_constraints=taken.understood.ruled_out,
        expansion_terms=taken.understood.terms,
        answer=told.answer,
        status=status,
        sources=told.sources,
        cited=cited,
        new_citations=tuple(doc_id for doc_id in cited if doc_id not in before),
        reused_citations=tuple(doc_id for doc_id in cited if doc_id in before),
        resolved_questions=kept.resolved,
        open_questions=tuple(
            OpenEntry(**{name: getattr(one, name) for name in OpenEntry.model_fields}) for one in kept.ledger
        ),
        registry=tuple(entry.doc_id for entry in kept.registry.entries),
        found=found,
        dropped=taken.found.dropped,
        human_review=kept.human_review or any(item.status == "open" for item in review.items),
        reviews=review.raised,
        violations=tuple(tallied.violations),
        warnings=tuple(tallied.warnings),
        fallback=tallied.fallback,
        lm_calls=tallied.calls,
        steps=tuple(tallied.steps),
    )
    result = shown_turn(result, taken.asked)
    gone = {one.question_id for one in state.ledger} - {one.question_id for one in kept.ledger}
    record = to_record(result, tuple(sorted(gone)))
    new = SessionState(
        session_id=state.session_id,
        tenant=state.tenant,
        registry=kept.registry,
        ledger=kept.ledger,
        exclusions=taken.understood.exclusions,
        reviews=review.items,
    )
    done: Done = (yield (Work("commit", lambda: _commit(talk, taken.asked, state, record, new)),))[0]
    if done.error is not None:
        raise done.error
    committed: Committed = done.value
    if committed.replayed:
        return _replayed(taken.asked, committed.turn)
    tallied.step(done)
    took = round((time.perf_counter() - started) * 1000, 3)
    return result.model_copy(update={"latency_ms": took, "steps": tuple(tallied.steps)})


def _commit(talk: Talk, asked: Asked, state: SessionState, record: TurnRecord, new: SessionState) -> Committed:
    return talk.store.commit(expected_version=state.version, turn=record, state=new, idempotency_key=asked.key)


def _replayed(asked: Asked, record: TurnRecord) -> ConversationTurn:
    """Return the turn of a key again; a key that came with other words is no retry, and is not answered in silence."""
    told = shown_turn(from_record(asked.session_id, record, replayed=True), asked)
    if record.query == asked.query:
        return told
    notice = Notice(code="idempotency_key_reused", message=_REUSED)
    return told.model_copy(update={"warnings": (*told.warnings, notice)})


def _told(taken: Taken, tallied: Tallied) -> tuple[Told, TurnStatus]:
    """Return the text to show and the status of the question of now."""
    answered, kept = taken.answered, taken.kept
    if taken.asked.reply is not None:
        return Told(answered.answer, answered.sources), answered.status
    answer, sources, status = answered.answer, answered.sources, answered.status
    resolved = tuple(one for one in kept.resolved if one.question_id != kept.same)  # the answer itself says it
    if kept.current is not None and kept.current.text and kept.current.status != "UNANSWERED":
        # The open questions were held against more than the question of now, which one of them was.
        answer, status = kept.current.text, kept.current.status
        sources = tuple(s for s in kept.sources if s.doc_id in kept.current.citations) or sources
        resolved = tuple(one for one in resolved if one.answer != kept.current.text)
    elif kept.current is not None:
        status = kept.current.status
    told = compose(answer, sources, resolved, kept.sources)
    if resolved:
        _checked(taken, without_quoted(told.answer, resolved), tallied)
    return told, status


def _checked(taken: Taken, body: str, tallied: Tallied) -> None:
    """Hold the composed text against the checks as a whole; an abstention at its head is looked at without it."""
    if is_abstention(body_of(taken.answered.answer)):
        body = body.replace(ABSTENTION + ".", "", 1).replace(ABSTENTION, "", 1).lstrip()
    found = check(
        registry=taken.kept.registry,
        context=taken.found.all,
        question=" ".join((taken.understood.standalone, *(one.question for one in taken.kept.resolved))),
        prediction={"answer": body},
        access_scope=taken.asked.scope,
    )
    if found:
        codes = ", ".join(dict.fromkeys(violation.code for violation in found))
        message = f"The answers together did not pass the checks ({codes})."
        tallied.warn([Notice(code="citation_unverified", message=message)])


_IN_RECORD = {
    "turn", "kind", "query", "standalone_query", "answer", "status", "cited", "new_citations", "reused_citations",
    "warnings",
}  # fmt: skip
_NOT_KEPT = {"session_id", "replayed", "latency_ms", "steps"}


def to_record(result: ConversationTurn, resolved: tuple[str, ...]) -> TurnRecord:
    """Return a turn as it is stored; times are not, so that the same turn is the same record."""
    details: dict[str, Any] = result.model_dump(mode="json", exclude=_IN_RECORD | _NOT_KEPT)
    kept = {name: getattr(result, name) for name in _IN_RECORD}
    return TurnRecord(**kept, resolved=resolved, details={k: v for k, v in details.items() if v not in ([], None)})


def from_record(session_id: str, record: TurnRecord, *, replayed: bool = False) -> ConversationTurn:
    """Return a stored turn as it was given back when it was taken, without times."""
    kept = {name: getattr(record, name) for name in _IN_RECORD}
    known = {name: value for name, value in record.details.items() if name in ConversationTurn.model_fields}
    return ConversationTurn.model_validate({**known, **kept, "session_id": session_id, "replayed": replayed})
