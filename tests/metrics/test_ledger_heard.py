"""Whether a turn asks something new or completes a question that is open: one reading, that of the turn's kind."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._ledger_heard import Heard, heard
from turnkeeper.metrics._turn_kind import turn_kind
from turnkeeper.signatures.types import OpenQuestion, Turn

TICKET = OpenQuestion(question_id="q1", question="How much is a harbour ticket?", first_asked_turn=1)
ABSTAINED = "I cannot find evidence to answer this question."
FRAGMENTS = [
    "March.", "in March", "Parking", "Parking fees 2024", "opening hours Sunday", "Wheelchair access.",
    "I mean the one at the north pier", "for two adults and one dog please", "the big blue one from the south",
    "my parking permit", "lost property office", "the second one",
    "I mean the big old one at the very end of the north pier",
]  # fmt: skip


def after(answer: str) -> list[Turn]:
    return [Turn(role="user", content=TICKET.question), Turn(role="assistant", content=answer)]


@pytest.mark.parametrize("message", FRAGMENTS)
@pytest.mark.parametrize("answer", [ABSTAINED, "For which pier, please?", "It is 300 m long [Source: P-1]."])
def test_a_fragment_completes_where_the_turn_is_a_clarification_and_else_may_enter(message: str, answer: str) -> None:
    kind = turn_kind(message, history=after(answer), pending=[TICKET.question]).kind
    told = heard(message, [TICKET], turn=2, history=after(answer))
    assert told == (Heard("nothing", True) if kind == "clarification" else Heard("unclear", False))


@pytest.mark.parametrize("message", FRAGMENTS)
@pytest.mark.parametrize("turn", [2, 5])
def test_without_a_history_no_fragment_is_neither_asked_nor_added(message: str, turn: int) -> None:
    told = heard(message, [TICKET], turn=turn)
    assert told.completes == (told.asking == "nothing")


def test_without_a_history_keywords_fill_only_what_was_asked_just_before() -> None:
    assert heard("Parking", [TICKET], turn=2).completes
    assert heard("Parking", [TICKET], turn=4) == Heard("unclear", False)
    assert heard("March.", [TICKET], turn=4).completes  # nobody searches for a month


def test_a_question_that_was_given_up_is_completed_by_nothing() -> None:
    given_up = TICKET.model_copy(update={"status": "unresolvable"})
    assert heard("March.", [given_up], turn=2) == Heard("unclear", False)


def test_small_talk_and_looks_at_the_conversation_ask_nothing_and_add_nothing() -> None:
    for message in ("Thanks!", "Merci, c'est parfait.", "go on", "What is still open?", "Put that in a table."):
        for history in ((), after(ABSTAINED), after("Which pier?")):
            assert heard(message, [TICKET], turn=2, history=history) == Heard("nothing", False), message


def test_a_statement_adds_only_to_what_waits_for_it() -> None:
    assert heard("We were there with two children.", [TICKET], turn=2, history=after(ABSTAINED)).completes
    answered = after("It is 300 m long.")
    assert heard("We were there with two children.", [TICKET], turn=2, history=answered) == Heard("nothing", False)
