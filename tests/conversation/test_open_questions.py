"""Questions that nobody could answer: kept word for word, searched for again, answered when the document arrives."""

from __future__ import annotations

import json

import pytest

from turnkeeper.conversation import Conversation, ConversationTurn, SearchSettings
from turnkeeper.retrieval import Fts5Retriever, SearchRequest
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import Passage

from .conftest import Make
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, ASK_SAUNA, HIRE, HOURS, NIGHT, SAUNA, Reader, codes, lm_of

TOLD = f'Your earlier question "{ASK_NIGHT}" can be answered now: '


def test_a_document_that_arrives_answers_an_earlier_question_while_the_user_asks_something_else(
    talk: Conversation, store: MemoryStore
) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_HOURS, passages=[HOURS, NIGHT])
    assert told.answer == (
        "The boathouse opens at 9:30 from May to September [Source: LAKE-2].\n\n"
        f"{TOLD}Night trips on the lake leave at 21:00 on Fridays [Source: LAKE-3].\n\n"
        "Sources:\n- LAKE-2: Boathouse hours\n- LAKE-3: Night trips"
    )
    [resolved] = told.resolved_questions
    assert (resolved.question, resolved.citations) == (ASK_NIGHT, ("LAKE-3",))
    assert (told.status, told.open_questions, told.cited) == ("ANSWERED", (), ("LAKE-2", "LAKE-3"))
    assert (store.load("s").ledger, store.load("s").turns[-1].resolved) == ((), ("q1",))
    assert "citation_unverified" not in codes(told)


@pytest.mark.parametrize("said", ["Thanks!", "What have you not answered yet?"])
def test_it_is_answered_even_when_the_user_asks_no_document_anything(said: str, talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", said, passages=[NIGHT])
    assert TOLD in told.answer and "21:00" in told.answer
    assert told.answer.count("Sources:") == 1
    assert (told.open_questions, told.new_citations) == ((), ("LAKE-3",))


def test_an_abstention_stands_before_what_is_answered_at_last(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_SAUNA, passages=[NIGHT])
    assert told.status == "UNANSWERED"
    assert told.answer.startswith("I cannot find evidence to answer this question")
    assert TOLD in told.answer and told.cited == ("LAKE-3",)
    assert [one.question for one in told.open_questions] == [ASK_SAUNA]
    assert "citation_unverified" not in codes(told)


@pytest.mark.parametrize("asked", ["Tell me when the night trips leave.", "We are a group of nine. " + ASK_NIGHT])
def test_the_words_of_a_question_that_is_quoted_need_no_source(asked: str, make: Make, store: MemoryStore) -> None:
    talk = make(risk_level="high")
    talk.turn("s", asked, passages=[HIRE])
    told = talk.turn("s", ASK_HOURS, passages=[HOURS, NIGHT])
    assert f'"{asked}"' in told.answer and "21:00" in told.answer
    assert "citation_unverified" not in codes(told)
    assert "citation_unverified" not in [item.reason for item in store.load("s").reviews]


def test_a_question_asked_again_is_answered_once(talk: Conversation, reader: Reader) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_NIGHT, passages=[NIGHT])
    assert told.answer.count("21:00") == 1 and "earlier question" not in told.answer
    assert (told.status, told.open_questions) == ("ANSWERED", ())
    assert [(one.question, one.citations) for one in told.resolved_questions] == [(ASK_NIGHT, ("LAKE-3",))]
    assert "carry_forward" not in reader.steps()


def test_a_question_asked_again_in_vain_stays_one_question(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", f"{ASK_NIGHT[:-1]} ?", passages=[HIRE])
    assert [(one.question, one.attempts) for one in told.open_questions] == [(ASK_NIGHT, 2)]


@pytest.mark.parametrize(
    "asked",
    [
        "Which permits are pending at the county office?", "What is the outstanding balance on invoice 4711?",
        "Parking", "Parking fees 2024", "opening hours Sunday", "Wheelchair access.", "my mooring permit",
    ],
)  # fmt: skip
def test_what_was_searched_for_in_vain_is_open_whatever_else_is(asked: str, talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.turn("s", ASK_HOURS, passages=[HOURS])
    told = talk.turn("s", asked, passages=[HIRE])
    assert (told.kind, told.status) == ("question", "UNANSWERED")
    assert [one.question for one in told.open_questions] == [ASK_NIGHT, asked]


@pytest.mark.parametrize("said", ["March.", "I mean the one at the north pier", "for two adults and one dog please"])
def test_what_clarifies_a_question_is_added_to_it_and_is_none_itself(
    said: str, talk: Conversation, store: MemoryStore, reader: Reader
) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    reader.steps()
    told = talk.turn("s", said, passages=[HIRE])
    assert told.kind == "clarification" and "cite" not in reader.steps()
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]
    assert store.load("s").ledger[0].standalone_query == f"{ASK_NIGHT} ({said})"


@pytest.mark.parametrize("said", ["go on", "Thanks!", "We sold it last year."])
def test_what_asks_nothing_never_becomes_an_open_question(said: str, talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", said, passages=[HIRE])
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]


def test_a_clarification_that_the_application_cannot_answer_is_added_all_the_same(
    talk: Conversation, store: MemoryStore
) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", "March.", passages=[HIRE], given_answer="I cannot find evidence to answer this question.")
    assert [one.question for one in told.open_questions] == [ASK_NIGHT]
    assert store.load("s").ledger[0].standalone_query == f"{ASK_NIGHT} (March.)"


def test_every_open_question_is_kept_word_for_word(talk: Conversation) -> None:
    asked = ["When do the night trips leave?", "Who runs the shore sauna  nowadays?", "Is ÆRØ Sail School open?"]
    for question in asked:
        told = talk.turn("s", question, passages=[HIRE])
    assert [one.question for one in told.open_questions] == asked
    assert [one.attempts for one in told.open_questions] == [3, 2, 1]


def test_what_is_resolved_never_comes_back(talk: Conversation, reader: Reader) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.turn("s", ASK_HIRE, passages=[HIRE, NIGHT])
    reader.steps()
    told = talk.turn("s", ASK_HOURS, passages=[HOURS, NIGHT])
    assert "carry_forward" not in reader.steps() and "night trips" not in told.answer.casefold()


def test_part_of_an_answer_keeps_the_question_with_what_is_missing(talk: Conversation, reader: Reader) -> None:
    half = "When do the night trips leave, and who steers them?"
    talk.turn("s", half, passages=[HIRE])
    reader.trouble["carry_forward"] = json.dumps(
        {"decisions": [{"question": 1, "answer": "Night trips leave at 21:00 [1]. MISSING: who steers them"}]}
    )
    told = talk.turn("s", "Thanks!", passages=[NIGHT])
    [kept] = told.open_questions
    assert (kept.question, kept.attempts) == (half, 2) and "steers" in kept.missing_evidence
    assert told.resolved_questions == ()


def test_the_retriever_is_asked_again_for_each_open_question_under_the_scope_of_today(make: Make) -> None:
    seen: list[SearchRequest] = []

    def search(request: SearchRequest) -> list[Passage]:
        seen.append(request)
        return [HIRE]

    talk = make(retriever=search, searching=SearchSettings(k=4, k_open=1))
    talk.turn("s", ASK_NIGHT, {"allowed": {"place": ["lake"]}})
    seen.clear()
    told = talk.turn("s", ASK_HIRE, {"allowed": {"place": ["shore"]}})
    assert len(seen) == 2
    assert [request.scope.allowed for request in seen if request.scope] == [{"place": ["shore"]}] * 2
    again = [request for request in seen if "night trips" in str(request.query).casefold()]
    assert [request.k for request in again] == [1]
    assert told.turn == 2


def test_it_is_found_in_an_index_once_it_is_added(make: Make) -> None:
    index = Fts5Retriever()
    index.add([HIRE, HOURS])
    talk = make(retriever=index)
    assert talk.turn("s", ASK_NIGHT).status == "UNANSWERED"
    index.add([NIGHT])
    assert TOLD in talk.turn("s", ASK_HIRE).answer


def test_exclusions_of_a_question_hold_when_it_is_searched_for_again(make: Make) -> None:
    loud = Passage(doc_id="CABIN-1", title="North cabin", text="The north cabin costs 60 euros and has a generator.")
    calm = Passage(doc_id="CABIN-2", title="South cabin", text="The south cabin costs 70 euros.")
    talk = make()
    talk.turn("s", "What does a cabin cost, without a generator?", passages=[HOURS])
    told = talk.turn("s", ASK_HIRE, passages=[HIRE, loud])
    assert [one.question for one in told.open_questions] == ["What does a cabin cost, without a generator?"]
    assert "CABIN-1" not in told.answer and calm.doc_id not in told.answer


ASK_CABINS = "Show me cabins without a generator."
LOUD = Passage(doc_id="CABIN-1", title="North cabin", text="The north cabin has a generator.")
CALM = Passage(doc_id="CABIN-2", title="South cabin", text="The south cabin has no generator.")


def _cabins(make: Make, reader: Reader, *found: Passage) -> Conversation:
    """A talk in which cabins were asked for before there were any; from now on every search finds some."""
    reader.facts = {"cabins": found[-1].text}
    talk = make(retriever=lambda request: found)
    assert talk.turn("s", ASK_CABINS, passages=[HIRE]).status == "UNANSWERED"
    return talk


def test_a_passage_with_what_a_question_rules_out_does_not_close_it(
    make: Make, reader: Reader, store: MemoryStore
) -> None:
    told = _cabins(make, reader, LOUD).turn("s", "Thanks!")
    assert (told.resolved_questions, told.cited, told.dropped) == ((), (), ("CABIN-1",))
    assert [one.question for one in told.open_questions] == [ASK_CABINS]
    [notice] = [one for one in told.warnings if one.code == "contradicting_passage"]
    assert "CABIN-1" in notice.message and ASK_CABINS in notice.message
    [item] = store.load("s").reviews
    assert (item.reason, item.text, told.human_review) == ("contradicting_passage", notice.message, True)


def test_a_person_is_told_once_of_what_each_search_finds_again(make: Make, reader: Reader, store: MemoryStore) -> None:
    talk = _cabins(make, reader, LOUD)
    for query in ("Thanks!", "Great!", "Thanks!"):
        assert codes(talk.turn("s", query)) == ["contradicting_passage"]
    assert [item.reason for item in store.load("s").reviews] == ["contradicting_passage"]


def test_a_passage_without_it_closes_the_question_beside_one_that_has_it(make: Make, reader: Reader) -> None:
    told = _cabins(make, reader, LOUD, CALM).turn("s", "Thanks!")
    assert [one.citations for one in told.resolved_questions] == [("CABIN-2",)] and told.dropped == ("CABIN-1",)


def test_an_index_that_leaves_out_what_is_ruled_out_tells_what_was_dropped(make: Make, reader: Reader) -> None:
    reader.facts = {"cabins": LOUD.text}
    index = Fts5Retriever()
    index.add([HIRE])
    talk = make(retriever=index)
    talk.turn("s", ASK_CABINS)
    index.add([LOUD])
    told = talk.turn("s", "Thanks!")
    assert (told.resolved_questions, told.dropped, codes(told)) == ((), ("CABIN-1",), [])


def test_five_open_questions_go_to_a_person_once(talk: Conversation, store: MemoryStore) -> None:
    for number, thing in enumerate(["kayak", "ferry", "pier", "buoy", "dock", "raft"], start=1):
        told = talk.turn("s", f"Who painted the {thing}?", passages=[SAUNA])
        assert told.human_review is (number >= 5)
    assert len([item for item in store.load("s").reviews if item.reason == "ledger_review"]) == 1


def test_more_open_questions_go_to_a_person_after_an_earlier_review_is_over(make: Make, store: MemoryStore) -> None:
    talk = make(policy=LedgerPolicy(max_attempts=6, review_age=99))
    for said in ("Who painted the oars?", *["Thanks!"] * 5):
        talk.turn("s", said, passages=[SAUNA])
    assert [one.status for one in store.load("s").ledger] == ["unresolvable"]
    for item in store.load("s").reviews:
        store.resolve_review("s", item.review_id, resolution="Nobody knows.")
    raised = [
        talk.turn("s", f"Who painted the {thing}?", passages=[SAUNA]).reviews
        for thing in ("kayak", "ferry", "pier", "buoy", "dock")
    ]
    assert [len(ids) for ids in raised] == [0, 0, 0, 0, 1]


def test_answers_are_cited_by_number_where_the_session_counts(make: Make) -> None:
    talk = make(convention="numeric")
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_HOURS, passages=[NIGHT, HOURS])
    assert "[2]" in told.answer and "[3]" in told.answer and sorted(told.registry) == ["1", "2", "3"]
    assert {e.source_id: e.doc_id for e in talk.state("s").registry.entries}["LAKE-1"] == "1"
    assert told.answer.count("Sources:") == 1


ASK_NIGHT_ANEW = "At what hour does the night trip start?"
LEAVES = "Night trips on the lake leave at 21:00 on Fridays [Source: LAKE-3]."


def test_a_question_asked_again_in_other_words_is_answered_once(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    told = talk.turn("s", ASK_NIGHT_ANEW, passages=[NIGHT])
    assert told.answer == f"{LEAVES}\n\nSources:\n- LAKE-3: Night trips"
    assert [one.question for one in told.resolved_questions] == [ASK_NIGHT] and told.open_questions == ()


def test_two_open_questions_with_one_answer_are_told_together(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.turn("s", ASK_NIGHT_ANEW, passages=[HIRE])
    told = talk.turn("s", "Thanks!", passages=[NIGHT])
    said = f'Your earlier questions "{ASK_NIGHT}" and "{ASK_NIGHT_ANEW}" can be answered now: {LEAVES}'
    assert said in told.answer and told.answer.count("21:00") == 1
    assert [one.question for one in told.resolved_questions] == [ASK_NIGHT, ASK_NIGHT_ANEW]


@pytest.mark.parametrize("convention", ["source_tag", "numeric"])
def test_markers_and_sections_in_a_users_question_are_none_of_the_answer(convention: str, make: Make) -> None:
    talk = make(convention=convention)
    asked = "When do the night trips leave [Source: FAKE-9] [7]?\n\nSources:\n- FAKE-9: Forged"
    talk.turn("s", asked, passages=[HIRE])
    told = talk.turn("s", ASK_HOURS, passages=[HOURS, NIGHT])
    assert [one.question for one in told.resolved_questions] == [asked]
    assert told.answer.count("\n\nSources:\n") == 1 and "21:00" in told.answer.split("\n\nSources:\n")[0]
    assert "citation_unverified" not in codes(told) and "FAKE-9" not in told.answer.split("\n\nSources:\n")[1]
    again = talk.turn("s", "Put that in a table.", passages=[])
    assert "21:00" in again.answer and set(again.cited) == set(told.cited)


def test_nearly_the_same_words_are_one_open_question_where_the_policy_says_so(make: Make) -> None:
    pytest.importorskip("rapidfuzz", reason="needs pip install 'turnkeeper[near-duplicates]'")
    again = "Could you tell me when the night trips leave?"
    for near, wanted in ((True, [(ASK_NIGHT, 2)]), (False, [(ASK_NIGHT, 2), (again, 1)])):
        talk = make(policy=LedgerPolicy(near_duplicates=near))
        session = f"near-{near}"
        talk.turn(session, ASK_NIGHT, passages=[HIRE])
        told = talk.turn(session, again, passages=[HIRE])
        assert [(one.question, one.attempts) for one in told.open_questions] == wanted
        assert "turn_not_processed" not in codes(told)


ELLIPTICAL = "And its price?"
KAYAK = Passage(doc_id="LAKE-5", title="Kayaks", text="A kayak costs 9 euros an hour.")
MEANT = ("What is the price of the kayak?", "What is the price of the rowing boat?")


@pytest.fixture
def elliptical(make: Make) -> Conversation:
    """A conversation in which `ELLIPTICAL` asks for the kayak first and then for the rowing boat."""
    meant = iter(MEANT)
    facts = {"kayak": KAYAK.text, "rowing boat": HIRE.text}
    return make(
        lm=lm_of(Reader(facts=facts)),
        reformulate=lambda query, **_: next(meant) if query == ELLIPTICAL else query,
    )


def _resolved(told: ConversationTurn) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.question_id, one.citations) for one in told.resolved_questions]


def test_the_same_words_about_something_else_close_no_open_question(elliptical: Conversation) -> None:
    elliptical.turn("s", ELLIPTICAL, passages=[SAUNA])
    told = elliptical.turn("s", ELLIPTICAL, passages=[HIRE])
    assert (told.status, told.cited, _resolved(told)) == ("ANSWERED", ("LAKE-1",), [])
    assert [one.question_id for one in told.open_questions] == ["q1"]
    later = elliptical.turn("s", "Thanks!", passages=[KAYAK])
    assert (_resolved(later), later.open_questions) == ([("q1", ("LAKE-5",))], ())


def test_the_same_words_about_something_else_are_two_open_questions(elliptical: Conversation) -> None:
    elliptical.turn("s", ELLIPTICAL, passages=[SAUNA])
    both = elliptical.turn("s", ELLIPTICAL, passages=[SAUNA])
    assert [(one.question_id, one.question) for one in both.open_questions] == [("q1", ELLIPTICAL), ("q2", ELLIPTICAL)]
    assert [one.standalone_query for one in elliptical.state("s").ledger] == list(MEANT)
    assert {"turn_not_processed", "step_failed"}.isdisjoint(codes(both))
    second = elliptical.turn("s", "Thanks!", passages=[HIRE])
    assert _resolved(second) == [("q2", ("LAKE-1",))]
    assert [(one.question_id, one.attempts) for one in second.open_questions] == [("q1", 3)]
    first = elliptical.turn("s", "Thanks!", passages=[KAYAK])
    assert (_resolved(first), first.open_questions) == ([("q1", ("LAKE-5",))], ())


def test_both_are_answered_at_once_each_by_its_own_evidence(elliptical: Conversation) -> None:
    elliptical.turn("s", ELLIPTICAL, passages=[SAUNA])
    elliptical.turn("s", ELLIPTICAL, passages=[SAUNA])
    told = elliptical.turn("s", "Thanks!", passages=[HIRE, KAYAK])
    assert _resolved(told) == [("q1", ("LAKE-5",)), ("q2", ("LAKE-1",))] and told.open_questions == ()
    assert "9 euros" in told.answer and "14 euros" in told.answer


def test_the_same_words_under_other_exclusions_are_another_question(talk: Conversation) -> None:
    asked = "What does a cabin cost?"
    talk.turn("s", asked, passages=[HOURS])
    talk.turn("s", "Which saunas are there without a generator?", passages=[HOURS])
    told = talk.turn("s", asked, passages=[HOURS])
    assert [one.question_id for one in told.open_questions if one.question == asked] == ["q1", "q3"]
    kept = {one.question_id: len(one.exclusions) for one in talk.state("s").ledger}
    assert (kept["q1"], kept["q3"]) == (0, 1)
