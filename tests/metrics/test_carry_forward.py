"""carry_forward: what a prediction may make of the ledger, one rule a test."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.metrics.carry_forward import check, outcome
from turnkeeper.signatures.carry_forward import CarriedForward, LedgerPolicy
from turnkeeper.signatures.types import AccessScope, Exclusion

from .carry_forward_turns import (
    KILN,
    RENT,
    answered,
    codes,
    entry,
    passage,
    resolved,
    still,
    turn,
    unanswered,
)

SHED = passage("S-1", "The shed is leased by the potters' guild, which pays the rent.")
FIRED = passage("K-4", "Kiln 4 is fired on 12 October.")
FOG = passage("N-1", "Fog is expected.")


def test_carried_word_for_word() -> None:
    assert codes([KILN, RENT], open_=[still(KILN), still(RENT)]) == set()


def test_the_order_does_not_count() -> None:
    assert codes([KILN, RENT], open_=[still(RENT), still(KILN)]) == set()


def test_late_evidence_resolves() -> None:
    given = turn([KILN, RENT], context=[FIRED], done=[resolved(KILN, "On 12 October.", "K-4")], open_=[still(RENT)])
    assert check(**given) == []
    assert [(e.question, e.attempts) for e in outcome(**given).ledger] == [(RENT, 3)]


@pytest.mark.parametrize(
    ("ledger", "open_"),
    [([KILN], []), ([KILN, RENT], [still(KILN)]), ([KILN, RENT], [])],
)
def test_dropped(ledger: list[str], open_: list[Any]) -> None:
    assert codes(ledger, open_=open_) == {"silently_dropped"}


def test_dropped_beside_a_good_resolution() -> None:
    assert codes([KILN, RENT], context=[FIRED], done=[resolved(KILN, "12 October.", "K-4")]) == {"silently_dropped"}


@pytest.mark.parametrize(
    "reworded",
    [
        "When will kiln 4 be fired?", "When is kiln 5 fired?", "When is kiln 4 not fired?", "Where is kiln 4 fired?",
        "When is kiln four fired?", "Firing date of kiln 4", "Wann wird Ofen 4 gebrannt?",
        "When is kiln 4 fired again?",
        "Quand le four 4 est-il allumé ?", "¿Cuándo se enciende el horno 4?", "When is it fired?",
    ],
)  # fmt: skip
def test_reworded(reworded: str) -> None:
    assert codes([KILN], open_=[still(reworded)]) == {"silently_dropped", "unknown_question", "not_verbatim"}


@pytest.mark.parametrize("same", ["when is kiln 4 fired", "WHEN IS KILN 4 FIRED?", " When is  kiln 4 fired ? "])
def test_case_space_and_end_marks_are_no_rewording(same: str) -> None:
    given = turn([KILN], open_=[still(same)])
    assert check(**given) == [] and outcome(**given).ledger[0].question == KILN


def test_reworded_under_its_own_id() -> None:
    assert codes([entry(KILN, question_id="k")], open_=[still("When is it fired?", question_id="k")]) == {
        "silently_dropped", "not_verbatim",
    } - {"silently_dropped"}  # fmt: skip


@pytest.mark.parametrize(
    "invented", ["Who built the shed?", "What is the wage of a potter?", "Wer hat den Schuppen gebaut?", "Same?"]
)
def test_invented(invented: str) -> None:
    assert codes([KILN], open_=[still(KILN), still(invented)]) == {"unknown_question"}


def test_a_question_resolved_earlier_does_not_come_back() -> None:
    assert codes(
        [KILN], done=[resolved(RENT, "The guild pays the rent.", "S-1")], context=[SHED], open_=[still(KILN)]
    ) == {"unknown_question"}


@pytest.mark.parametrize("again", [KILN, KILN.upper(), "when is kiln 4 fired"])
def test_listed_twice(again: str) -> None:
    assert codes([KILN], open_=[still(KILN), still(again)]) == {"duplicate_question"}


def test_resolved_twice() -> None:
    twice = [resolved(KILN, "12 October.", "K-4")] * 2
    assert codes([KILN], context=[FIRED], done=twice) == {"duplicate_question"}


def test_in_both_lists() -> None:
    found = codes([KILN], context=[FIRED], done=[resolved(KILN, "12 October.", "K-4")], open_=[still(KILN)])
    assert "contradiction" in found and found <= {"contradiction", "missed_resolution"}


@pytest.mark.parametrize(
    ("fields", "ok"),
    [
        ({"attempts": 3}, True), ({"first_asked_turn": 3}, True), ({"question_id": "k"}, True),
        ({"attempts": 2}, False),
        ({"attempts": 1}, False), ({"attempts": 4}, False), ({"first_asked_turn": 5}, False),
        ({"question_id": "z"}, False),
        ({"attempts": 0}, False), ({"first_asked_turn": 3, "attempts": 3, "question_id": "k"}, True),
    ],
)  # fmt: skip
def test_what_the_server_keeps(fields: dict[str, Any], ok: bool) -> None:
    assert codes([entry(KILN, question_id="k")], open_=[still(KILN, **fields)]) == (
        set() if ok else {"immutable_field_changed"}
    )


@pytest.mark.parametrize(
    ("fields", "ok"),
    [({"attempts": 1, "first_asked_turn": 5}, True), ({"attempts": 2}, False), ({"first_asked_turn": 4}, False)],
)
def test_the_counters_of_a_new_question(fields: dict[str, Any], ok: bool) -> None:
    found = codes([], "Who owns the clay pit?", open_=[still("Who owns the clay pit?", **fields)])
    assert found == (set() if ok else {"immutable_field_changed"})


def test_the_id_of_another_question() -> None:
    open_ = [still(KILN), still("Who owns the clay pit?", question_id="k")]
    assert codes([entry(KILN, question_id="k")], "Who owns the clay pit?", open_=open_) == {"immutable_field_changed"}


@pytest.mark.parametrize("blank", ["", "  ", "-", "?", None])
def test_nothing_said_of_what_is_missing(blank: str | None) -> None:
    assert codes([KILN], open_=[{"question": KILN, "missing_evidence": blank}]) == {"missing_field"}


@pytest.mark.parametrize("name", ["current_answer", "resolved_questions", "updated_unresolved_questions"])
def test_a_field_left_out(name: str) -> None:
    given = turn([], "Thanks.")
    del given["prediction"][name]
    assert [v.code for v in check(**given)] == ["missing_field"]


@pytest.mark.parametrize(
    "prediction",
    [None, "{broken", 7, [], {"current_answer": "text", "resolved_questions": [], "updated_unresolved_questions": []},
     {"current_answer": {"status": "MAYBE"}, "resolved_questions": [], "updated_unresolved_questions": []},
     {"current_answer": {"status": "ANSWERED"}, "resolved_questions": 3, "updated_unresolved_questions": []}],
)  # fmt: skip
def test_unparsable(prediction: Any) -> None:
    given = {**turn([KILN]), "prediction": prediction}
    assert [v.code for v in check(**given)] == ["unparsable"]
    assert outcome(**given).ledger == (entry(KILN),)


def test_a_field_that_nobody_knows_is_passed_over() -> None:
    given = turn([KILN], open_=[still(KILN, status="pending", confidence=0.4)])
    given["prediction"]["thoughts"] = "..."
    assert check(**given) == []


def test_the_model_itself_is_a_prediction() -> None:
    given = turn([KILN], open_=[still(KILN)])
    assert check(**{**given, "prediction": CarriedForward.model_validate(given["prediction"])}) == []


@pytest.mark.parametrize("open_", [[still(KILN)], [still(KILN, attempts=2)], []])
def test_a_failed_retrieval_is_no_attempt(open_: list[Any]) -> None:
    given = turn([KILN], "Who owns it?", context=None, open_=open_)
    assert "retrieval_failed" in {v.code for v in check(**given)}
    assert outcome(**given).ledger == (entry(KILN),)


def test_an_empty_context_is_one() -> None:
    given = turn([KILN], "Who owns the pit?", open_=[still(KILN), still("Who owns the pit?", "a deed")])
    after = outcome(**given)
    assert [(e.question, e.attempts, e.first_asked_turn) for e in after.ledger] == [
        (KILN, 3, 3), ("Who owns the pit?", 1, 5)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "question", ["Thanks.", "Hm.", "In May.", "Hello again.", "go on", "Danke!", "Merci.", "Gracias"]
)
def test_what_asks_nothing_does_not_enter(question: str) -> None:
    assert codes([KILN], question, open_=[still(KILN)]) == set()
    assert codes([KILN], question, open_=[still(KILN), still(question)]) == {"unknown_question"}


@pytest.mark.parametrize(
    "question",
    ["Who owns the pit?", "How deep is the pit", "Tell me about the pit.", "And its owner?", "Wem gehört die Grube?",
     "À qui est la fosse ?", "¿De quién es la fosa?", "When is kiln 5 fired?", "I need the price list."],
)  # fmt: skip
def test_what_asks_is_answered_or_recorded(question: str) -> None:
    assert codes([KILN], question, open_=[still(KILN)]) == {"current_question_lost"}
    assert codes([KILN], question, open_=[still(KILN), still(question)]) == set()


NOT_SEARCHED = [{"uncounted": ["q3"]}, {"access_scope": AccessScope(restricted_terms=["Kiln 4"])}]


@pytest.mark.parametrize("why", NOT_SEARCHED)
def test_for_a_question_that_was_not_searched_no_attempt_counts(why: dict[str, Any]) -> None:
    ledger = [entry(KILN, question_id="q3"), entry(RENT, question_id="q4")]
    right = turn(ledger, open_=[still(KILN, attempts=2), still(RENT, attempts=3)], **why)
    assert check(**right) == []
    assert [(e.question, e.attempts) for e in outcome(**right).ledger] == [(KILN, 2), (RENT, 3)]
    assert codes(ledger, open_=[still(KILN, attempts=3), still(RENT)], **why) == {"immutable_field_changed"}
    assert codes(ledger, open_=[still(KILN), still(RENT, attempts=2)], **why) == {"immutable_field_changed"}


def test_a_part_of_the_question_is_not_the_question() -> None:
    found = codes([], "Who owns the pit and how deep is it?", open_=[still("How deep is it?")])
    assert found == {"unknown_question", "current_question_lost"}


@pytest.mark.parametrize("again", [KILN, "when is kiln 4 fired", "WHEN IS KILN 4 FIRED ?"])
def test_a_repeated_question_merges(again: str) -> None:
    given = turn([KILN], again, open_=[still(again)])
    assert check(**given) == []
    assert [(e.question, e.attempts, e.first_asked_turn) for e in outcome(**given).ledger] == [(KILN, 3, 3)]
    assert codes([KILN], again, open_=[still(KILN), still(again)]) == {"duplicate_question"}


def test_a_repeated_question_that_is_answered_is_resolved() -> None:
    current = answered("Kiln 4 is fired on 12 October [Source: K-4].", "K-4")
    done = [resolved(KILN, "On 12 October [Source: K-4].", "K-4")]
    assert codes([KILN], KILN, context=[FIRED], current=current, done=done) == set()
    assert codes([KILN], KILN, context=[FIRED], current=current) == {"silently_dropped"}
    assert "contradiction" in codes([KILN], KILN, context=[FIRED], current=current, open_=[still(KILN)])
    assert "contradiction" in codes([KILN], KILN, context=[FIRED], done=done)


def test_a_paraphrase_is_another_question() -> None:
    other = "On which day do they light the fourth kiln?"
    assert codes([KILN], other, open_=[still(KILN)]) == {"current_question_lost"}
    assert codes([KILN], other, open_=[still(KILN), still(other)]) == set()


def test_answered_and_open_at_once() -> None:
    current = answered("Fog is expected [Source: N-1].", "N-1")
    found = codes([], "Is fog expected?", context=[FOG], current=current, open_=[still("Is fog expected?")])
    assert found == {"contradiction"}


@pytest.mark.parametrize(
    ("current", "question"),
    [
        (answered("", "N-1"), "Is fog expected?"),
        (answered("I cannot find evidence to answer this question.", "N-1"), "Is fog expected?"),
        ({"text": "Fog is expected.", "citations": [], "status": "UNANSWERED"}, "Is fog expected?"),
        ({"text": None, "citations": ["N-1"], "status": "UNANSWERED"}, "Is fog expected?"),
        (unanswered("I don't know."), "Is fog expected?"),
    ],
)
def test_status_and_text_disagree(current: dict[str, Any], question: str) -> None:
    assert codes([], question, context=[FOG], current=current, open_=[still(question)]) & {
        "contradiction", "missing_field"
    }  # fmt: skip


@pytest.mark.parametrize("text", [None, "", "I cannot find evidence to answer this question"])
def test_an_unanswered_question_has_no_text(text: str | None) -> None:
    assert codes([], "Is fog expected?", current=unanswered(text), open_=[still("Is fog expected?")]) == set()


@pytest.mark.parametrize(("age", "review"), [(3, False), (4, True)])
def test_review_after_good_and_failed_turns(age: int, review: bool) -> None:
    good = turn([entry(KILN, 2)], open_=[still(KILN)], number=2 + age)
    assert outcome(**good).human_review is review
    failed = turn([entry(KILN, 2)], number=2 + age)
    assert check(**failed) and outcome(**failed).human_review is review


def test_thresholds_of_the_application() -> None:
    given = turn([KILN], open_=[still(KILN)], number=4)
    assert outcome(**given, policy=LedgerPolicy(review_age=0)).human_review
    assert outcome(**given, policy=LedgerPolicy(max_attempts=3)).unresolvable == ("q3",)


def test_a_question_given_up_need_not_be_listed() -> None:
    ledger = [entry(KILN, status="unresolvable"), entry(RENT)]
    assert codes(ledger, open_=[still(RENT)]) == set()
    assert codes(ledger, open_=[still(RENT), still(KILN, attempts=2)]) == set()
    assert codes(ledger, context=[FIRED], done=[resolved(KILN, "12 October.", "K-4")], open_=[still(RENT)]) == set()


def test_a_large_ledger_loses_nobody() -> None:
    ledger = [entry(f"Who owns kiln {n}?") for n in range(40)]
    rows = [still(e.question) for e in ledger]
    assert codes(ledger, open_=rows) == set()
    assert codes(ledger, open_=rows[:-1]) == {"silently_dropped"}


PRICE = "And its price?"
OF_KILN = entry(PRICE, question_id="q3", standalone_query="What does the kiln cost?")
OF_WHEEL = entry(PRICE, 4, 1, question_id="q4", standalone_query="What does the wheel cost?")
WHEEL = passage("W-1", "The wheel costs 80 euros.")
WHEEL_SAID = resolved(PRICE, "The wheel costs 80 euros [Source: W-1].", "W-1")


def _after(given: dict[str, Any]) -> list[str]:
    assert check(**given) == []
    return [one.question_id for one in outcome(**given).ledger]


@pytest.mark.parametrize("named", [{"question_id": "q3"}, {}])
def test_of_two_questions_in_the_same_words_the_one_with_evidence_leaves(named: dict[str, str]) -> None:
    given = turn([OF_KILN, OF_WHEEL], context=[WHEEL], done=[WHEEL_SAID], open_=[still(PRICE, **named)])
    assert _after(given) == ["q3"]


def test_an_answer_is_for_the_question_that_its_passage_speaks_of() -> None:
    given_up = OF_KILN.model_copy(update={"status": "unresolvable"})
    said = resolved(PRICE, "80 euros [Source: W-1].", "W-1")
    assert _after(turn([given_up, OF_WHEEL], context=[WHEEL], done=[said])) == ["q3"]


def test_two_questions_in_the_same_words_are_carried_in_any_order_of_their_ids() -> None:
    open_ = [still(PRICE, "a bill of the wheel", question_id="q4"), still(PRICE, "a bill", question_id="q3")]
    given = turn([OF_KILN, OF_WHEEL], open_=open_)
    assert _after(given) == ["q3", "q4"]
    assert [one.missing_evidence for one in outcome(**given).ledger] == ["a bill", "a bill of the wheel"]


def test_two_questions_in_the_same_words_can_still_be_doubled_dropped_and_contradicted() -> None:
    both = [OF_KILN, OF_WHEEL]
    kiln, wheel = still(PRICE, question_id="q3"), still(PRICE, question_id="q4")
    assert codes(both, open_=[kiln, wheel, kiln]) == {"duplicate_question"}
    assert codes(both, open_=[kiln, kiln]) == {"duplicate_question", "silently_dropped"}
    assert codes(both, open_=[wheel]) == {"silently_dropped"}
    assert codes(both, context=[WHEEL], done=[WHEEL_SAID, WHEEL_SAID], open_=[kiln]) >= {"duplicate_question"}
    assert codes(both, context=[WHEEL], done=[WHEEL_SAID], open_=[kiln, wheel]) >= {"contradiction"}
    assert codes([OF_WHEEL], context=[WHEEL], done=[WHEEL_SAID], open_=[wheel]) >= {"contradiction"}


def test_the_same_words_in_another_meaning_enter() -> None:
    now = {"standalone_query": "What does the wheel cost?"}
    given = turn([OF_KILN], PRICE, open_=[still(PRICE, question_id="q3"), still(PRICE, "a bill")], **now)
    assert _after(given) == ["q3", "q5"]
    assert codes([OF_KILN], PRICE, open_=[still(PRICE)], **now) == {"current_question_lost"}
    said = answered("The wheel costs 80 euros [Source: W-1].", "W-1")
    assert codes([OF_KILN], PRICE, context=[WHEEL], current=said, open_=[still(PRICE)], **now) == set()
    same = {"standalone_query": "What does the kiln cost?"}
    assert codes([OF_KILN], PRICE, open_=[still(PRICE), still(PRICE)], **same) == {"duplicate_question"}


def test_the_same_words_under_other_exclusions_enter() -> None:
    now = {"standalone_query": "What does the kiln cost?", "exclusions": (Exclusion(phrase="gas"),)}
    given = turn([OF_KILN], PRICE, open_=[still(PRICE), still(PRICE, "a bill")], **now)
    assert _after(given) == ["q3", "q5"]
    assert [len(one.exclusions) for one in outcome(**given).ledger] == [0, 1]
