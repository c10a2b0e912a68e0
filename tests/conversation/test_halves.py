"""Two questions in one turn: answered by half, the turn is PARTIAL and keeps the question with what is missing."""

from __future__ import annotations

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.signatures.types import Passage

from .conftest import Make
from .reading import Reader, lm_of

OPENS = "The lake cafe opens at 8:00."
COSTS = "Breakfast at the lake cafe costs 11 euros."
CAFE = Passage(doc_id="C-1", title="Lake cafe", text=OPENS)
PRICES = Passage(doc_id="C-2", title="Lake cafe breakfast", text=COSTS)
WHOLE = Passage(doc_id="C-3", title="Lake cafe", text=f"{OPENS} {COSTS}")


def asked(make: Make, question: str, said: str, passage: Passage) -> tuple[str, list[str]]:
    talk: Conversation = make(lm=lm_of(Reader(facts={"lake cafe": said})))
    told = talk.turn("s", question, passages=[passage])
    assert [one.question for one in told.open_questions] == ([question] if told.status == "PARTIAL" else [])
    return told.status, [one.missing_evidence for one in told.open_questions]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("When does the lake cafe open and what does it cost?", "what does it cost"),
        ("When does the lake cafe open, and what do they cost?", "what do they cost"),
        ("What are the lake cafe hours, and what do they cost?", "what do they cost"),
        ("When does the lake cafe open and how much is it?", "how much is it"),
        ("When does the lake cafe open? And what does it cost?", "what does it cost"),
        ("When does the lake cafe open? How much is breakfast?", "how much is breakfast"),
        ("When does the lake cafe open, what does it cost?", "what does it cost"),
        ("When does the lake cafe open & what does it cost?", "what does it cost"),
        ("When does the lake cafe open and does it have a terrace?", "does it have a terrace"),
        ("When does the lake cafe open, and is it expensive?", "is it expensive"),
        ("When does the lake cafe open and when does it close?", "when does it close"),
        ("When does the lake cafe open and who runs it?", "who runs it"),
    ],
)
def test_a_time_alone_answers_half(question: str, missing: str, make: Make) -> None:
    assert asked(make, question, OPENS, CAFE) == ("PARTIAL", [missing])


def test_a_price_alone_answers_half(make: Make) -> None:
    question = "What does the lake cafe charge and when does it open?"
    assert asked(make, question, COSTS, PRICES) == ("PARTIAL", ["when does it open"])


def test_what_only_the_cited_passage_says_was_not_told(make: Make) -> None:
    question = "When does the lake cafe open and what does breakfast cost?"
    assert asked(make, question, OPENS, WHOLE) == ("PARTIAL", ["what does breakfast cost"])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When does the lake cafe open and what does it cost?", "The lake cafe opens at 8:00 and costs 11 euros."),
        ("When does the lake cafe open and what does it cost?", "The lake cafe opens at 8:00 and is free."),
        ("When does the lake cafe open and how much is it?", "The lake cafe opens at 8 and takes 11."),
        ("When does the lake cafe open and when does it close?", "The lake cafe is open from 8:00 to 17:30."),
        ("When does the lake cafe open, and is it expensive?", "The lake cafe opens at 8:00 and is cheap."),
        ("When does the lake cafe, which is new, open?", "The lake cafe opens at 8:00."),
        ("When do the lake cafe and the shop open?", "The lake cafe opens at 8:00."),
        ("What does the lake cafe cost in May and June?", "The lake cafe costs 11 euros."),
    ],
)
def test_an_answer_to_both_is_whole(question: str, said: str, make: Make) -> None:
    passage = Passage(doc_id="C-4", title="Lake cafe", text=said)
    assert asked(make, question, said, passage) == ("ANSWERED", [])


def test_the_other_half_answers_it_later(make: Make) -> None:
    question = "When does the lake cafe open and what does it cost?"
    reader = Reader(facts={"lake cafe": OPENS})
    talk = make(lm=lm_of(reader))
    talk.turn("s", question, passages=[CAFE])
    reader.facts = {"lake cafe": WHOLE.text}
    told = talk.turn("s", "Thanks!", passages=[WHOLE])
    assert "11 euros" in told.answer and told.open_questions == ()
