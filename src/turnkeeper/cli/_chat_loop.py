"""The talk at the terminal: what is typed becomes turns or commands, and what comes back is shown and never obeyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from .._turn.result import ConversationTurn
from ..errors import TurnkeeperError
from ..sessions import SessionState
from ._render import safe

HELP = (
    "/trace       what the last turn searched, found, cited and cost",
    "/open        questions that are still open",
    "/sources     what has been cited so far",
    "/exclusions  what is ruled out",
    "/new         begin another session",
    "/quit        leave; the session is kept",
)
Read = Callable[[], "str | None"]
"""Returns the next line without its end, or None at the end of input; may raise `KeyboardInterrupt`."""
Write = Callable[[str], None]
"""Shows one line, which holds nothing that a terminal would obey."""


class Talk(Protocol):
    """One session of a conversation, as the loop sees it."""

    def turn(self, text: str) -> ConversationTurn:
        """Take a turn and commit it; raises a `TurnkeeperError` when it was not committed."""
        ...

    def state(self) -> SessionState | None:
        """Return the session as it is stored, or None before its first turn."""
        ...

    def new(self) -> str:
        """Go on in a new session, and return its id."""
        ...


def chat_loop(talk: Talk, read: Read, write: Write) -> int:
    """Talk until `/quit` or the end of input; return how many turns were committed.

    An interrupt ends the turn that is being taken and not the talk; where the turn was committed already, its answer is
    shown. An interrupt at the prompt leaves.
    """
    last: ConversationTurn | None = None
    turns = 0
    while True:
        try:
            line = read()
        except KeyboardInterrupt:
            line = None
        if line is None:
            return turns
        if not line.strip():
            continue
        if line.startswith("/"):
            if line.strip() == "/quit":
                return turns
            last = None if line.strip() == "/new" else last
            _say(write, _command(line.strip(), talk, last))
            continue
        before = _turns(talk)
        try:
            last = talk.turn(line)
        except KeyboardInterrupt:
            done = _turns(talk) > before
            turns += done
            _say(write, _interrupted(talk) if done else ("(interrupted; nothing of this turn was kept)",))
            continue
        except TurnkeeperError as error:
            _say(write, (f"({error})",))
            continue
        turns += 1
        _say(write, _shown(last))


def _command(name: str, talk: Talk, last: ConversationTurn | None) -> Iterator[str]:
    if name == "/help":
        yield from HELP
    elif name == "/new":
        yield f"(session {talk.new()})"
    elif name == "/trace":
        yield from trace_lines(last) if last else ("(no turn yet)",)
    elif name in _LISTS:
        state = talk.state()
        yield from _LISTS[name](state) if state else ("(no turn yet)",)
    else:
        yield f"({name.split()[0]} is no command; a blank before it says it to the conversation)"
        yield from HELP


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


_LISTS: dict[str, Callable[[SessionState], Iterator[str]]] = {
    "/open": _open,
    "/sources": _sources,
    "/exclusions": _exclusions,
}


def _shown(turn: ConversationTurn) -> Iterator[str]:
    yield from turn.answer.split("\n")
    if turn.fallback:
        yield "(not everything went well; /trace says what)"


def _interrupted(talk: Talk) -> Iterator[str]:
    state = talk.state()
    if state is not None and state.turns:
        yield from state.turns[-1].answer.split("\n")
    yield "(interrupted after the turn was kept)"


def _turns(talk: Talk) -> int:
    state = talk.state()
    return state.turn if state is not None else 0


def _say(write: Write, lines: Iterator[str] | tuple[str, ...]) -> None:
    for line in lines:
        write(safe(line))
