"""A turn from the user's words to the committed record, and what it asks of an LM."""

from __future__ import annotations

import pytest

from turnkeeper.conversation import SEARCH, Conversation, SearchSettings
from turnkeeper.errors import InputError, UnknownSessionError
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.cite import ABSTENTION

from .conftest import Make
from .reading import ASK_HIRE, ASK_NIGHT, HIRE, HOURS, LAKE, NIGHT, Reader, codes


def test_an_answer_cites_and_lists_its_source(talk: Conversation) -> None:
    told = talk.turn("s", ASK_HIRE, passages=LAKE)
    assert told.answer == ("A rowing boat costs 14 euros an hour [Source: LAKE-1].\n\nSources:\n- LAKE-1: Boat hire")
    assert (told.status, told.cited, told.new_citations, told.reused_citations) == (
        "ANSWERED", ("LAKE-1",), ("LAKE-1",), ()
    )  # fmt: skip
    assert told.found == tuple(p.doc_id for p in LAKE)
    assert (told.turn, told.kind, told.replayed, told.fallback, codes(told)) == (1, "question", False, False, [])


def test_what_is_committed_is_what_is_given_back(talk: Conversation, store: MemoryStore) -> None:
    told = talk.turn("s", ASK_HIRE, passages=LAKE)
    [record] = store.load("s").turns
    assert (record.query, record.answer, record.cited) == (ASK_HIRE, told.answer, told.cited)
    assert [entry.doc_id for entry in store.load("s").registry.entries] == list(told.registry)


def test_a_question_without_evidence_is_abstained_from_and_kept(talk: Conversation, store: MemoryStore) -> None:
    told = talk.turn("s", ASK_NIGHT, passages=[HIRE])
    assert (told.answer, told.status, told.cited) == (ABSTENTION, "UNANSWERED", ())
    [kept] = store.load("s").ledger
    assert (kept.question, kept.first_asked_turn, kept.attempts, kept.status) == (ASK_NIGHT, 1, 1, "pending")
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]


def test_a_first_turn_asks_no_reformulate_and_an_empty_ledger_no_carry_forward(
    talk: Conversation, reader: Reader
) -> None:
    told = talk.turn("s", ASK_HIRE, passages=LAKE)
    assert reader.steps() == ["cite"]
    assert told.lm_calls == 1


def test_a_reference_costs_one_call_more_and_is_resolved_for_the_search(make: Make, reader: Reader) -> None:
    reader.referents["it"] = "the boathouse"
    talk = make()
    talk.turn("s", "Tell me about the boathouse.", passages=LAKE)
    reader.steps()
    told = talk.turn("s", "When does it open?", passages=LAKE)
    assert reader.steps() == ["reformulate", "cite"]
    assert told.standalone_query == "When does the boathouse open?"
    assert told.action == "rewrite"
    assert "9:30" in told.answer


def test_an_open_question_whose_evidence_did_not_change_is_carried_without_a_call(
    talk: Conversation, reader: Reader
) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    reader.steps()
    told = talk.turn("s", ASK_HIRE, passages=[HIRE])
    assert "carry_forward" not in reader.steps()
    [kept] = told.open_questions
    assert (kept.question, kept.attempts) == (ASK_NIGHT, 2)


def test_a_turn_asks_at_most_four_times(make: Make, reader: Reader) -> None:
    reader.referents["it"] = "the boathouse"
    found = [HIRE]
    talk = make(retriever=lambda _: list(found), searching=SearchSettings(always_expand=True))
    talk.turn("s", ASK_NIGHT)
    found[:] = [HIRE, HOURS]
    talk.turn("s", "Tell me about the boathouse.")
    reader.steps()
    found[:] = [HOURS, NIGHT]
    told = talk.turn("s", "When does it open?")
    assert reader.steps() == ["reformulate", "expand", "cite", "carry_forward"]
    assert told.lm_calls == 4
    assert {step.name: step.calls for step in told.steps} == {
        "reformulate": 1, "expand": 1, "retrieve": 0, "retrieve_open": 0, "cite": 1, "carry_forward": 1, "commit": 0
    }  # fmt: skip


def test_an_identical_turn_of_another_session_is_served_from_the_caches(talk: Conversation, reader: Reader) -> None:
    first = talk.turn("a", ASK_HIRE, passages=LAKE)
    reader.steps()
    again = talk.turn("b", ASK_HIRE, passages=LAKE)
    assert reader.steps() == [] and again.lm_calls == 0
    assert again.answer == first.answer and again.new_citations == first.new_citations


def test_steps_report_time_and_tokens(talk: Conversation) -> None:
    told = talk.turn("s", ASK_HIRE, passages=LAKE)
    steps = {step.name: step for step in told.steps}
    assert set(steps) == {"reformulate", "expand", "retrieve", "cite", "carry_forward", "commit"}
    assert steps["cite"].prompt_tokens > steps["cite"].completion_tokens > 0
    assert all(step.latency_ms >= 0 for step in told.steps)
    assert told.latency_ms >= max(step.latency_ms for step in told.steps)


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_query_is_refused_and_nothing_is_committed(query: str, talk: Conversation, store: MemoryStore) -> None:
    with pytest.raises(InputError, match="query is empty"):
        talk.turn("s", query, passages=LAKE)
    with pytest.raises(UnknownSessionError):
        store.load("s")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"passages": [{"title": "no id"}]}, r"passages\.0\.doc_id: Field required"),
        ({"passages": [HIRE, {"doc_id": "A", "score": "best"}]}, r"passages\.1\.score"),
        ({"passages": "A rowing boat costs 14 euros."}, "passages must be a list"),
        ({"passages": 5}, "passages"),
        ({"given_answer": 3}, "given_answer"),
        ({"scope": {"allowed": 3}}, "scope"),
        ({"metadata_filters": [{"field": "year"}]}, "metadata_filters"),
    ],
)
def test_a_bad_argument_is_named(options: dict[str, object], named: str, talk: Conversation) -> None:
    with pytest.raises(InputError, match=named):
        talk.turn("s", ASK_HIRE, **options)  # type: ignore[arg-type]


def test_bad_settings_are_named(store: MemoryStore) -> None:
    with pytest.raises(InputError, match="risk_level"):
        Conversation(store, risk_level="low")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="recent"):
        Conversation(store, recent=0)
    with pytest.raises(InputError, match="rerank"):
        Conversation(store, lms={"rerank": "embedded"})
    with pytest.raises(InputError, match="cite"):
        Conversation(store, answerer="always")


def test_a_text_that_is_no_unicode_is_refused_before_anything_happens(talk: Conversation, store: MemoryStore) -> None:
    with pytest.raises(InputError):
        talk.turn("s", "bad \ud800 text", passages=LAKE)
    with pytest.raises(UnknownSessionError):
        store.load("s")


@pytest.mark.parametrize("convention", ["source_tag", "numeric", "bare_id"])
def test_a_query_is_made_standalone_by_what_was_said_and_not_by_ids(
    convention: str, make: Make, reader: Reader
) -> None:
    talk = make(convention=convention)
    talk.turn("s", ASK_HIRE, passages=LAKE)
    reader.asked.clear()
    talk.turn("s", "Is it open on Sundays?", passages=LAKE)
    [prompt, *_] = reader.prompts("reformulate")
    assert "assistant: A rowing boat costs 14 euros an hour.\n" in prompt
    assert not any(word in prompt for word in ("LAKE-1", "[1]", "Sources:"))


@pytest.mark.parametrize("field", ["query", "given_answer"])
def test_half_an_emoji_in_what_was_said_is_refused_before_any_step(
    field: str, talk: Conversation, reader: Reader
) -> None:
    said = {"query": ASK_HIRE, "given_answer": "14 euros.", field: "And \ud83d?"}
    with pytest.raises(InputError, match=f"{field}: character 4 .*U\\+D83D"):
        talk.turn("s", passages=LAKE, **said)  # type: ignore[arg-type]
    assert reader.steps() == []


def test_half_an_emoji_in_a_passage_costs_no_answer(make: Make) -> None:
    bad = HIRE.model_copy(
        update={"text": f"{HIRE.text} \ud83d", "title": "Boat \ude00", "metadata": {"tags": ["\ud83d", 1]}}
    )
    for session, talk, passages in (("s", make(), [bad]), ("t", make(retriever=lambda request: [bad]), SEARCH)):
        told = talk.turn(session, ASK_HIRE, passages=passages)
        assert (told.status, told.cited) == ("ANSWERED", ("LAKE-1",))
        assert talk.state(session).registry.entries[0].metadata == {"tags": ["\ufffd", 1]}
