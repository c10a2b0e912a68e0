"""Turns that only change what is ruled out ask the last question anew; pure rules, no LM."""

from __future__ import annotations

import pytest

from turnkeeper._turn.asked import messages
from turnkeeper._turn.reasked import asked_anew, doubted
from turnkeeper.metrics.expand import detect
from turnkeeper.sessions import SessionState, TurnRecord
from turnkeeper.signatures.types import Exclusion, Turn

ASKED = "Show me campsites without generators."
STATE = SessionState(
    session_id="s",
    turn=1,
    turns=(TurnRecord(turn=1, query=ASKED, standalone_query=ASKED),),
    exclusions=(Exclusion(phrase="generators", turn=0),),
)
HISTORY = [Turn(role="user", content=ASKED), Turn(role="assistant", content="Birch Cove is quiet [Source: CAMP-2].")]


def _anew(query: str, state: SessionState = STATE) -> str | None:
    return asked_anew(query, detect(HISTORY, query, None, list(state.exclusions)), state)


@pytest.mark.parametrize(
    "query",
    ["Forget what I said about generators.", "Never mind the generators.", "Generators are fine after all."],
)
def test_what_is_taken_back_leaves_the_last_question_too(query: str) -> None:
    assert _anew(query) == "Show me campsites."


@pytest.mark.parametrize("query", ["No caravans please.", "And nothing with caravans."])
def test_a_further_exclusion_asks_the_last_question_again(query: str) -> None:
    assert _anew(query) == "Show me campsites."


@pytest.mark.parametrize(
    "query",
    [
        "Forget generators, what about showers?",
        "Only those with a shower.",
        "Generators are okay, show me the ones near the river.",
        "How much is it without breakfast?",
        "Which one is the cheapest",
    ],
)
def test_a_turn_that_asks_for_something_itself_stays_its_own(query: str) -> None:
    assert _anew(query) is None


def test_without_a_question_before_there_is_none_to_ask_again() -> None:
    state = STATE.model_copy(update={"turns": ()})
    assert _anew("Never mind the generators.", state) is None


@pytest.mark.parametrize(
    "query",
    [
        "Are you sure? A friend told me there are six.",
        "Is that right?",
        "That's wrong. It was closed last year.",
        "Stimmt das?",
    ],
)
def test_who_only_doubts_the_answer_has_the_question_answered_again(query: str) -> None:
    assert doubted(query, STATE) == ASKED


@pytest.mark.parametrize(
    "query", ["Are you sure? And what about showers?", "Is the river deep?", "I am sure it rains."]
)
def test_a_question_beside_the_doubt_is_a_question(query: str) -> None:
    assert doubted(query, STATE) is None


def test_a_corrected_question_leaves_the_history_with_its_answer() -> None:
    turns = (
        TurnRecord(turn=1, query="How deep is the Alder pond?", answer="It is 4 m deep [Source: P-1]."),
        TurnRecord(
            turn=2,
            query="Sorry, wrong name, I meant the Elder pond.",
            standalone_query="How deep is the Elder pond?",
            answer="It is 9 m deep [Source: P-2].",
        ),
    )
    told = messages(STATE.model_copy(update={"turns": turns}))
    assert [turn.content for turn in told] == ["How deep is the Elder pond?", "It is 9 m deep [Source: P-2]."]
