"""Questions that look alike: what must stay two, and what is one when the policy says so."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.errors import SetupError
from turnkeeper.metrics import _near_duplicates
from turnkeeper.metrics._ledger import Asked, after_turn
from turnkeeper.metrics._near_duplicates import near
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import Exclusion, OpenQuestion

pytest.importorskip("rapidfuzz", reason="needs pip install 'turnkeeper[near-duplicates]'")

TWO = [
    ("Which flights to Oslo leave on 3 May?", "Which flights to Oslo leave on 8 May?"),
    ("How much is a room with breakfast?", "How much is a room without breakfast?"),
    ("Who opens the boathouse?", "When opens the boathouse?"),
    ("Does the ferry leave before the bus?", "Does the bus leave before the ferry?"),
    ("How long is the path from Brekka to Hovde?", "How long is the path from Hovde to Brekka?"),
    ("Is the sauna open on Sundays?", "Is the sauna not open on Sundays?"),
    ("Which rooms can I book?", "Which rooms can't I book?"),
    ("When does the museum open?", "When did the museum open?"),
    ("What does a kayak cost before noon?", "What does a kayak cost after noon?"),
    ("What is the minimum deposit?", "What is the maximum deposit?"),
    ("When does the shop open?", "When does the shop close?"),
    ("Who is Anna Brandt?", "Who is Anna Brand?"),
    ("Who runs the mill in Larchfield?", "Who runs the mill in Larkfield?"),
    ("What does the Pro plan cost?", "What does the Plus plan cost?"),
    ("Which version runs on Windows 10?", "Which version runs on Windows 11?"),
    ("Does version 2.1 support export?", "Does version 2.10 support export?"),
    ("How many guests does it seat?", "How much guests does it seat?"),
    ("Can children under 12 swim here?", "Can children over 12 swim here?"),
    ("Is parking free for guests and staff?", "Is parking free for guests or staff?"),
    ("What is my deposit?", "What is your deposit?"),
    ("Do only members get a key?", "Do members only get a key?"),
    ("Are dogs allowed in the hall?", "Are dogs allowed on the hall?"),
    ("Is it sold in the US?", "Is it sold to us?"),
    ("How far is it from the pier?", "How far is it to the pier?"),
    ("What is the fee for entry?", "What is the fee for exit?"),
    ("How is the form signed?", "How is the farm signed?"),
    ("What is the code of room A?", "What is the code of room B?"),
    ("Must I pay the fee?", "May I pay the fee?"),
    ("Is the hall heated in May?", "Is the hall heated in March?"),
    ("What is excluded except flood damage?", "What is excluded including flood damage?"),
    ("Welche Zimmer haben ein Bad?", "Welche Zimmer haben kein Bad?"),
]
ONE = [
    ("How much is the deposit for a tandem?", "How much is the deposit for a tandem, please?"),
    ("When does the ferry leave?", "Could you tell me when the ferry leaves?"),
    ("What is the deposit for a kayak?", "What is the deposite for a kayak?"),
    ("Are dogs allowed on the trail?", "Are dogs allowed on the trails?"),
    ("What is the wifi password?", "what's the wifi password"),
    ("When does the sauna open?", "So, when does the sauna open?"),
    ("How long is the boat tour?", "How long is boat tour?"),
    ("Who runs the mill?", "Hi, who runs the mill?"),
    ("Do you know how deep the harbour is?", "I'd like to know how deep the harbour is."),
    ("When does the check-in start?", "When does the check in start?"),
    ("Which rooms aren't heated?", "Which rooms are not heated?"),
    ("Is the restaurant open in winter?", "Is the restuarant open in winter?"),
]
ON = LedgerPolicy(near_duplicates=True)


def _ledger(question: str, **more: Any) -> tuple[OpenQuestion, ...]:
    return (OpenQuestion(question_id="q1", question=question, missing_evidence="it", first_asked_turn=1, **more),)


@pytest.mark.parametrize(("before", "now"), TWO)
def test_what_only_looks_alike_stays_two(before: str, now: str) -> None:
    assert near(_ledger(before), now) is None and near(_ledger(now), before) is None
    assert len(after_turn(_ledger(before), turn=2, asked=Asked(now, "it"), policy=ON).ledger) == 2


@pytest.mark.parametrize(("before", "now"), ONE)
def test_what_asks_the_same_is_one_and_keeps_its_first_words(before: str, now: str) -> None:
    assert near(_ledger(now), before) is not None
    turn = after_turn(_ledger(before), turn=2, asked=Asked(now, "it"), policy=ON)
    assert [(one.question, one.attempts, one.first_asked_turn) for one in turn.ledger] == [(before, 2, 1)]
    assert turn.entered == "q1"


@pytest.mark.parametrize(("before", "now"), ONE)
def test_without_the_policy_both_stay(before: str, now: str) -> None:
    assert len(after_turn(_ledger(before), turn=2, asked=Asked(now, "it")).ledger) == 2


def test_the_same_words_about_something_else_are_another_question() -> None:
    ledger = _ledger("What does it cost?", standalone_query="What does a kayak cost?")
    assert near(ledger, "What does it cost please?", "What does a tandem cost?") is None
    assert near(ledger, "What does it cost please?", "What does a kayak cost?") is not None


def test_what_is_ruled_out_tells_two_questions_apart() -> None:
    ledger = _ledger("Which boats are there?", exclusions=(Exclusion(phrase="engines"),))
    assert near(ledger, "Which boats are there please?") is None
    assert near(ledger, "Which boats are there please?", exclusions=[Exclusion(phrase="Engines")]) is not None


def test_a_question_that_was_given_up_takes_no_other_one_in() -> None:
    assert near(_ledger("Who runs the mill?", status="unresolvable"), "Hi, who runs the mill?") is None


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(_near_duplicates, "import_module", missing)
    _near_duplicates._ratio.cache_clear()
    try:
        with pytest.raises(SetupError, match=r"pip install 'turnkeeper\[near-duplicates\]'"):
            Conversation(MemoryStore(), policy=ON)
        Conversation(MemoryStore(), policy=LedgerPolicy())
    finally:
        _near_duplicates._ratio.cache_clear()
