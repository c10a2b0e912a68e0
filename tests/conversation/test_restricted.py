"""What was asked under a wider scope: a user whose scope restricts its words now is shown none, nor is a prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnkeeper import events
from turnkeeper.conversation import Conversation
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import Passage

from .conftest import Make
from .reading import ASK_HIRE, ASK_NIGHT, HIRE, LAKE, NIGHT, Reader, codes, lm_of

SECRET = {"restricted_terms": ["Heron Project", "Grey Mole"]}
ASKED = "When does the Heron Project start?"
STARTS = Passage(doc_id="LAKE-9", title="Works on the shore", text="The works on the shore start on 4 March.")


def _named(*told: Any) -> list[str]:
    text = " ".join(one if isinstance(one, str) else json.dumps(one.model_dump(mode="json")) for one in told).casefold()
    return [word for word in ("heron", "grey mole") if word in text]


@pytest.fixture
def asked(talk: Conversation) -> Conversation:
    """A talk in which a question was asked that today's scope restricts, and one that it does not."""
    talk.turn("s", ASKED, passages=[HIRE])
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    return talk


@pytest.mark.parametrize("query", ["What is still open?", "Was ist noch offen?", "Which questions did I ask?"])
def test_a_look_at_the_ledger_names_nothing_restricted(asked: Conversation, query: str) -> None:
    told = asked.turn("s", query, SECRET, passages=[])
    assert told.kind == "about_ledger"
    assert _named(told) == [] and "[restricted]" in told.answer and ASK_NIGHT in told.answer
    assert [one.question for one in told.open_questions] == ["When does the [restricted] start?", ASK_NIGHT]


def test_the_ledger_itself_stays_word_for_word_and_a_wide_scope_is_shown_it(
    asked: Conversation, store: MemoryStore
) -> None:
    before = store.load("s").ledger
    asked.turn("s", "What is still open?", SECRET, passages=[])
    after = store.load("s").ledger
    assert [(one.question_id, one.question, one.standalone_query) for one in after] == [
        (one.question_id, one.question, one.standalone_query) for one in before
    ]
    told = asked.turn("s", "What is still open?", passages=[])
    assert ASKED in told.answer and told.open_questions[0].question == ASKED


def test_no_prompt_and_no_event_of_a_narrow_turn_names_it(asked: Conversation, reader: Reader) -> None:
    reader.asked.clear()
    seen: list[Any] = []
    events.set_sink(seen.append)
    try:
        for query in (ASK_HIRE, "And when?", "March.", "What is still open?", "Are you sure?", "Anything new?"):
            told = asked.turn("s", query, SECRET, passages=[*LAKE, STARTS])
            assert _named(told) == [], query
    finally:
        events.set_sink(None)
    assert reader.asked and not [step for step, prompt in reader.asked if _named(prompt)]
    assert seen and _named(json.dumps(seen, default=str)) == []


def test_a_question_that_names_it_waits_and_is_answered_under_the_wider_scope(make: Make) -> None:
    named = Passage(doc_id="LAKE-9", title="Heron Project", text="The Heron Project starts on 4 March.")
    talk = make(lm=lm_of(Reader(facts={"heron project": named.text, "night trip": NIGHT.text})))
    talk.turn("s", ASKED, passages=[HIRE])
    narrow = talk.turn("s", ASK_NIGHT, SECRET, passages=[named, NIGHT])
    assert narrow.resolved_questions == () and [one.attempts for one in narrow.open_questions] == [1]
    wide = talk.turn("s", "Thanks!", passages=[named])
    assert [one.question for one in wide.resolved_questions] == [ASKED] and "4 March" in wide.answer


def test_what_is_missing_may_name_it_and_is_not_shown_then(make: Make, reader: Reader, store: MemoryStore) -> None:
    talk = make()
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    state = store.load("s")
    ledger = (state.ledger[0].model_copy(update={"missing_evidence": "the timetable of the Grey Mole"}),)
    record = state.turns[0].model_copy(update={"turn": 2, "query": "Hello"})
    store.commit(expected_version=state.version, turn=record, state=state.model_copy(update={"ledger": ledger}))
    told = talk.turn("s", "What is still open?", SECRET, passages=[])
    assert _named(told) == [] and "the timetable of the [restricted]" in told.answer
    assert store.load("s").ledger[0].missing_evidence == "the timetable of the Grey Mole"


def test_a_long_question_is_not_cut_in_the_middle_of_a_restricted_term(talk: Conversation) -> None:
    talk.turn("s", f"When do {'the boats and ' * 34}the works of the Heron Project begin?", passages=[HIRE])
    told = talk.turn("s", "What is still open?", SECRET, passages=[])
    assert _named(told) == []


def test_notices_and_what_was_ruled_out_name_nothing_restricted(make: Make, store: MemoryStore) -> None:
    talk = make(policy=LedgerPolicy(max_attempts=2))
    talk.turn("s", ASKED, passages=[HIRE])
    talk.turn("s", "Which boats are there without Grey Mole engines?", passages=[HIRE])
    told = talk.turn("s", "What is still open?", SECRET, passages=[])
    assert _named(told) == [] and told.negation_constraints == ("[restricted] engines",)
    ruled = talk.turn("s", "What have I ruled out?", SECRET, passages=[])
    assert _named(ruled) == [] and "[restricted]" in ruled.answer
    given_up = [item.text for item in store.load("s").reviews if item.reason == "unresolvable"]
    assert any(ASKED in text for text in given_up)  # who reviews sees what was asked
    assert store.load("s").exclusions[0].phrase == "Grey Mole engines"


def test_a_question_that_waits_is_not_given_up_and_does_not_change(make: Make, store: MemoryStore) -> None:
    named = Passage(doc_id="LAKE-9", title="Heron Project", text="The Heron Project starts on 4 March.")
    reader = Reader(facts={"heron project": named.text, "rowing boat": HIRE.text})
    talk = make(lm=lm_of(reader), policy=LedgerPolicy(max_attempts=3))
    talk.turn("s", ASKED, passages=[HIRE])
    waiting = store.load("s").ledger
    for query in (ASK_HIRE, "Thanks!", "March.", ASK_HIRE):
        told = talk.turn("s", query, SECRET, passages=[HIRE])
        assert store.load("s").ledger[:1] == waiting
        assert "unresolvable" not in codes(told) and _named(told) == []
    wide = talk.turn("s", "Thanks!", passages=[named])
    assert [one.question for one in wide.resolved_questions] == [ASKED]


def test_an_earlier_answer_that_names_it_is_not_shown_again_as_it_was(talk: Conversation) -> None:
    given = "The Heron Project rents boats for 14 euros an hour [Source: LAKE-1]."
    talk.turn("s", ASK_HIRE, passages=[HIRE], given_answer=given)
    assert "Heron Project" in talk.turn("s", "Please repeat that.", passages=[]).answer
    for query in ("Please repeat that.", "Put that in a list.", "Where did you get that from?"):
        assert _named(talk.turn("s", query, SECRET, passages=[])) == []


def test_a_replay_shows_what_today_lets_be_shown(talk: Conversation) -> None:
    talk.turn("s", ASKED, passages=[HIRE])
    wide = talk.turn("s", "What is still open?", passages=[], idempotency_key="k")
    narrow = talk.turn("s", "What is still open?", SECRET, passages=[], idempotency_key="k")
    assert narrow.replayed and _named(wide) == ["heron"] and _named(narrow) == []


def test_the_users_own_words_are_given_back_as_they_were(talk: Conversation) -> None:
    told = talk.turn("s", ASKED, SECRET, passages=[HIRE])
    assert told.query == ASKED and "permission_boundary" in codes(told) and _named(told.answer) == []


def test_an_answer_that_the_application_gave_is_taken_as_it_is(talk: Conversation) -> None:
    given = "The Grey Mole is closed."
    told = talk.turn("s", "Is anything closed?", SECRET, passages=[HIRE], given_answer=given)
    assert told.answer == given


def test_kinds_and_codes_are_no_text_even_where_a_term_reads_like_one(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", "Which questions did I ask?", {"restricted_terms": ["question", "pending"]}, passages=[])
    assert told.kind == "about_ledger" and told.open_questions[0].status == "pending"
    assert ASK_NIGHT in told.answer
