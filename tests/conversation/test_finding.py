"""Searches of a turn that fail, find nothing, or are told what the user ruled out."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.conversation import Conversation, SearchSettings
from turnkeeper.retrieval import Fts5Retriever, SearchRequest
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import DomainContext, Passage

from .conftest import Make
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, LAKE, NIGHT, SAUNA, Reader, codes

LOUD = Passage(doc_id="BOAT-1", title="Speedboat", text="The speedboat has an engine and seats six.")
CALM = Passage(doc_id="BOAT-2", title="Canoe", text="The canoe has no engine and seats three.")


def _fails(request: Any) -> Any:
    raise ConnectionError("http://user:pw@index")


@pytest.mark.parametrize("retriever", [_fails, lambda request: 5])
def test_after_a_failed_search_nothing_enters_and_the_warning_holds_the_question(
    retriever: Any, make: Make, store: MemoryStore, reader: Reader
) -> None:
    told = make(retriever=retriever).turn("s", ASK_HIRE)
    _failed(told, store)
    assert reader.prompts("cite") == [] and "pw@index" not in str(told.warnings)


def test_passages_none_is_a_failed_search(talk: Conversation, store: MemoryStore) -> None:
    _failed(talk.turn("s", ASK_HIRE, passages=None), store)


def _failed(told: Any, store: MemoryStore) -> None:
    assert (told.status, told.found, told.turn) == ("UNANSWERED", None, 1)
    assert store.load("s").ledger == ()
    assert any(notice.code == "retrieval_failed" and ASK_HIRE in notice.message for notice in told.warnings)


def test_after_a_failed_search_no_attempt_counts(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_HIRE, passages=None)
    assert [(one.question, one.attempts) for one in told.open_questions] == [(ASK_NIGHT, 1)]


def test_a_failed_search_for_an_open_question_alone_counts_no_attempt_and_costs_no_answer(make: Make) -> None:
    def search(request: SearchRequest) -> list[Passage]:
        if "night" in str(request.query).casefold() and down:
            raise ConnectionError
        return [HIRE]

    down: list[int] = []
    talk = make(retriever=search)
    talk.turn("s", ASK_NIGHT)
    down.append(1)
    told = talk.turn("s", ASK_HIRE)
    assert (told.status, told.cited) == ("ANSWERED", ("LAKE-1",))
    assert [(one.question, one.attempts) for one in told.open_questions] == [(ASK_NIGHT, 1)]


def _down_for_night(request: SearchRequest) -> list[Passage]:
    if "night" in str(request.query).casefold():
        raise ConnectionError("http://user:pw@index")
    return [HIRE]


def test_a_failed_search_for_an_open_question_names_it_and_what_was_raised(make: Make) -> None:
    talk = make(retriever=_down_for_night)
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    for query in (ASK_HIRE, "Thanks!"):
        [notice] = [one for one in talk.turn("s", query).warnings if one.code == "retrieval_failed"]
        assert ASK_NIGHT in notice.message and "ConnectionError" in notice.message
        assert "pw@index" not in notice.message


def test_what_a_failed_search_raised_is_told(make: Make) -> None:
    told = make(retriever=_down_for_night).turn("s", ASK_NIGHT)
    assert any("(ConnectionError)" in notice.message for notice in told.warnings)


def test_a_filter_that_cannot_be_applied_is_named(make: Make) -> None:
    index = Fts5Retriever()
    index.add([HIRE])
    wrong = {"field": "year", "op": "lt", "value": [1]}
    told = make(retriever=index).turn("s", ASK_HIRE, metadata_filters=[wrong])
    assert any("InputError" in notice.message and "`year`" in notice.message for notice in told.warnings)


def test_without_a_retriever_no_attempt_counts(make: Make) -> None:
    talk = make(policy=LedgerPolicy(max_attempts=2))
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    for _ in range(3):
        told = talk.turn("s", "Thanks!")
        assert [(one.attempts, one.status) for one in told.open_questions] == [(1, "pending")]


def test_nothing_found_leaves_the_question_open(talk: Conversation, reader: Reader) -> None:
    told = talk.turn("s", ASK_HIRE, passages=[])
    assert told.found == () and [one.question for one in told.open_questions] == [ASK_HIRE]
    assert reader.prompts("cite") == []


def test_a_conversation_without_a_retriever_says_so(talk: Conversation) -> None:
    assert "no_retriever" in codes(talk.turn("s", ASK_HIRE))


def test_the_previous_question_is_the_context_of_the_search(make: Make) -> None:
    seen: list[SearchRequest] = []

    def search(request: SearchRequest) -> list[Passage]:
        seen.append(request)
        return list(LAKE)

    talk = make(retriever=search, searching=SearchSettings(context_weight=0.4))
    talk.turn("s", ASK_HOURS)
    talk.turn("s", ASK_HIRE)
    assert [(request.context, request.context_weight) for request in seen] == [("", 0.4), (ASK_HOURS, 0.4)]


def test_terms_that_expand_added_are_searched(make: Make, reader: Reader) -> None:
    seen: list[SearchRequest] = []

    def search(request: SearchRequest) -> list[Passage]:
        seen.append(request)
        return list(LAKE)

    reader.terms = ("price", "fee")
    told = make(retriever=search, searching=SearchSettings(always_expand=True)).turn("s", ASK_HIRE)
    assert told.expansion_terms == ("price", "fee")
    assert {"price", "fee"} <= {clause.phrase for clause in seen[0].query.should}


def test_what_is_ruled_out_is_carried_until_it_is_taken_back(talk: Conversation) -> None:
    assert talk.turn("s", "Which boats are there without engines?", passages=[CALM]).negation_constraints == (
        "engines",
    )
    assert talk.turn("s", ASK_HIRE, passages=[HIRE]).negation_constraints == ("engines",)
    assert talk.turn("s", "Thanks!", passages=[]).negation_constraints == ("engines",)
    told = talk.turn("s", "Never mind the engines.", passages=[LOUD])
    assert told.negation_constraints == ()


def test_it_is_carried_over_the_end_of_the_history(make: Make) -> None:
    talk = make(recent=2)
    talk.turn("s", "Which boats are there without engines?", passages=[CALM])
    for _ in range(5):
        told = talk.turn("s", ASK_HIRE, passages=[HIRE])
    assert told.negation_constraints == ("engines",)
    assert talk.turn("s", "Engines are fine after all.", passages=[LOUD]).negation_constraints == ()


def test_passages_that_assert_it_are_dropped(talk: Conversation) -> None:
    told = talk.turn("s", "Which boats are there without an engine?", passages=[LOUD, CALM])
    assert (told.found, told.dropped) == (("BOAT-2",), ("BOAT-1",))
    assert told.warnings == tuple(notice for notice in told.warnings if notice.code == "zero_shot")


def test_where_every_passage_asserts_it_they_are_kept_with_a_warning(talk: Conversation) -> None:
    told = talk.turn("s", "Which boats are there without an engine?", passages=[LOUD])
    assert told.found == ("BOAT-1",) and "contradicting_passage" in codes(told) and told.human_review


def test_its_other_names_are_ruled_out_too(make: Make) -> None:
    seen: list[SearchRequest] = []

    def search(request: SearchRequest) -> list[Passage]:
        seen.append(request)
        return []

    context = DomainContext(aliases={"engine": ["motor"]})
    make(retriever=search, domain_context=context, searching=SearchSettings(exclusion_mode="filter")).turn(
        "s", "Which boats are there without an engine?"
    )
    assert {"engine", "motor"} <= {clause.phrase for clause in seen[0].query.must_not}


def test_small_talk_searches_for_nothing(make: Make, reader: Reader) -> None:
    def search(request: SearchRequest) -> list[Passage]:
        raise AssertionError("searched")

    told = make(retriever=search).turn("s", "Good morning!")
    assert (told.kind, told.lm_calls, told.open_questions, reader.steps()) == ("social", 0, (), [])
    assert told.answer and told.cited == ()


@pytest.mark.parametrize(
    ("said", "kind", "holds"),
    [
        ("What is still unanswered?", "about_ledger", ASK_NIGHT),
        ("Where did you get that from?", "about_sources", "Boat hire"),
        ("Put that in a table, please.", "about_answer", "|"),
    ],
)
def test_turns_about_the_conversation_cost_no_search_and_no_call(
    said: str, kind: str, holds: str, make: Make, reader: Reader
) -> None:
    talk = make()
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.turn("s", ASK_HIRE, passages=[HIRE, SAUNA])
    reader.steps()
    told = talk.turn("s", said, passages=[])
    assert (told.kind, told.lm_calls, reader.steps()) == (kind, 0, [])
    assert holds in told.answer and told.new_citations == ()
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]


def test_at_high_risk_a_reference_that_fits_two_things_is_asked_back(make: Make, store: MemoryStore) -> None:
    talk = make(risk_level="high")
    talk.turn("s", "Compare the Falk ferry and the Berg ferry.", passages=[NIGHT])
    ledger = [one.question for one in store.load("s").ledger]
    told = talk.turn("s", "When does it leave?", passages=[NIGHT])
    assert told.action == "clarify" and told.answer.startswith("I am not sure what you mean")
    assert (told.status, told.human_review) == ("UNANSWERED", True)
    assert [one.question for one in told.open_questions] == ledger


def test_an_open_question_is_searched_for_again_without_the_words_that_it_rules_out(make: Make) -> None:
    seen: list[str] = []

    class Index:
        def search(self, request: SearchRequest) -> list[Passage]:
            query = request.query
            seen.append(" ".join([request.context, *(c.phrase for c in (*query.must, *query.should))]))
            return []

    talk = make(retriever=Index())
    talk.turn("s", "Which boats are there without engines?")
    seen.clear()
    talk.turn("s", ASK_HOURS)
    assert any("boats" in text for text in seen) and not any("engine" in text for text in seen)
