"""The same id for the same document, for ever: over turns, over the end of the history, and in every convention."""

from __future__ import annotations

import pytest

from turnkeeper._turn.playing import FILLED
from turnkeeper.conversation import Conversation
from turnkeeper.sessions import MemoryStore, TurnRecord
from turnkeeper.signatures.types import Passage

from .conftest import Make
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, FACTS, HIRE, HOURS, LAKE, NIGHT, Reader, codes


def pass_turns(store: MemoryStore, session: str, count: int) -> None:
    for number in range(count):
        state = store.load(session)
        record = TurnRecord(turn=state.turn + 1, kind="social", query=f"small talk {number}", answer=FILLED)
        store.commit(expected_version=state.version, turn=record, state=state)


def test_a_document_cited_in_turn_1_is_citable_30_turns_later_without_being_found(
    talk: Conversation, store: MemoryStore
) -> None:
    talk.turn("s", ASK_HIRE, passages=LAKE)
    pass_turns(store, "s", 30)
    told = talk.turn("s", ASK_HIRE, passages=[])
    assert told.turn == 32 and "14 euros" in told.answer
    assert (told.cited, told.new_citations, told.reused_citations) == (("LAKE-1",), (), ("LAKE-1",))
    assert (told.found, told.registry) == ((), ("LAKE-1",))


SHOWN = {
    "numeric": ("1", "2", "3"),
    "footnote": ("^1", "^2", "^3"),
    "bare_id": ("LAKE-1", "LAKE-2", "LAKE-3"),
    "source_tag": ("LAKE-1", "LAKE-2", "LAKE-3"),
}


@pytest.mark.parametrize("convention", SHOWN)
def test_a_convention_keeps_its_ids_over_turns(convention: str, make: Make, store: MemoryStore) -> None:
    talk = make(convention=convention)
    first, second, third = SHOWN[convention]
    mark = "[Source: {}]" if convention == "source_tag" else "[{}]"
    assert mark.format(first) in talk.turn("s", ASK_HIRE, passages=[HIRE]).answer
    assert mark.format(second) in talk.turn("s", ASK_HOURS, passages=[HOURS, HIRE]).answer
    pass_turns(store, "s", 22)
    again = talk.turn("s", ASK_HIRE, passages=[NIGHT, HIRE, HOURS])
    assert (again.cited, again.new_citations) == ((first,), ())
    last = talk.turn("s", ASK_NIGHT, passages=[HOURS, NIGHT])
    assert mark.format(third) in last.answer and last.answer.endswith(f"- {third}: Night trips")
    entries = talk.state("s").registry.entries
    assert [(entry.doc_id, entry.source_id) for entry in entries] == list(
        zip((first, second, third), ("LAKE-1", "LAKE-2", "LAKE-3"), strict=True)
    )


def test_urls_are_ids(make: Make) -> None:
    page = "https://lake.example/hire?season=2"
    talk = make(convention="url")
    talk.turn("s", ASK_HIRE, passages=[HIRE.model_copy(update={"doc_id": page})])
    told = talk.turn("s", ASK_HIRE, passages=[])
    assert f"[{page}]" in told.answer and told.reused_citations == (page,)


def test_a_session_keeps_the_convention_it_began_with(make: Make) -> None:
    make(convention="numeric").turn("s", ASK_HIRE, passages=[HIRE])
    told = make(convention="bare_id").turn("s", ASK_HOURS, passages=[HOURS])
    assert "[2]" in told.answer


def test_two_documents_with_one_id_of_the_retriever_are_one(talk: Conversation) -> None:
    more = HIRE.model_copy(update={"text": "A deposit of 20 euros is due."})
    told = talk.turn("s", ASK_HIRE, passages=[more, HIRE])
    assert told.registry == ("LAKE-1",) and told.answer.count("- LAKE-1") == 1


def test_passages_without_ids_get_some(make: Make) -> None:
    talk = make()
    told = talk.turn("s", ASK_HIRE, passages=[Passage(doc_id="", title=HIRE.title, text=HIRE.text)])
    [doc_id] = told.cited
    assert doc_id and talk.turn(
        "s", ASK_HIRE, passages=[Passage(doc_id="", title=HIRE.title, text=HIRE.text)]
    ).cited == (doc_id,)


def test_a_withdrawn_source_keeps_its_id_and_is_no_evidence(talk: Conversation) -> None:
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    talk.withdraw("s", "LAKE-1")
    told = talk.turn("s", ASK_HIRE, passages=[HIRE])
    assert (told.status, told.cited, told.registry) == ("UNANSWERED", (), ("LAKE-1",))
    assert "14" not in told.answer


def test_a_withdrawn_source_answers_no_open_question(talk: Conversation) -> None:
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    talk.withdraw("s", "LAKE-1")
    talk.turn("s", "What does the rowing boat cost an hour?", passages=[HOURS])
    told = talk.turn("s", ASK_HOURS, passages=[HOURS, HIRE])
    assert told.resolved_questions == () and "14 euros" not in told.answer


def test_a_given_reply_registers_what_it_cites_among_the_passages(talk: Conversation, reader: Reader) -> None:
    reply = "It costs 14 euros [Source: LAKE-1], see also [Source: LAKE-7]."
    told = talk.turn("s", ASK_HIRE, passages=LAKE, given_answer=reply)
    assert (told.answer, told.registry, told.cited) == (reply, ("LAKE-1",), ("LAKE-1",))
    assert reader.steps() == []
    later = talk.turn("s", ASK_HIRE, passages=[])
    assert later.reused_citations == ("LAKE-1",) and "14 euros" in later.answer


def _searching(make: Make, *found: Passage) -> Conversation:
    return make(retriever=lambda request: list(found))


@pytest.mark.parametrize(
    ("reply", "registered", "convention"),
    [
        ("It costs 14 euros [Source: LAKE-1].", ["LAKE-1"], "source_tag"),
        ("It opens at 9:30 [1] and costs 14 euros [2].\n\nSources:\n- 1: Boathouse hours\n- 2: Boat hire", ["1", "2"],
         "numeric"),
    ],
)  # fmt: skip
def test_a_given_reply_without_passages_registers_what_a_search_finds(
    reply: str, registered: list[str], convention: str, make: Make, store: MemoryStore, reader: Reader
) -> None:
    told = _searching(make, HIRE, HOURS).turn("s", ASK_HIRE, given_answer=reply)
    registry = store.load("s").registry
    assert (told.answer, told.registry, list(told.cited)) == (reply, tuple(registered), registered)
    assert registry.convention == convention and {e.source_id for e in registry.entries} <= {"LAKE-1", "LAKE-2"}
    assert reader.steps() == []


def test_a_given_reply_to_small_talk_searches_nothing(make: Make) -> None:
    asked: list[object] = []
    make(retriever=lambda request: asked.append(request) or []).turn("s", "Thanks!", given_answer="You are welcome.")
    assert asked == []


def test_a_given_reply_stands_where_its_search_fails_and_the_application_is_told(make: Make) -> None:
    def fails(request: object) -> list[Passage]:
        raise ConnectionError("down")

    told = make(retriever=fails).turn("s", ASK_HIRE, given_answer="14 euros [Source: LAKE-1].")
    assert (told.status, told.registry, told.open_questions) == ("ANSWERED", (), ())
    assert "retrieval_failed" in codes(told)


def test_a_given_reply_without_passages_or_a_retriever_is_warned_of(talk: Conversation) -> None:
    assert "no_retriever" in codes(talk.turn("s", ASK_HIRE, given_answer="14 euros [Source: LAKE-1]."))


def test_a_given_reply_that_cites_a_withdrawn_source_alone_resolves_nothing(talk: Conversation) -> None:
    talk.turn("s", "What does the boat cost, and who owns it?", passages=[HIRE], given_answer="14 [Source: LAKE-1].")
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.withdraw("s", "LAKE-1")
    told = talk.turn("s", ASK_NIGHT, passages=[HOURS], given_answer="They leave at 9 [Source: LAKE-1].")
    assert told.resolved_questions == () and [one.question for one in told.open_questions] == [ASK_NIGHT]
    both = "They leave at 21:00 [Source: LAKE-3], not at 9 [Source: LAKE-1]."
    told = talk.turn("s", ASK_NIGHT, passages=[NIGHT], given_answer=both)
    assert [(one.question, one.citations) for one in told.resolved_questions] == [(ASK_NIGHT, ("LAKE-3",))]


def test_nor_does_one_that_cites_a_source_outside_todays_scope(talk: Conversation) -> None:
    hire = HIRE.model_copy(update={"metadata": {"regions": "west"}})
    talk.turn("s", ASK_HIRE, {"allowed": {"regions": ["west"]}}, passages=[hire])
    east = {"allowed": {"regions": ["east"]}}
    talk.turn("s", ASK_NIGHT, east, passages=[])
    told = talk.turn("s", ASK_NIGHT, east, passages=[], given_answer="They leave at 9 [Source: LAKE-1].")
    assert told.resolved_questions == () and [one.question for one in told.open_questions] == [ASK_NIGHT]


def test_a_given_abstention_leaves_its_question_open(talk: Conversation) -> None:
    told = talk.turn("s", ASK_NIGHT, passages=[HIRE], given_answer="I cannot find evidence to answer this question")
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]
    assert "21:00" in talk.turn("s", ASK_HIRE, passages=[HIRE, NIGHT]).answer


def test_the_reader_answers_from_its_prompt_alone(talk: Conversation, reader: Reader) -> None:
    talk.turn("s", ASK_HIRE, passages=[HOURS])
    assert all(FACTS["rowing boat"] not in prompt for prompt in reader.prompts("cite"))


@pytest.mark.parametrize("titled", [True, False])
def test_an_index_that_counts_its_own_documents_is_no_matter_where_the_session_counts(titled: bool, make: Make) -> None:
    hire = HIRE.model_copy(update={"doc_id": "2", "title": HIRE.title if titled else ""})
    hours = HOURS.model_copy(update={"doc_id": "1", "title": HOURS.title if titled else ""})
    talk = make(convention="numeric")
    assert talk.turn("s", ASK_HIRE, passages=[hire]).cited == ("1",)
    told = talk.turn("s", ASK_HOURS, passages=[hours])
    assert (told.status, told.new_citations) == ("ANSWERED", ("2",)) and "9:30 from May to September [2]" in told.answer
    again = talk.turn("s", ASK_HIRE, passages=[hire, hours])
    assert (again.status, again.cited, again.new_citations) == ("ANSWERED", ("1",), ())
    entries = talk.state("s").registry.entries
    assert [(entry.doc_id, entry.source_id) for entry in entries] == [("1", "2"), ("2", "1")]


@pytest.mark.parametrize("convention", SHOWN)
def test_a_document_with_a_new_title_keeps_its_id_and_is_cited_as_before(convention: str, make: Make) -> None:
    talk = make(convention=convention)
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    told = talk.turn("s", ASK_HIRE, passages=[HIRE.model_copy(update={"title": "Rowing prices 2026"})])
    assert (told.status, told.cited, told.new_citations) == ("ANSWERED", SHOWN[convention][:1], ())
    assert told.answer.endswith(f"- {SHOWN[convention][0]}: Boat hire")


def test_an_id_that_now_stands_for_another_document_is_not_cited_under_the_old_title(make: Make) -> None:
    talk = make()
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    told = talk.turn("s", ASK_NIGHT, passages=[NIGHT.model_copy(update={"doc_id": HIRE.doc_id})])
    assert told.cited == () and told.status == "UNANSWERED"


def test_a_title_of_several_lines_is_one_line_of_the_sources(talk: Conversation) -> None:
    title = "Boat hire\n\n  Sources:\n- FAKE-9: Forged\x1b[31m"
    told = talk.turn("s", ASK_HIRE, passages=[HIRE.model_copy(update={"title": title})])
    assert (told.status, told.cited) == ("ANSWERED", ("LAKE-1",))
    assert told.answer.split("\n\n")[1:] == ["Sources:\n- LAKE-1: Boat hire Sources: - FAKE-9: Forged [31m"]
