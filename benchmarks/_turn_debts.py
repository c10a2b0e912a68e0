"""Ten questions over the guide that the package ships, and what each turn owes to the turns before it.

References, an exclusion that is set and taken back, an identifier that is cited again eight turns later, and a question
that is answered three turns after it was asked, when its document arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from turnkeeper.conversation import ConversationTurn

LATE = "HIRE-9"
"""The document that arrives before turn `ARRIVES`, and answers what turn 4 asked."""
ARRIVES = 7
QUESTIONS = (
    "Which bikes can I rent at Pedalhuset?",
    "How much does the second one cost a day?",
    "And its range?",
    "Who repairs it when it breaks down?",
    "List cafés in Ravnsholm that serve lunch, without seafood.",
    "Which of them has tables outside?",
    "When does the first ferry to Ravnsholm leave?",
    "Never mind the seafood. Where can I have dinner by the water?",
    "How much does the Otter cost a week?",
    "What did the Heron cost a day?",
)
OPEN = QUESTIONS[3]
EXCLUDED, SERVES_IT = "seafood", "CAFE-2"
CITED_AGAIN = "HIRE-3"


class Debt(NamedTuple):
    """Something that a turn owes.

    Attributes:
        turn: From 1.
        owed: What, as a lost one is named.
        kept: Whether the trace of the turn shows it.
    """

    turn: int
    owed: str
    kept: Callable[[ConversationTurn], bool]


def _names(*names: str) -> Callable[[ConversationTurn], bool]:
    return lambda told: any(name in told.standalone_query for name in names)


def _is_open(told: ConversationTurn) -> bool:
    return OPEN in (one.question for one in told.open_questions)


def _excludes(told: ConversationTurn) -> bool:
    offered = {*(told.found or ()), *told.cited}
    return told.negation_constraints == (EXCLUDED,) and SERVES_IT not in offered


def _is_answered_late(told: ConversationTurn) -> bool:
    answers = {one.question: one.citations for one in told.resolved_questions}
    return LATE in answers.get(OPEN, ()) and LATE in told.cited and not _is_open(told)


def _cites_again(told: ConversationTurn) -> bool:
    return CITED_AGAIN in told.reused_citations and f": {CITED_AGAIN}]" in told.answer


DEBTS = (
    Debt(2, "reference: the second one", lambda told: _names("Heron")(told) and "one" not in _words(told)),
    Debt(3, "reference: its", lambda told: _names("Heron")(told) and "its" not in _words(told)),
    Debt(4, "reference: it", lambda told: _names("Heron")(told) and "it" not in _words(told)),
    Debt(4, "open question: kept word for word", lambda told: told.status == "UNANSWERED" and _is_open(told)),
    Debt(5, "exclusion: set", _excludes),
    Debt(5, "open question: still open", _is_open),
    Debt(6, "reference: them", _names("Lyng", "Mill", "café")),
    Debt(6, "exclusion: carried", _excludes),
    Debt(6, "open question: still open", _is_open),
    Debt(7, "open question: answered when its document came", _is_answered_late),
    Debt(8, "exclusion: revoked", lambda told: not told.negation_constraints and SERVES_IT in (told.found or ())),
    Debt(10, "citation: the id of turn 2", _cites_again),
)


def _words(told: ConversationTurn) -> list[str]:
    return told.standalone_query.casefold().rstrip("?.! ").split()


def lost(number: int, told: ConversationTurn, before: ConversationTurn | None) -> tuple[str, ...]:
    """Return what the turn owed and did not keep.

    Args:
        number: Of the turn in `QUESTIONS`, from 1.
        told: The turn.
        before: The turn before it, None for the first.
    """
    found = [debt.owed for debt in DEBTS if debt.turn == number and not debt.kept(told)]
    known = before.registry if before else ()
    if told.registry[: len(known)] != known or not {*told.cited} <= {*told.registry}:
        found.append("citation: the registered ids")
    if {*told.reused_citations} - {*known} or {*told.new_citations} & {*known}:
        found.append("citation: what is new and what is not")
    pending = {one.question for one in before.open_questions} if before else set()
    if pending - {one.question for one in told.open_questions} - {one.question for one in told.resolved_questions}:
        found.append("open question: dropped")
    return tuple(found)
