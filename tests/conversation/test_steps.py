"""Steps that are switched off, replaced, given an LM of their own, or that fail: the turn is committed all the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import turnkeeper
from turnkeeper.conversation import Conversation, SearchSettings
from turnkeeper.errors import SetupError
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.reformulate import ReformulateResult

from .conftest import Make
from .reading import ASK_HIRE, ASK_NIGHT, HIRE, LAKE, NIGHT, Reader, codes, lm_of

ALWAYS = SearchSettings(always_expand=True)
STEPS = {"reformulate": "reformulate", "expand": "expand", "answerer": "cite", "carry_forward": "carry_forward"}


def _prepared(make: Make, **options: Any) -> Conversation:
    """Return a conversation with an open question, so that each step has something to do in the next turn."""
    talk = make(**options)
    talk.store.commit(**_open(talk))
    return talk


def _open(talk: Conversation) -> dict[str, Any]:
    from turnkeeper.sessions import SessionState, TurnRecord
    from turnkeeper.signatures.types import OpenQuestion

    kept = OpenQuestion(question_id="q1", question=ASK_NIGHT, standalone_query=ASK_NIGHT)
    state = SessionState(session_id="s", ledger=(kept,))
    record = TurnRecord(turn=1, query=ASK_NIGHT, standalone_query=ASK_NIGHT, answer=ABSTENTION, status="UNANSWERED")
    return {"expected_version": 0, "turn": record, "state": state}


@pytest.mark.parametrize(("argument", "step"), STEPS.items())
def test_a_step_that_is_off_is_not_asked(argument: str, step: str, make: Make, reader: Reader) -> None:
    told = _prepared(make, **{argument: None}).turn("s", "And how much does it cost, a rowing boat?", passages=LAKE)
    assert step not in reader.steps()
    assert step not in [report.name for report in told.steps]
    assert (told.turn, told.fallback) == (2, False)


def test_without_cite_the_question_is_kept_for_later(make: Make, store: MemoryStore) -> None:
    told = make(answerer=None).turn("s", ASK_HIRE, passages=LAKE)
    assert (told.answer, told.status) == (ABSTENTION, "UNANSWERED")
    assert [one.question for one in store.load("s").ledger] == [ASK_HIRE]


def test_without_carry_forward_no_question_is_kept(make: Make, store: MemoryStore) -> None:
    told = make(carry_forward=None).turn("s", ASK_NIGHT, passages=[HIRE])
    assert (told.status, told.open_questions, store.load("s").ledger) == ("UNANSWERED", (), ())


def test_without_expand_what_is_ruled_out_stays_ruled_out(make: Make) -> None:
    told = make(expand=None).turn("s", "Which boats are there without engines?", passages=LAKE)
    assert told.negation_constraints == ("engines",)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_reformulate_may_be_a_function_that_gives_a_text(asynchronous: bool, make: Make) -> None:
    def plain(**inputs: Any) -> str:
        return f"{inputs['query']} (rowing boat)"

    async def later(**inputs: Any) -> str:
        await asyncio.sleep(0)
        return plain(**inputs)

    told = make(reformulate=later if asynchronous else plain).turn("s", "What is the price?", passages=LAKE)
    assert (told.standalone_query, told.action) == ("What is the price? (rowing boat)", "rewrite")
    assert told.cited == ("LAKE-1",)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("argument", "step"), STEPS.items())
def test_a_step_may_be_a_callable_that_gives_the_result(
    argument: str, step: str, asynchronous: bool, make: Make, reader: Reader
) -> None:
    guard = turnkeeper.load(step, lm=lm_of(reader), program="zero-shot")
    seen: list[dict[str, Any]] = []

    def plain(**inputs: Any) -> Any:
        seen.append(inputs)
        return guard(**inputs)

    async def later(**inputs: Any) -> Any:
        seen.append(inputs)
        return await guard.acall(**inputs)

    talk = _prepared(make, **{argument: later if asynchronous else plain})
    told = talk.turn("s", ASK_HIRE, passages=LAKE)
    assert len(seen) == 1
    assert told.cited == ("LAKE-1", "LAKE-3") and told.fallback is False
    [report] = [report for report in told.steps if report.name == step]
    assert report.program == "zero-shot"


def test_a_callable_object_with_an_async_method_is_awaited(make: Make) -> None:
    class Answerer:
        async def __call__(self, **inputs: Any) -> str:
            await asyncio.sleep(0)
            return "A rowing boat costs 14 euros an hour [Source: LAKE-1].\n\nSources:\n- LAKE-1: Boat hire"

    assert make(answerer=Answerer()).turn("s", ASK_HIRE, passages=LAKE).cited == ("LAKE-1",)
    assert asyncio.run(make(answerer=Answerer()).aturn("t", ASK_HIRE, passages=LAKE)).cited == ("LAKE-1",)


def test_an_answerers_text_is_held_to_the_checks_and_registered(make: Make, store: MemoryStore) -> None:
    text = "A rowing boat costs 14 euros an hour [Source: LAKE-1].\n\nSources:\n- LAKE-1: Boat hire"
    told = make(answerer=lambda **_: text).turn("s", ASK_HIRE, passages=LAKE)
    assert (told.status, told.cited, told.answer) == ("ANSWERED", ("LAKE-1",), text)
    assert [entry.snippet for entry in store.load("s").registry.entries] == [HIRE.text]


def test_an_answerers_text_without_a_sources_section_gets_one(make: Make) -> None:
    told = make(answerer=lambda **_: "A rowing boat costs 14 euros an hour [Source: LAKE-1].").turn(
        "s", ASK_HIRE, passages=LAKE
    )
    assert told.status == "ANSWERED" and told.answer.endswith("\n\nSources:\n- LAKE-1: Boat hire")


WRONG = [
    "A rowing boat costs 41 euros an hour [Source: LAKE-1].",
    "A rowing boat costs 14 euros an hour [Source: LAKE-9].\n\nSources:\n- LAKE-9: Nowhere",
    "A rowing boat costs 14 euros an hour.",
]


@pytest.mark.parametrize("text", WRONG)
def test_an_answerers_text_that_fails_the_checks_counts_as_no_answer(text: str, make: Make, store: MemoryStore) -> None:
    told = make(answerer=lambda **_: text).turn("s", ASK_HIRE, passages=LAKE)
    assert (told.answer, told.status, told.fallback) == (ABSTENTION, "UNANSWERED", True)
    assert "citation_unverified" in codes(told) and told.violations
    assert store.load("s").registry.entries == ()
    assert [one.question for one in store.load("s").ledger] == [ASK_HIRE]


HALF_WRONG = (
    "A rowing boat costs 14 euros an hour [Source: LAKE-1]. The shore sauna seats ninety guests [Source: LAKE-4]."
)


def test_of_an_answerers_text_what_passes_is_shown(make: Make) -> None:
    told = make(answerer=lambda **_: HALF_WRONG).turn("s", ASK_HIRE, passages=LAKE)
    assert told.answer == "A rowing boat costs 14 euros an hour [Source: LAKE-1].\n\nSources:\n- LAKE-1: Boat hire"
    assert (told.status, told.cited) == ("UNANSWERED", ("LAKE-1",))


def test_at_high_risk_nothing_of_it_is_shown_and_a_person_is_asked(make: Make, store: MemoryStore) -> None:
    told = make(answerer=lambda **_: HALF_WRONG, risk_level="high").turn("s", ASK_HIRE, passages=LAKE)
    assert (told.answer, told.human_review) == (ABSTENTION, True)
    assert [item.reason for item in store.load("s").reviews] == ["citation_unverified"]


def test_a_step_may_have_an_lm_of_its_own(make: Make, reader: Reader) -> None:
    own = Reader()
    told = make(lms={"cite": lm_of(own)}, retriever=lambda _: LAKE, searching=ALWAYS).turn("s", ASK_HIRE)
    assert (own.steps(), reader.steps()) == (["cite"], ["expand"])
    assert told.cited == ("LAKE-1",)


class _DownError(Exception):
    pass


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("argument", "step"), STEPS.items())
@pytest.mark.parametrize("error", [_DownError("key sk-secret"), TimeoutError("late")])
def test_a_step_that_raises_is_left_out_with_a_warning(
    error: Exception, argument: str, step: str, asynchronous: bool, make: Make, store: MemoryStore
) -> None:
    def fails(**inputs: Any) -> Any:
        raise error

    talk = _prepared(make, **{argument: fails})
    turn = talk.turn("s", ASK_HIRE, passages=LAKE) if not asynchronous else asyncio.run(
        talk.aturn("s", ASK_HIRE, passages=LAKE)
    )  # fmt: skip
    [warning] = [notice for notice in turn.warnings if notice.code == "step_failed"]
    assert step in warning.message and "sk-secret" not in warning.message
    assert store.load("s").turn == turn.turn == 2
    assert ASK_NIGHT in [one.question for one in store.load("s").ledger] or step != "carry_forward"


@pytest.mark.parametrize("rubbish", [None, 7, "", {"answer": "yes"}, [], object(), ReformulateResult])
@pytest.mark.parametrize(("argument", "step"), STEPS.items())
def test_a_step_that_returns_rubbish_is_left_out_with_a_warning(
    rubbish: Any, argument: str, step: str, make: Make, store: MemoryStore
) -> None:
    told = _prepared(make, **{argument: lambda **_: rubbish}).turn("s", ASK_HIRE, passages=LAKE)
    assert store.load("s").turn == told.turn == 2
    assert any(step in notice.message for notice in told.warnings if notice.code == "step_failed"), codes(told)


@pytest.mark.parametrize("step", ["reformulate", "expand", "cite", "carry_forward"])
@pytest.mark.parametrize("trouble", ["no JSON at all", "{}", ConnectionError("down"), TimeoutError("late")])
def test_an_lm_that_fails_costs_no_turn(
    step: str, trouble: Any, make: Make, reader: Reader, store: MemoryStore
) -> None:
    reader.trouble[step] = trouble
    talk = _prepared(make, retriever=lambda _: LAKE, searching=ALWAYS)
    told = talk.turn("s", "How much does it cost, a rowing boat?" if step == "reformulate" else ASK_HIRE)
    assert (told.turn, store.load("s").turn) == (2, 2)
    assert told.fallback and len(codes(told)) > 0
    [report] = [report for report in told.steps if report.name == step]
    assert report.fallback


@pytest.mark.parametrize("trouble", ["{}", ConnectionError("down")])
def test_a_question_that_no_lm_has_judged_is_asked_in_the_next_turn(trouble: Any, make: Make, reader: Reader) -> None:
    talk = make(retriever=lambda request: [HIRE])
    reader.trouble["cite"] = trouble
    assert talk.turn("s", ASK_HIRE).status == "UNANSWERED"
    del reader.trouble["cite"]
    _answered_at_last(talk)


@pytest.mark.parametrize("answerer", [None, lambda **_: 1 / 0, lambda **_: 7])
def test_a_question_for_which_there_was_no_answerer_is_asked_in_the_next_turn(answerer: Any, make: Make) -> None:
    talk = make(retriever=lambda request: [HIRE], answerer=answerer)
    assert talk.turn("s", ASK_HIRE).status == "UNANSWERED"
    _answered_at_last(talk)


def _answered_at_last(talk: Conversation) -> None:
    told = talk.turn("s", "Thanks!")
    assert [(one.question, one.citations) for one in told.resolved_questions] == [(ASK_HIRE, ("LAKE-1",))]


@pytest.mark.parametrize("said", ["A rowing boat costs 41 euros an hour [Source: LAKE-1].", ABSTENTION])
def test_a_question_that_was_judged_is_not_asked_again_on_the_same_evidence(
    said: str, make: Make, reader: Reader
) -> None:
    talk = make(retriever=lambda request: [HIRE], answerer=lambda **_: said)
    talk.turn("s", ASK_HIRE)
    reader.steps()
    told = talk.turn("s", "Thanks!")
    assert reader.steps() == [] and [one.question for one in told.open_questions] == [ASK_HIRE]


def test_a_failed_carry_forward_leaves_the_ledger_as_it_was_and_hands_over_the_question(
    make: Make, store: MemoryStore
) -> None:
    def fails(**inputs: Any) -> Any:
        raise _DownError

    talk = _prepared(make, carry_forward=fails)
    before = store.load("s").ledger
    told = talk.turn("s", "How deep is the lake?", passages=[HIRE, NIGHT])
    assert store.load("s").ledger == before
    [handed] = [notice.message for notice in told.warnings if notice.code == "turn_not_processed"]
    assert "How deep is the lake?" in handed


def _fails(**inputs: Any) -> Any:
    raise _DownError


@pytest.mark.parametrize("step", [_fails, lambda **_: 7, None])
def test_a_question_that_grows_old_while_carry_forward_is_down_goes_to_a_person_once(
    step: Any, make: Make, store: MemoryStore
) -> None:
    make().turn("s", ASK_NIGHT, passages=[HIRE])
    down = make(carry_forward=step)
    told = [down.turn("s", "Thanks!", passages=[HIRE]) for _ in range(5)]
    assert [turn.human_review for turn in told] == [False, False, False, True, True]
    assert [len(turn.reviews) for turn in told] == [0, 0, 0, 1, 0]
    assert ["ledger_review" in codes(turn) for turn in told] == [False, False, False, True, False]
    assert [(item.reason, item.turn) for item in store.load("s").reviews] == [("ledger_review", 5)]
    assert make().turn("s", "Thanks!", passages=[HIRE]).reviews == ()


def test_a_program_that_cannot_be_loaded_is_told_of_at_once(store: MemoryStore) -> None:
    talk = Conversation(store, lm="gguf:/nowhere/at/all.gguf")
    with pytest.raises(SetupError):
        talk.turn("s", ASK_HIRE, passages=LAKE)


def test_what_an_application_cancels_is_cancelled(make: Make, store: MemoryStore) -> None:
    async def never(**inputs: Any) -> Any:
        await asyncio.sleep(60)

    async def cancelled() -> None:
        await asyncio.wait_for(make(answerer=never).aturn("s", ASK_HIRE, passages=LAKE), 0.3)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(cancelled())
    with pytest.raises(turnkeeper.errors.UnknownSessionError):
        store.load("s")


def test_a_keyboard_interrupt_is_no_failed_step(make: Make, store: MemoryStore) -> None:
    def interrupted(**inputs: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(answerer=interrupted).turn("s", ASK_HIRE, passages=LAKE)
    with pytest.raises(turnkeeper.errors.UnknownSessionError):
        store.load("s")
