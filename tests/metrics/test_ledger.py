"""The pure ledger: what is one question, how it enters, is carried, leaves, ages, and when a person has to look."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._ledger import (
    Asked,
    after_failure,
    after_turn,
    find,
    needs_review,
    normal,
    with_ids,
    without_namesakes,
)
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import Exclusion, OpenQuestion


def _open(question: str, turn: int = 1, attempts: int = 1, **fields: object) -> OpenQuestion:
    return OpenQuestion(
        question=question, first_asked_turn=turn, attempts=attempts, missing_evidence="a deed", **fields
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who owns the kiln?", "who owns the kiln"),
        ("Who owns the kiln?", "  WHO  owns\tthe kiln ??"),
        ("Who owns the kiln?", "Who owns the kiln ?"),
        ("Who owns the kiln?", "Who owns the kiln..."),
        ("Who owns the kiln?", "Who owns the kiln?!"),
        ("Wem gehört der Ofen?", "wem gehört der ofen"),
        ("Wie groß ist das Maß?", "Wie gross ist das Mass?"),
        ("Où est le four ?", "où est le four?"),
        ("¿Dónde está el horno?", "Dónde está el horno"),
        ("窯はどこですか。", "窯はどこですか"),
    ],
)
def test_one_question(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does kiln 4 cost?", "What does kiln 5 cost?"),
        ("What is the 2031 quota?", "What is the 2032 quota?"),
        ("Is the kiln insured?", "Is the kiln not insured?"),
        ("Can we fire it?", "Can't we fire it?"),
        ("When does it open?", "Where does it open?"),
        ("Who owns the kiln?", "Who owns the kilns?"),
        ("Who owns the north kiln?", "Who owns the south kiln?"),
        ("What is 1.5 bar?", "What is 15 bar?"),
        ("Is C enough?", "Is C# enough?"),
        ("Who owns the kiln?", "Whose kiln is it?"),
        ("Wer zahlt die Miete?", "Wer zahlt keine Miete?"),
        ("Quand ouvre le four ?", "Quand ferme le four ?"),
        ("Is it in A-12?", "Is it in A12?"),
    ],
)
def test_two_questions(one: str, other: str) -> None:
    assert normal(one) != normal(other)


def test_a_question_of_marks_alone_keeps_them() -> None:
    assert normal("?") != normal("")


def test_carried_word_for_word_with_one_attempt_more() -> None:
    before = _open("Who owns the kiln?", 2, 3, question_id="k1", standalone_query="owner of kiln 4")
    after = after_turn((before,), turn=5).ledger
    assert after == (before.model_copy(update={"attempts": 4}),)


def test_what_is_missing_may_narrow_and_is_never_blanked() -> None:
    before = (_open("Who owns it?", question_id="a"), _open("Who rents it?", question_id="b"))
    after = after_turn(before, turn=2, missing={"a": "the date alone", "b": "  "}).ledger
    assert [entry.missing_evidence for entry in after] == ["the date alone", "a deed"]


def test_the_digest_of_the_evidence_is_kept() -> None:
    before = (_open("Who owns it?", question_id="a", evidence_digest="old"),)
    assert after_turn(before, turn=2).ledger[0].evidence_digest == "old"
    assert after_turn(before, turn=2, digests={"a": "new"}).ledger[0].evidence_digest == "new"


def test_a_question_enters_with_the_users_words() -> None:
    ruled_out = (Exclusion(phrase="gas"),)
    turn = after_turn((), turn=4, asked=Asked("  who OWNS it? ", "a deed", "Who owns the kiln?", ruled_out, "d1"))
    assert turn.ledger == (
        OpenQuestion(
            question_id="q4", question="  who OWNS it? ", standalone_query="Who owns the kiln?", exclusions=ruled_out,
            evidence_digest="d1", missing_evidence="a deed", first_asked_turn=4, attempts=1,
        ),
    )  # fmt: skip
    assert turn.entered == "q4"


def test_a_repeated_question_is_the_one_of_before() -> None:
    before = (_open("Who owns the kiln?", 2, 1, question_id="q2"),)
    turn = after_turn(before, turn=3, asked=Asked("WHO OWNS THE KILN", "x"))
    assert [(e.question, e.attempts) for e in turn.ledger] == [("Who owns the kiln?", 2)]
    assert turn.entered == "q2"


def test_near_duplicates_both_stay() -> None:
    before = (_open("What does kiln 4 cost?", question_id="q1"),)
    after = after_turn(before, turn=2, asked=Asked("What does kiln 5 cost?", "prices")).ledger
    assert [entry.question for entry in after] == ["What does kiln 4 cost?", "What does kiln 5 cost?"]


def test_the_resolved_leave_and_unknown_ids_change_nothing() -> None:
    before = (_open("Who owns it?", question_id="a"), _open("Who rents it?", question_id="b"))
    turn = after_turn(before, turn=2, resolved=("b", "z"))
    assert [entry.question_id for entry in turn.ledger] == ["a"] and turn.resolved == ("b",)


def test_a_question_whose_own_search_failed_counts_no_attempt() -> None:
    before = (_open("Who owns it?", question_id="a"), _open("Who rents it?", question_id="b"))
    after = after_turn(before, turn=2, uncounted=("a",)).ledger
    assert [entry.attempts for entry in after] == [1, 2] and after[0] == before[0]


def test_a_failed_turn_gives_back_the_same_object() -> None:
    before = (_open("Who owns it?"),)
    assert after_failure(before, turn=9).ledger is before


def test_ids_are_given_once_and_never_change() -> None:
    before = (_open("A?", 2), _open("B?", 2), _open("C?", 3, question_id="q2"), _open("D?", 3, question_id="mine"))
    first = with_ids(before)
    assert len({entry.question_id for entry in first}) == 4
    assert [entry.question_id for entry in first][2:] == ["q2", "mine"]
    assert with_ids(first) == first
    assert [e.question_id for e in after_turn(first, turn=4).ledger] == [e.question_id for e in first]


def test_an_id_that_is_taken_is_not_given_again() -> None:
    before = (_open("A?", 1, question_id="q4"),)
    turn = after_turn(before, turn=4, asked=Asked("B?", "x"))
    assert turn.entered not in (None, "q4") and len({entry.question_id for entry in turn.ledger}) == 2
    left = after_turn(before, turn=4, resolved=("q4",), asked=Asked("B?", "x"))
    assert left.entered != "q4"  # the id of a resolved question stays its own


@pytest.mark.parametrize(("n", "review"), [(0, False), (4, False), (5, True), (9, True)])
def test_review_by_number(n: int, review: bool) -> None:
    assert needs_review([_open(f"Open {i}?", 3) for i in range(n)], turn=3) is review


@pytest.mark.parametrize(("turn", "review"), [(2, False), (5, False), (6, True), (40, True)])
def test_review_by_age(turn: int, review: bool) -> None:
    assert needs_review([_open("Who owns it?", 2)], turn=turn) is review


def test_thresholds_are_configurable() -> None:
    policy = LedgerPolicy(review_open=2, review_age=0)
    assert needs_review([_open("A?", 3)], 4, policy) and not needs_review([_open("A?", 3)], 3, policy)
    assert needs_review([_open("A?", 3), _open("B?", 3)], 3, policy)


def test_the_alert_is_sent_once() -> None:
    before: tuple[OpenQuestion, ...] = (_open("Who owns it?", 2, question_id="q2"),)
    told = []
    for turn in range(3, 9):
        result = after_turn(before, turn=turn)
        told.append((result.human_review, result.raised))
        before = result.ledger
    assert told == [(False, False)] * 3 + [(True, True)] + [(True, False)] * 2


def test_it_is_sent_again_after_the_state_has_ended() -> None:
    many = tuple(_open(f"Open {n}?", 3, question_id=f"p{n}") for n in range(5))
    ended = after_turn(many, turn=4, resolved=("p0",))
    assert not ended.human_review
    again = after_turn(ended.ledger, turn=5, asked=Asked("And the kiln?", "x"))
    assert again.human_review and again.raised


def test_each_condition_raises_it_whatever_else_holds() -> None:
    policy = LedgerPolicy(review_open=2, review_age=3, max_attempts=9)
    given_up = _open("Who owns it?", 1, 9, question_id="a", status="unresolvable")
    one = _open("Who rents it?", 4, question_id="b")
    second = after_turn((given_up, one), turn=5, asked=Asked("Who fires it?", "x"), policy=policy)
    assert second.human_review and second.raised  # two are open beside the one that was given up
    third = after_turn(second.ledger, turn=6, asked=Asked("Who glazes it?", "x"), policy=policy)
    assert third.human_review and not third.raised
    old = after_turn(third.ledger, turn=8, policy=policy)
    assert old.human_review and old.raised
    assert not after_turn(old.ledger, turn=9, policy=policy).raised


def test_what_was_given_up_is_not_counted_as_open_and_does_not_age() -> None:
    ledger = tuple(_open(f"Open {n}?", 1, 9, question_id=f"p{n}", status="unresolvable") for n in range(5))
    assert needs_review(ledger, turn=9)
    first = after_turn(ledger, turn=10, asked=Asked("And the kiln?", "x"))
    assert first.human_review and not first.raised
    assert [after_failure(first.ledger, turn=turn).raised for turn in range(11, 16)] == [0, 0, 0, 1, 0]


def test_age_raises_it_in_a_failed_turn_too() -> None:
    failed = after_failure((_open("Who owns it?", 2),), turn=6)
    assert failed.human_review and failed.raised


def test_a_question_given_up_stays_and_goes_to_review() -> None:
    policy = LedgerPolicy(max_attempts=3)
    before = (_open("Who owns it?", 1, 2, question_id="a"),)
    turn = after_turn(before, turn=2, policy=policy)
    assert turn.unresolvable == ("a",) and turn.ledger[0].status == "unresolvable"
    assert turn.human_review and turn.raised
    later = after_turn(turn.ledger, turn=3, policy=policy)
    assert later.ledger == turn.ledger and later.human_review and not later.raised
    again = after_turn(turn.ledger, turn=3, policy=policy, asked=Asked("who owns it", "x"))
    assert again.ledger == turn.ledger
    assert after_turn(turn.ledger, turn=3, policy=policy, resolved=("a",)).ledger == ()


def test_with_one_attempt_a_question_is_given_up_as_it_enters() -> None:
    turn = after_turn((), turn=1, asked=Asked("Who owns it?", "x"), policy=LedgerPolicy(max_attempts=1))
    assert turn.unresolvable == ("q1",) and len(turn.ledger) == 1


def test_nothing_expires_on_its_own() -> None:
    ledger: tuple[OpenQuestion, ...] = (_open("Who owns it?", 1, question_id="a"),)
    for turn in range(2, 200):
        ledger = after_turn(ledger, turn=turn).ledger
    assert ledger[0].attempts == 199 and ledger[0].status == "pending"


def test_find_prefers_the_oldest() -> None:
    first, second = _open("Who?", 1, question_id="a"), _open("who", 2, question_id="b")
    assert find((first, second), "WHO?") is first and find((first,), "When?") is None


KILN_PRICE = _open("And its price?", 1, question_id="q1", standalone_query="What does the kiln cost?")


def test_the_same_words_in_another_meaning_are_another_question() -> None:
    ledger = (KILN_PRICE,)
    assert find(ledger, "and its price", "What does the wheel cost?") is None
    assert without_namesakes(ledger, "and its price", "What does the wheel cost?") == ()
    assert without_namesakes(ledger, "and its price", "What does the kiln cost?") == ledger
    assert find(ledger, "and its price", "what does the kiln cost") is KILN_PRICE
    turn = after_turn(ledger, turn=2, asked=Asked("And its price?", "a bill", "What does the wheel cost?"))
    assert [(e.question_id, e.standalone_query, e.attempts) for e in turn.ledger] == [
        ("q1", "What does the kiln cost?", 2), ("q2", "What does the wheel cost?", 1),
    ]  # fmt: skip
    assert turn.entered == "q2"


def test_where_a_meaning_is_not_known_the_words_decide() -> None:
    bare = KILN_PRICE.model_copy(update={"standalone_query": ""})
    assert find((bare,), "And its price?", "What does the wheel cost?", (Exclusion(phrase="gas"),)) is bare
    assert find((KILN_PRICE,), "And its price?") is KILN_PRICE
    assert find((bare, KILN_PRICE), "And its price?", "What does the kiln cost?") is KILN_PRICE


def test_the_same_words_under_other_exclusions_are_another_question() -> None:
    asked = ("And its price?", "What does the kiln cost?")
    gas, revoked = Exclusion(phrase="gas"), Exclusion(phrase="oil", status="revoked")
    assert find((KILN_PRICE,), *asked, (gas,)) is None
    assert find((KILN_PRICE,), *asked, (revoked,)) is KILN_PRICE
    assert find((KILN_PRICE,), *asked) is KILN_PRICE
    without = KILN_PRICE.model_copy(update={"exclusions": (gas,)})
    assert find((without,), *asked, (Exclusion(phrase="Gas"),)) is without
    ledger = after_turn((without,), turn=2, asked=Asked(asked[0], "a bill", asked[1], ())).ledger
    assert [e.exclusions for e in ledger] == [(gas,), ()]
