"""Notices of what begins with a turn: a question given up, and a ledger that a person has to look at."""

from __future__ import annotations

from ..events import emit
from ..metrics._ledger import Ledger, LedgerTurn, age, normal
from ..signatures.carry_forward import LedgerPolicy
from ..signatures.types import Notice, OpenQuestion


def alerts(turn: LedgerTurn, number: int, policy: LedgerPolicy) -> tuple[Notice, ...]:
    """Return the notices of a turn, and send the event of a review: each once, when it becomes so.

    Args:
        turn: What the turn made of the ledger.
        number: Of the turn.
        policy: By which it did.
    """
    notices = []
    known = {entry.question_id: entry for entry in turn.ledger}
    for question_id in turn.unresolvable:
        named = _named(known[question_id], turn.ledger)
        message = f"{policy.max_attempts} attempts found no answer; a person has to: {named}"
        notices.append(Notice(code="unresolvable", message=message))
    if turn.raised:
        oldest = max((age(entry, number) for entry in turn.ledger), default=0)
        notices.append(Notice(code="ledger_review", message=f"{_state(turn.ledger, oldest)}; a person has to look."))
        emit("ledger_review", open_questions=len(turn.ledger), oldest=oldest, turn=number)
    return tuple(notices)


def _named(entry: OpenQuestion, ledger: Ledger) -> str:
    """Return the user's words, with what they ask for where another question has the same words."""
    shared = sum(normal(other.question) == normal(entry.question) for other in ledger) > 1
    return f"{entry.question} ({entry.standalone_query})" if shared and entry.standalone_query else entry.question


def _state(ledger: Ledger, oldest: int) -> str:
    given_up = sum(entry.status == "unresolvable" for entry in ledger)
    told = f"{len(ledger) - given_up} questions are open"
    told += f" and {given_up} given up" if given_up else ""
    return f"{told}, the oldest for {oldest} turns"
