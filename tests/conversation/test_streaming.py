"""A streamed turn: what it tells, in which order, and that drafts are taken back."""

from __future__ import annotations

import threading
from typing import Any

import dspy
import pytest

from turnkeeper.conversation import (
    AnswerText,
    DraftText,
    StepEnded,
    StepStarted,
    TurnCommitted,
)
from turnkeeper.errors import InputError, StoreUnavailableError
from turnkeeper.retrieval import Fts5Retriever
from turnkeeper.sessions import MemoryStore

from ..streamed import streaming
from .reading import ASK_HIRE, ASK_NIGHT, HIRE, LAKE, Reader, codes, lm_of
from .streams import HIRE_TOLD, TWO, Stream, Told, cite_says, drafts, final, read_async, read_sync, retracted, talk_of


@pytest.fixture(params=[read_sync, read_async], ids=["sync", "async"])
def stream(request: pytest.FixtureRequest) -> Stream:
    """Reads a streamed turn to its end, both ways."""
    told: Stream = request.param
    return told


def test_steps_drafts_answer_turn_in_this_order(stream: Stream) -> None:
    told = stream(talk_of(streaming(*cite_says(TWO))), ASK_HIRE, passages=LAKE)
    assert final(told).answer.startswith(HIRE_TOLD)
    steps = [event.name for event in told if isinstance(event, StepStarted)]
    assert steps == ["reformulate", "expand", "retrieve", "cite", "carry_forward", "commit"]
    assert steps == [event.name for event in told if isinstance(event, StepEnded)]
    shown = [event.text for event in told if isinstance(event, DraftText)]
    assert shown == [HIRE_TOLD, " The boathouse opens at 9:30 from May to September [Source: LAKE-2]."]
    kinds = [event.type for event in told]
    assert kinds.index("draft") > kinds.index("step_started") and kinds.index("answer") > kinds.index("draft")
    assert next(n for n, event in enumerate(told) if isinstance(event, AnswerText)) > max(
        n for n, event in enumerate(told) if isinstance(event, StepEnded) and event.name == "commit"
    )
    assert retracted(told) == []


def test_a_streamed_turn_is_the_turn_that_is_taken_otherwise(stream: Stream) -> None:
    streamed, taken = talk_of(streaming(*cite_says())), talk_of(streaming(*cite_says()))
    for query in (ASK_HIRE, "Hello!", ASK_NIGHT):
        told, plain = final(stream(streamed, query, passages=[HIRE])), taken.turn("s", query, passages=[HIRE])
        untimed = {"latency_ms": 0.0, "steps": (), "warnings": ()}
        assert told.model_copy(update=untimed) == plain.model_copy(update=untimed)
        assert [(s.name, s.calls, s.prompt_tokens) for s in told.steps] == [
            (s.name, s.calls, s.prompt_tokens) for s in plain.steps
        ]


def test_the_first_sentence_is_told_while_the_second_is_written() -> None:
    lm = streaming(*cite_says(TWO), size=3)
    told, written = threading.Event(), [""]

    def between(number: int, text: str) -> None:
        written.append(text)
        if "The boathouse o" in text and '"}' not in text:  # the model goes on only when the reader has the sentence
            assert told.wait(20)

    lm.engine.between = between
    read = ""
    for event in talk_of(lm).stream("s", ASK_HIRE, passages=LAKE):
        if isinstance(event, DraftText):
            read = read or written[-1]
            told.set()
    assert "[1]. The boathouse" in read and "September" not in read


def test_what_is_searched_and_found_is_told(stream: Stream) -> None:
    index = Fts5Retriever()
    index.add(LAKE)
    talk = talk_of(streaming(*cite_says()), retriever=index)
    stream(talk, ASK_NIGHT, passages=[HIRE])
    told = stream(talk, ASK_HIRE)
    searches = [(event.name, event.query) for event in told if isinstance(event, StepStarted) and event.query]
    assert ("retrieve", ASK_HIRE) in searches and ("retrieve_open", ASK_NIGHT) in searches
    found = next(event for event in told if isinstance(event, StepEnded) and event.name == "retrieve")
    assert found.passages and found.passages[0].doc_id == "LAKE-1" and found.passages[0].title == "Boat hire"
    assert not any(passage.title == "" for passage in found.passages)


def test_a_search_outside_the_scope_tells_no_passage(stream: Stream) -> None:
    index = Fts5Retriever()
    index.add([HIRE.model_copy(update={"metadata": {"region": "south"}})])
    talk = talk_of(streaming(*cite_says()), retriever=index)
    told = stream(talk, ASK_HIRE, {"allowed": {"region": ["north"]}})
    assert [e.passages for e in told if isinstance(e, StepEnded) and e.name == "retrieve"] == [()]
    assert drafts(told) == "" and final(told).status == "UNANSWERED"


REJECTED = "A rowing boat costs 14 euros an hour [1]. The sauna seats ninety guests [2]."


def test_a_rejected_draft_is_taken_back_and_the_second_one_stands(stream: Stream) -> None:
    told = stream(talk_of(streaming(*cite_says(REJECTED))), ASK_HIRE, passages=LAKE)
    shown = [event.text for event in told if isinstance(event, DraftText)]
    assert shown == [HIRE_TOLD, HIRE_TOLD]  # the sentence that no source bears out is never shown
    assert len(retracted(told)) == 1 and set(retracted(told)[0]) <= {"misattributed", "unsupported_claim"}
    turn = final(told)
    assert turn.answer.startswith(HIRE_TOLD) and "ninety" not in turn.answer and not turn.fallback


def test_after_three_rejected_answers_no_draft_stands_that_is_not_answered(stream: Stream) -> None:
    told = stream(talk_of(streaming(*cite_says(*[REJECTED] * 3))), ASK_HIRE, passages=LAKE)
    turn = final(told)
    assert len(retracted(told)) == 3 and drafts(told) == ""
    assert turn.fallback and "citation_unverified" in codes(turn) and "ninety" not in turn.answer


def test_a_first_sentence_that_fails_is_never_shown_and_hides_those_behind_it(stream: Stream) -> None:
    answer = "The boathouse opens at 7:15 [2]. A rowing boat costs 14 euros an hour [1]."
    told = stream(talk_of(streaming(*cite_says(*[answer] * 3))), ASK_HIRE, passages=LAKE)
    assert not any(isinstance(event, DraftText) for event in told)


@pytest.mark.parametrize("wrong", ["A boat costs 14 euros an hour [9].", "NO_EVIDENCE", "It costs 14 euros.", "[1]"])
def test_no_draft_of_what_is_no_cited_answer(stream: Stream, wrong: str) -> None:
    told = stream(talk_of(streaming(*cite_says(*[wrong] * 3))), ASK_HIRE, passages=LAKE)
    assert not any(isinstance(event, DraftText) for event in told) and final(told).status == "UNANSWERED"


def test_with_high_risk_nothing_is_shown_before_it_is_checked(stream: Stream) -> None:
    told = stream(talk_of(streaming(*cite_says(TWO)), risk_level="high"), ASK_HIRE, passages=LAKE)
    assert not any(isinstance(event, DraftText) for event in told) and final(told).status == "ANSWERED"


def test_a_model_that_fails_half_way_leaves_no_draft_and_the_turn_is_committed(stream: Stream) -> None:
    lm = streaming(*cite_says(TWO))
    talk = talk_of(lm)

    def between(number: int, text: str) -> None:
        if "[1]. The" in text:
            raise ConnectionError("the line went dead")

    lm.engine.between = between
    told = stream(talk, ASK_HIRE, passages=LAKE)
    assert drafts(told) == "" and retracted(told) == [("lm_error",)]
    turn = final(told)
    assert turn.fallback and turn.status == "UNANSWERED" and "lm_error" in codes(turn)
    assert [one.question for one in turn.open_questions] == [ASK_HIRE] and talk.state("s").turn == 1
    assert lm.engine.began == lm.engine.closed  # nothing of the engine is left open


def test_a_retry_of_dspy_after_a_failure_half_way_begins_the_draft_anew(stream: Stream) -> None:
    lm = streaming(*cite_says(TWO, TWO), num_retries=1)
    failed: list[str] = []

    def between(number: int, text: str) -> None:
        if "[1]. The" in text and not failed:
            failed.append(text)
            raise dspy.lm15.TransportError("the line went dead")

    lm.engine.between = between
    told = stream(talk_of(lm), ASK_HIRE, passages=LAKE)
    assert failed and retracted(told) == [("restarted",)]
    turn = final(told)
    assert drafts(told) == turn.answer.split("\n\nSources:")[0] and not turn.fallback


def test_an_lm_that_does_not_stream_gives_steps_and_the_answer(stream: Stream) -> None:
    told = stream(talk_of(lm_of(Reader())), ASK_HIRE, passages=LAKE)
    assert not any(isinstance(event, DraftText) for event in told)
    assert final(told).answer.startswith(HIRE_TOLD)


def test_arguments_are_looked_at_before_anything_runs() -> None:
    talk = talk_of(streaming())
    with pytest.raises(InputError, match="query is empty"):
        talk.stream("s", " ")
    with pytest.raises(InputError, match="query is empty"):
        talk.astream("s", " ")


class Full(MemoryStore):
    """A store whose disk is full."""

    def commit(self, **given: Any) -> Any:
        raise StoreUnavailableError("the disk is full; free some space")


def test_a_turn_that_cannot_be_committed_takes_its_drafts_back_and_raises() -> None:
    told: Told = []
    with pytest.raises(StoreUnavailableError, match="disk is full"):
        for event in talk_of(streaming(*cite_says()), Full()).stream("s", ASK_HIRE, passages=LAKE):
            told.append(event)
    assert retracted(told) == [("not_committed",)] and not any(isinstance(e, AnswerText) for e in told)


def test_the_async_turn_raises_what_the_store_raises_too() -> None:
    with pytest.raises(StoreUnavailableError, match="disk is full"):
        read_async(talk_of(streaming(*cite_says()), Full()), ASK_HIRE, passages=LAKE)


def test_a_known_key_gives_the_turn_again_without_a_step(stream: Stream) -> None:
    lm = streaming(*cite_says())
    talk = talk_of(lm)
    first = final(stream(talk, ASK_HIRE, passages=LAKE, idempotency_key="k"))
    calls = lm.engine.calls
    told = stream(talk, ASK_HIRE, passages=LAKE, idempotency_key="k")
    again = final(told)
    assert again.replayed and again.answer == first.answer and lm.engine.calls == calls
    assert {type(event) for event in told} == {AnswerText, TurnCommitted} and talk.state("s").turn == 1
