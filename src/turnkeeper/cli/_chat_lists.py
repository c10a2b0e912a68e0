"""What a talk can list: what the last turn did, and what the session owes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .._turn.result import ConversationTurn
from ..sessions import SessionState


def trace_lines(turn: ConversationTurn) -> Iterator[str]:
    """Yield what a turn did, a line each: searched, excluded, found, cited, resolved, open, warnings, cost."""
    yield f"turn       {turn.turn}, {turn.kind}, {turn.status}"
    yield f"searched   {turn.standalone_query} ({turn.action})"
    if turn.expansion_terms:
        yield f"added      {', '.join(turn.expansion_terms)}"
    yield f"excluded   {', '.join(turn.negation_constraints) or 'nothing'}"
    yield f"found      {'the retrieval failed' if turn.found is None else ', '.join(turn.found) or 'nothing'}"
    if turn.dropped:
        yield f"dropped    {', '.join(turn.dropped)}"
    fresh = set(turn.new_citations)
    yield f"cited      {', '.join(f'{i} (new)' if i in fresh else i for i in turn.cited) or 'nothing'}"
    for resolved in turn.resolved_questions:
        yield f"resolved   {resolved.question}"
    for one in turn.open_questions:
        yield f"open       {one.question} (since turn {one.first_asked_turn}, attempts {one.attempts})"
    for warning in turn.warnings:
        yield f"warning    {warning.code}: {warning.message}"
    for step in turn.steps:
        yield f"step       {step.name} {step.latency_ms:.0f} ms, {step.calls} LM calls"
    yield f"total      {turn.latency_ms:.0f} ms, {turn.lm_calls} LM calls"


def _open(state: SessionState) -> Iterator[str]:
    for one in state.ledger:
        missing = f"; missing: {one.missing_evidence}" if one.missing_evidence else ""
        yield f"{one.question} (since turn {one.first_asked_turn}, attempts {one.attempts}{missing})"
    if not state.ledger:
        yield "(nothing is open)"


def _sources(state: SessionState) -> Iterator[str]:
    for entry in state.registry.entries:
        remark = ", withdrawn" if entry.withdrawn else ""
        yield f"{entry.doc_id}: {entry.title} (turns {entry.first_turn} to {entry.last_turn}{remark})"
    if not state.registry.entries:
        yield "(nothing has been cited)"


def _exclusions(state: SessionState) -> Iterator[str]:
    active = dict.fromkeys(one.phrase for one in state.exclusions if one.status == "active")
    yield from active or ("(nothing is ruled out)",)


LISTS: dict[str, Callable[[SessionState], Iterator[str]]] = {
    "/open": _open,
    "/sources": _sources,
    "/exclusions": _exclusions,
}
"""Lists of the session by the command that shows them."""
