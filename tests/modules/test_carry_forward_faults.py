"""carry_forward against models that answer badly: no question is ever lost, doubled, reworded or closed for nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.signatures.carry_forward import CarryForwardResult
from turnkeeper.signatures.types import OpenQuestion, Passage

from .carrying import HUT, LIFT, NOW, OPENING, SNOW, WARDEN, decision, keeper, prompts, single, table

LEDGER = (LIFT, HUT)
CONTEXT = [OPENING, WARDEN, SNOW]
GOOD = (
    decision(1, "It opens again on 12 December", [1]),
    decision(2, "Olga Prenn runs the Tarnfell hut", [2], "what a bed costs"),
    decision(3, "At the summit lie 140 cm of snow", [3]),
)

JUNK = [
    "",
    " ",
    "null",
    "[]",
    "{}",
    "{",
    "}{",
    "[[[[[[",
    "I am sorry, but I cannot help with that.",
    '{"decisions": null}',
    '{"decisions": 3}',
    '{"decisions": "all resolved"}',
    '{"decisions": []}',
    '{"decisions": [null]}',
    '{"decisions": [[1, "yes", 1]]}',
    '{"decisions": {"question": 1, "answer": "yes"}}',
    '{"decisions": [{}]}',
    '{"decisions": [{"question": "first", "answer": "It opens [none]"}]}',
    '{"decisions": [{"question": 99, "answer": "It opens on 12 December [1]"}]}',
    '{"decisions": [{"question": -1, "answer": "x [-1]"}]}',
    '{"decisions": [{"question": 1, "answer": "It opens [1] MISSING: ',
    '{"answers": {"1": "12 December"}}',
    '{"decisions": [{"question": 1, "answer": 12, "sources": {}}]}',
    table(decision(1, "\u202e" * 40, [1])),
    table(decision(1, "It opens " * 500, [1])),
    table(*[decision(n, "yes", [1]) for n in range(200)]),
    table(decision(1, "It opens again on 12 December", [10**9])),
    table(decision(1, "NO_EVIDENCE", [1])),
    table(decision(1, "I cannot find evidence to answer this question.", [1])),
    table(decision(1, "The passages do not say when it opens.", [1])),
    "```json\n" + table(decision(1, "N/A", [], "N/A")) + "\n```",
    table(decision(1, "MISSING: MISSING: MISSING:")),
    "\x00\x1b[31m{}",
    "<decisions><question>1</question></decisions>",
    json.dumps({"ledger": [], "resolved_questions": [LIFT.question, HUT.question]}),
]


def kept(
    result: CarryForwardResult, ledger: tuple[OpenQuestion, ...], context: list[Passage], question: str | None
) -> None:
    """Assert what holds whatever a model wrote; `question` is the current one where it may enter."""
    if result.fallback:
        assert result.ledger == ledger and result.resolved_questions == () and not result.ok
        return
    resolved = [r.question for r in result.resolved_questions]
    after = {entry.question_id: entry for entry in result.ledger}
    assert len(after) == len(result.ledger)
    for entry in ledger:
        if entry.question in resolved:
            assert resolved.count(entry.question) == 1 and entry.question_id not in after
        else:
            now = after.pop(entry.question_id)
            assert (now.question, now.first_asked_turn) == (entry.question, entry.first_asked_turn)
            assert now.attempts == entry.attempts + 1 and now.missing_evidence.strip()
    assert set(resolved) <= {entry.question for entry in ledger}
    assert [entry.question for entry in after.values()] in ([], [question])
    known = {passage.doc_id for passage in context}
    for each in result.resolved_questions:
        assert each.citations and set(each.citations) <= known
    entered = bool(after)
    assert question is None or entered == (result.current_answer.status != "ANSWERED")


@pytest.mark.parametrize("junk", JUNK)
def test_junk_loses_closes_and_invents_nothing(junk: str) -> None:
    result = keeper(junk, junk, junk)(turn=4, ledger=LEDGER, query=NOW, context=CONTEXT)
    kept(result, LEDGER, CONTEXT, NOW)
    assert result.resolved_questions == () and result.warnings


@pytest.mark.parametrize("junk", ["", "[]", "{", '{"answer": null}', '{"answer": [1]}', "\u202e" * 9])
def test_junk_of_the_other_form_too(junk: str) -> None:
    result = keeper(*[junk] * 9, form="single")(turn=4, ledger=LEDGER, query=NOW, context=CONTEXT)
    kept(result, LEDGER, CONTEXT, NOW)
    assert result.fallback and NOW in result.warnings[0].message


@pytest.mark.parametrize("first", JUNK[:20])
def test_one_repair_mends_junk(first: str) -> None:
    result = keeper(first, table(*GOOD))(turn=4, ledger=LEDGER, query=NOW, context=CONTEXT)
    assert result.ok and result.lm_attempts == 2 and [r.question for r in result.resolved_questions] == [LIFT.question]


def test_a_model_that_claims_everything_resolved_closes_nothing() -> None:
    claims = table(decision(1, "Yes.", []), decision(2, "This is resolved.", []), decision(3, "Everything is fine."))
    result = keeper(claims, claims, claims)(turn=4, ledger=LEDGER, query=NOW, context=CONTEXT)
    kept(result, LEDGER, CONTEXT, NOW)
    assert result.resolved_questions == () and result.current_answer.status == "UNANSWERED"
    assert [w.code for w in result.warnings] == ["question_undecided"] * 3


@pytest.mark.parametrize(
    "claim",
    [
        "It opens again on 3 May",  # a date of nowhere
        "It opens again on 12 December 1999",
        "Olaf Grimstad says it opens again on 12 December",  # a name of nowhere
        "The weather in Lisbon will stay sunny and dry all week",  # another subject
        "It opens again on 12 November",
    ],
)
def test_a_citation_that_does_not_say_it_closes_nothing(claim: str) -> None:
    reply = table(decision(1, claim, [1]))
    result = keeper(reply, reply, reply)(turn=4, ledger=(LIFT,), query="Thanks!", context=[OPENING])
    kept(result, (LIFT,), [OPENING], None)
    assert result.resolved_questions == () and result.lm_attempts == 3


def test_the_right_answer_with_the_wrong_number_closes_nothing() -> None:
    reply = table(decision(1, "It opens again on 12 December", [2]), decision(2))
    result = keeper(reply, *[table(decision(1, "It opens again on 12 December", [2]))] * 2)(
        turn=4, ledger=(LIFT,), query=NOW, context=[OPENING, SNOW]
    )
    assert result.resolved_questions == ()


def test_a_users_own_words_support_nothing() -> None:
    sold = OpenQuestion(question_id="q1", question="How many day passes were sold?", missing_evidence="the number")
    reply = table(decision(1, "900 day passes were sold", [1]))
    result = keeper(reply, reply, reply)(turn=2, ledger=(sold,), query="900 I think.", context=[SNOW])
    assert result.resolved_questions == () and result.ledger[0].question == sold.question


def test_two_decisions_on_one_question_decide_nothing() -> None:
    two = table(decision(1, "It opens again on 12 December", [1]), decision(1, missing="the date"))
    result = keeper(two, two, two)(turn=4, ledger=(LIFT,), query="Thanks!", context=[OPENING])
    assert result.resolved_questions == () and "contradiction" in result.warnings[0].message


def test_the_same_decision_twice_is_one() -> None:
    one = decision(1, "It opens again on 12 December", [1])
    result = keeper(table(one, one))(turn=4, ledger=(LIFT,), query="Thanks!", context=[OPENING])
    assert len(result.resolved_questions) == 1 and result.ledger == ()


def test_a_question_that_the_model_leaves_out_is_carried_and_asked_again_next_turn() -> None:
    partly = table(GOOD[0], GOOD[2])
    guard = keeper(partly, table(), table())
    result = guard(turn=4, ledger=LEDGER, query=NOW, context=CONTEXT)
    kept(result, LEDGER, CONTEXT, NOW)
    (entry,) = result.ledger
    assert entry.question == HUT.question and entry.evidence_digest == ""
    assert HUT.question in prompts(guard)[2] and LIFT.question not in prompts(guard)[2]
    later = keeper(table(decision(1, "Olga Prenn runs the Tarnfell hut", [1], "the price")))(
        turn=5, ledger=result.ledger, query="Thanks!", context=[WARDEN]
    )
    assert later.lm_attempts == 1


def test_one_batch_that_cannot_be_read_costs_the_others_nothing() -> None:
    ledger = tuple(
        LIFT.model_copy(update={"question_id": f"q{n}", "question": f"When does lift {n} open?"}) for n in range(6)
    )
    good = table(*(decision(n) for n in range(1, 5)))
    guard = keeper(good, "no JSON", "still none", "none")
    result = guard(turn=4, ledger=ledger, query="Thanks!", context=[SNOW])
    kept(result, ledger, [SNOW], None)
    assert not result.fallback and [bool(e.evidence_digest) for e in result.ledger] == [True] * 4 + [False] * 2


@pytest.mark.parametrize("words", ["", "none", "N/A", "None.", "nothing", "NO_EVIDENCE", "MISSING:", "[1]"])
def test_what_names_nothing_is_no_missing_evidence(words: str) -> None:
    result = keeper(single(f"It opens again on 12 December [1]. MISSING: {words}"), form="single")(
        turn=4, ledger=(LIFT,), query="Thanks!", context=[OPENING]
    )
    assert len(result.resolved_questions) == 1


@pytest.mark.parametrize(
    ("question", "claim", "passage"),
    [
        ("When does the bakery open?", "The bakery opens", "The bakery opens at 6."),
        ("What does the bakery sell?", "It sells this", "The bakery sells rye bread."),
        ("Why is the pass closed?", "Yes, the pass is closed", "The pass is closed because of rockfall."),
        ("Does the branch deliver on Sundays?", "The branch does not deliver on Sundays", "Drops keep for 6 weeks."),
    ],
)
def test_an_answer_that_says_nothing_new_or_nothing_of_the_passage_closes_nothing(
    question: str, claim: str, passage: str
) -> None:
    entry = OpenQuestion(question_id="q1", question=question, missing_evidence="the answer")
    reply = table(decision(1, claim, [1]))
    result = keeper(reply, reply, reply)(
        turn=2, ledger=(entry,), query="Thanks!", context=[Passage(doc_id="P", text=passage)]
    )
    assert result.resolved_questions == () and result.ledger[0].attempts == 2


_TEXTS = st.one_of(
    st.sampled_from(
        ["", "It opens again on 12 December", "Olga Prenn runs it", "NO_EVIDENCE", "yes", "[2] [3]", "140 cm", NOW]
    ),
    st.text(max_size=30),
)
_DECISIONS = st.lists(
    st.fixed_dictionaries(
        {
            "question": st.integers(-1, 5),
            "answer": st.tuples(
                _TEXTS, st.sampled_from(["", " [1]", " [2].", " [1, 3]"]), st.sampled_from(["", " MISSING: x"])
            ).map("".join),
        }
    ),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_DECISIONS, min_size=3, max_size=3), st.sampled_from([NOW, LIFT.question]))
def test_whatever_is_decided_every_question_is_resolved_with_a_source_or_carried(
    attempts: list[list[dict[str, Any]]], question: str
) -> None:
    replies = [json.dumps({"decisions": each}) for each in attempts]
    result = keeper(*replies)(turn=4, ledger=LEDGER, query=question, context=CONTEXT)
    kept(result, LEDGER, CONTEXT, NOW if question == NOW else None)
