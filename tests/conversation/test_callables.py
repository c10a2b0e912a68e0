"""What is taken of a callable's result: its decisions. Ledger, registry and exclusions stay code's own."""

from __future__ import annotations

from typing import Any

import pytest

import turnkeeper
from turnkeeper.conversation import Conversation
from turnkeeper.sessions import MemoryStore, SessionState
from turnkeeper.signatures.carry_forward import CarryForwardResult, CurrentAnswer, ResolvedQuestion, UnresolvedQuestion
from turnkeeper.signatures.cite import ABSTENTION, CiteResult, Source
from turnkeeper.signatures.expand import BooleanQuery, Clause, ExpandResult
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import CitationRegistry, Exclusion, OpenQuestion, RegisteredSource

from .conftest import Make
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, ASK_SAUNA, HIRE, HOURS, LAKE, NIGHT, SAUNA, Reader, codes, lm_of

NOTHING = CurrentAnswer(status="UNANSWERED")
LEAVES = "Night trips on the lake leave at 21:00 on Fridays"


def _open(store: MemoryStore) -> list[tuple[str, int]]:
    return [(one.question, one.attempts) for one in store.load("s").ledger]


def _carrying(make: Make, *resolved: ResolvedQuestion, **fields: Any) -> Conversation:
    """Return a conversation with an open question about night trips, whose carry_forward always gives this."""
    make().turn("s", ASK_NIGHT, passages=[HIRE])
    result = CarryForwardResult(current_answer=NOTHING, resolved_questions=resolved, **fields)
    return make(carry_forward=lambda **_: result)


def _resolved(answer: str, *citations: str, question: str = ASK_NIGHT) -> ResolvedQuestion:
    return ResolvedQuestion(question=question, answer=answer, citations=citations)


def test_a_question_that_a_result_does_not_name_is_carried(make: Make, store: MemoryStore) -> None:
    told = _carrying(make).turn("s", ASK_HIRE, passages=[HIRE])
    assert _open(store) == [(ASK_NIGHT, 2)]
    assert (told.status, told.cited, told.resolved_questions) == ("ANSWERED", ("LAKE-1",), ())


def test_a_question_that_stays_unanswered_enters_all_the_same(make: Make, store: MemoryStore) -> None:
    _carrying(make).turn("s", ASK_SAUNA, passages=[HIRE])
    assert _open(store) == [(ASK_NIGHT, 2), (ASK_SAUNA, 1)]


def test_a_ledger_of_its_own_making_is_not_taken(make: Make, store: MemoryStore) -> None:
    made = OpenQuestion(question_id="q9", question=ASK_SAUNA, first_asked_turn=1)
    talk = _carrying(make, ledger=(made,), human_review=True)
    told = talk.turn("s", ASK_HIRE, passages=[HIRE])
    assert _open(store) == [(ASK_NIGHT, 2)] and not told.human_review


@pytest.mark.parametrize("answer", [f"{LEAVES} [Source: LAKE-3].", f"{LEAVES}."])
def test_a_resolution_by_this_turns_evidence_is_taken_and_registered(
    answer: str, make: Make, store: MemoryStore
) -> None:
    told = _carrying(make, _resolved(answer, "LAKE-3")).turn("s", ASK_HIRE, passages=[HIRE, NIGHT])
    [one] = told.resolved_questions
    assert (one.question, one.answer, one.citations) == (ASK_NIGHT, f"{LEAVES} [Source: LAKE-3].", ("LAKE-3",))
    assert _open(store) == [] and told.registry == ("LAKE-1", "LAKE-3")
    assert one.answer in told.answer and told.answer.endswith("- LAKE-1: Boat hire\n- LAKE-3: Night trips")


@pytest.mark.parametrize(
    "claim",
    [
        _resolved(f"{LEAVES} [Source: LAKE-9].", "LAKE-9"),
        _resolved(f"{LEAVES} [Source: LAKE-9].", "LAKE-3"),
        _resolved(f"{LEAVES} [Source: LAKE-1].", "LAKE-1"),
        _resolved("Night trips on the lake leave at 23:45 on Sundays [Source: LAKE-3].", "LAKE-3"),
        _resolved(f"{LEAVES}."),
        _resolved("", "LAKE-3"),
    ],
)
def test_one_that_its_citations_do_not_bear_out_changes_nothing(
    claim: ResolvedQuestion, make: Make, store: MemoryStore
) -> None:
    told = _carrying(make, claim).turn("s", ASK_HIRE, passages=[HIRE, NIGHT])
    assert told.resolved_questions == () and "LAKE-9" not in told.answer and "23:45" not in told.answer
    assert _open(store) == [(ASK_NIGHT, 2)] and "question_undecided" in codes(told)


def test_a_question_that_was_never_open_is_not_resolved(make: Make, store: MemoryStore) -> None:
    claim = _resolved("The shore sauna seats eight guests [Source: LAKE-4].", "LAKE-4", question=ASK_SAUNA)
    told = _carrying(make, claim).turn("s", ASK_HIRE, passages=[HIRE, SAUNA])
    assert told.resolved_questions == () and "question_undecided" in codes(told)
    assert _open(store) == [(ASK_NIGHT, 2)]


def test_of_two_questions_in_the_same_words_the_one_is_resolved_that_the_answer_speaks_of(
    make: Make, store: MemoryStore
) -> None:
    make().turn("s", ASK_HIRE, passages=[HIRE])
    asked = "And how many?"
    boats, guests = "How many boats are there for hire?", "How many guests does the shore sauna seat?"
    for turn, standalone in enumerate((boats, guests), 1):
        state = ReformulateResult(standalone_query=standalone, action="rewrite")
        make(reformulate=lambda state=state, **_: state).turn("s", asked, passages=[HOURS])
        assert len(store.load("s").ledger) == turn
    claim = _resolved("The shore sauna seats eight guests [Source: LAKE-4].", "LAKE-4", question=asked)
    result = CarryForwardResult(current_answer=NOTHING, resolved_questions=(claim,))
    told = make(carry_forward=lambda **_: result).turn("s", "Thanks!", passages=[SAUNA])
    assert [one.question_id for one in told.resolved_questions] == ["q3"]
    assert [one.standalone_query for one in store.load("s").ledger] == [boats]


def test_what_is_missing_is_a_decision_too(make: Make, store: MemoryStore) -> None:
    left = UnresolvedQuestion(question=ASK_NIGHT, missing_evidence="the timetable of the boats")
    _carrying(make, updated_unresolved_questions=(left,)).turn("s", ASK_HIRE, passages=[HIRE])
    assert [one.missing_evidence for one in store.load("s").ledger] == ["the timetable of the boats"]


def test_a_result_that_says_it_failed_leaves_the_ledger_as_it_was(make: Make, store: MemoryStore) -> None:
    talk = _carrying(make, ok=False, fallback=True)
    told = talk.turn("s", ASK_SAUNA, passages=[HIRE])
    assert _open(store) == [(ASK_NIGHT, 1)] and "turn_not_processed" in codes(told)


def test_after_a_failed_search_a_result_changes_nothing(make: Make, store: MemoryStore) -> None:
    talk = _carrying(make, _resolved(f"{LEAVES} [Source: LAKE-3].", "LAKE-3"))
    told = talk.turn("s", ASK_HIRE, passages=None)
    assert told.resolved_questions == () and _open(store) == [(ASK_NIGHT, 1)]


def test_the_completion_of_an_open_question_is_held_to_its_evidence(make: Make, store: MemoryStore) -> None:
    made_up = CurrentAnswer(text="They leave at 23:45 [Source: LAKE-9].", citations=("LAKE-9",), status="ANSWERED")
    make().turn("s", ASK_NIGHT, passages=[HIRE])
    result = CarryForwardResult(current_answer=made_up)
    told = make(carry_forward=lambda **_: result).turn("s", "In March.", passages=[NIGHT])
    assert told.kind == "clarification" and "23:45" not in told.answer and told.status == "UNANSWERED"
    assert [one.question for one in store.load("s").ledger] == [ASK_NIGHT]


def test_the_guard_behind_a_callable_gives_the_same_turns(reader: Reader) -> None:
    names = {"expand": "expand", "answerer": "cite", "carry_forward": "carry_forward", "reformulate": "reformulate"}
    guards = {name: turnkeeper.load(step, lm=lm_of(reader), program="zero-shot") for name, step in names.items()}
    behind = {name: lambda guard=guard, **inputs: guard(**inputs) for name, guard in guards.items()}
    plain = Conversation(MemoryStore(), rewriter=None, **guards)
    foreign = Conversation(MemoryStore(), rewriter=None, **behind)
    asked: list[tuple[str, Any]] = [
        (ASK_NIGHT, [HIRE]), ("Which boats are there without engines?", [HIRE]), ("In March.", LAKE), (ASK_HIRE, LAKE),
        (ASK_NIGHT, LAKE), (ASK_SAUNA, None), ("Thanks!", LAKE),
    ]  # fmt: skip
    for query, passages in asked:
        made = [
            talk.turn("s", query, passages=passages).model_dump(exclude={"latency_ms", "steps", "lm_calls"})
            for talk in (plain, foreign)
        ]
        assert made[0] == made[1], query
        states = [talk.state("s").model_dump(include={"ledger", "registry", "exclusions"}) for talk in (plain, foreign)]
        assert states[0] == states[1], query


NOWHERE = CiteResult(answer="The boathouse opens at 7:00 [Source: NOWHERE-1].")


def test_a_result_of_an_answerer_is_held_to_the_checks(make: Make, store: MemoryStore) -> None:
    told = make(answerer=lambda **_: NOWHERE).turn("s", ASK_HOURS, passages=LAKE)
    assert (told.answer, told.status, told.cited) == (ABSTENTION, "UNANSWERED", ())
    assert "citation_unverified" in codes(told) and store.load("s").registry.entries == ()


def test_a_registry_of_its_own_making_is_not_taken(make: Make, store: MemoryStore) -> None:
    make().turn("s", ASK_HIRE, passages=LAKE)
    before = store.load("s").registry
    told = make(answerer=lambda **_: NOWHERE).turn("s", ASK_HOURS, passages=LAKE)
    assert told.turn == 2 and store.load("s").registry == before
    forged = CitationRegistry(convention="numeric", entries=(RegisteredSource(doc_id="1", title="Forged"),))
    answer = "The boathouse opens at 9:30 from May to September [Source: LAKE-2]."
    said = CiteResult(answer=answer, registry=forged, sources=(Source(doc_id="LAKE-2", relevance="the hours"),))
    told = make(answerer=lambda **_: said).turn("s", ASK_HOURS, passages=LAKE)
    after = store.load("s").registry
    assert (after.convention, [e.doc_id for e in after.entries]) == ("source_tag", ["LAKE-1", "LAKE-2"])
    assert (told.status, told.new_citations, told.sources[0].relevance) == ("ANSWERED", ("LAKE-2",), "the hours")
    assert told.answer.endswith("\n\nSources:\n- LAKE-2: Boathouse hours")


def test_a_result_that_abstains_needs_no_words(make: Make, store: MemoryStore) -> None:
    told = make(answerer=lambda **_: CiteResult(answer="", abstained=True)).turn("s", ASK_HOURS, passages=LAKE)
    assert (told.answer, told.status, told.fallback) == (ABSTENTION, "UNANSWERED", False)
    assert _open(store) == [(ASK_HOURS, 1)]


ENGINES = "Which boats are there without engines?"


def _expanding(make: Make, **fields: Any) -> tuple[Conversation, list[Any]]:
    """Return a conversation in which engines are ruled out, whose expand gives this, and what it then searches."""
    asked: list[Any] = []

    def find(request: Any) -> Any:
        asked.append(request)
        return LAKE

    make().turn("s", ENGINES, passages=[HIRE])
    result = ExpandResult(expanded_query="boats", **fields)
    return make(expand=lambda **_: result, retriever=find), asked


def _ruled_out(state: SessionState) -> list[tuple[str, str]]:
    return [(one.phrase, one.status) for one in state.exclusions]


def test_what_was_ruled_out_stays_so_and_is_searched_without(make: Make, store: MemoryStore) -> None:
    talk, asked = _expanding(make, boolean=BooleanQuery(should=(Clause(phrase="boat hire"),)))
    told = talk.turn("s", ASK_HIRE)
    assert told.negation_constraints == ("engines",) and _ruled_out(store.load("s")) == [("engines", "active")]
    assert asked[0].query.should == (Clause(phrase="boat hire"),)


def test_the_users_own_words_take_it_back_and_a_result_does_not(make: Make, store: MemoryStore) -> None:
    engines = Exclusion(phrase="engines", cue="without")
    talk, _ = _expanding(make, exclusions=(engines.model_copy(update={"status": "revoked"}),))
    talk.turn("s", ASK_HIRE)
    assert _ruled_out(store.load("s")) == [("engines", "active")]
    talk, _ = _expanding(make, exclusions=(engines,))
    talk.turn("s", "Engines are fine after all. Which boats are there?")
    assert ("engines", "revoked") in _ruled_out(store.load("s"))
    assert ("engines", "active") not in _ruled_out(store.load("s"))


def test_a_result_may_rule_out_more_and_add_terms(make: Make, store: MemoryStore) -> None:
    talk, asked = _expanding(make, exclusions=(Exclusion(phrase="sails"),), expansion_terms_added=("dinghy",))
    told = talk.turn("s", ASK_HIRE)
    assert told.negation_constraints == ("engines", "sails") and told.expansion_terms == ("dinghy",)
    assert [clause.phrase for clause in asked[0].query.should] == [ASK_HIRE, "dinghy"]
    assert store.load("s").exclusions[1].phrase == "sails"


HALF = "\ud83d"
HALVES: dict[str, Any] = {
    "reformulate": lambda **_: f"How much does a rowing boat cost {HALF}?",
    "expand": lambda **_: ExpandResult(
        expanded_query="boats", expansion_terms_added=(f"dinghy {HALF}",), exclusions=(Exclusion(phrase=f"oars{HALF}"),)
    ),
    "answerer": lambda **_: f"A rowing boat costs 14 euros an hour {HALF} [Source: LAKE-1].",
    "carry_forward": lambda **_: CarryForwardResult(
        current_answer=CurrentAnswer(text=HALF, status="UNANSWERED"),
        updated_unresolved_questions=(UnresolvedQuestion(question=ASK_NIGHT, missing_evidence=f"times {HALF}"),),
    ),
}


@pytest.mark.parametrize("step", HALVES)
def test_half_a_surrogate_pair_in_a_result_costs_no_turn(step: str, make: Make, store: MemoryStore) -> None:
    make().turn("s", ASK_NIGHT, passages=[HIRE])
    told = make(**{step: HALVES[step]}).turn("s", ASK_HIRE, passages=[HIRE])
    assert told.turn == store.load("s").turn == 2
    assert HALF not in repr(told.model_dump()) and HALF not in repr(store.load("s").model_dump())
    assert [one.question for one in store.load("s").ledger] == [ASK_NIGHT]


def test_nor_does_one_in_a_rewrite(make: Make, store: MemoryStore) -> None:
    talk = make(rewriter=lambda **_: f"14 euros an hour {HALF} [Source: LAKE-1].")
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    told = talk.turn("s", "Shorter please.", passages=[])
    assert told.turn == store.load("s").turn == 2 and "14 euros an hour \ufffd [Source: LAKE-1]." in told.answer


def test_a_hidden_source_is_given_to_no_callable(make: Make) -> None:
    seen: list[dict[str, Any]] = []

    def answers(**inputs: Any) -> str:
        seen.append(inputs)
        return ABSTENTION

    make().turn("s", ASK_HOURS, passages=[HOURS])
    make().withdraw("s", "LAKE-2")
    make(answerer=answers).turn("s", ASK_HIRE, passages=[HIRE, HOURS])
    assert [entry.doc_id for entry in seen[0]["registry"].entries] == ["LAKE-2"]
    assert "9:30" not in repr(seen)
