"""Random turns against the ledger: a sample of `benchmarks/ledger_state_machine.py`, and proof that it would notice."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from turnkeeper.metrics._ledger import LedgerTurn
from turnkeeper.signatures.carry_forward import LedgerPolicy

_FOLDER = str(Path(__file__).parents[2] / "benchmarks")


def _bench() -> Any:
    sys.path.insert(0, _FOLDER)
    try:
        return importlib.import_module("ledger_state_machine")
    finally:
        sys.path.remove(_FOLDER)


bench = _bench()


class Conversation(RuleBasedStateMachine):
    """A conversation whose every turn hypothesis draws."""

    @initialize(
        review_open=st.integers(1, 8),
        review_age=st.integers(0, 9),
        most=st.none() | st.integers(1, 12),
        seed=st.integers(),
    )
    def start(self, review_open: int, review_age: int, most: int | None, seed: int) -> None:
        policy = LedgerPolicy(review_open=review_open, review_age=review_age, max_attempts=most)
        self.walk = bench.Walk(random.Random(seed), policy)

    @rule(pick=st.randoms(use_true_random=False))
    def turn(self, pick: random.Random) -> None:
        self.walk.random = pick
        assert self.walk.take() == []


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=40, stateful_step_count=50, deadline=None)


def test_two_thousand_turns() -> None:
    counts, broken = bench.play(2_000, seed=7)
    assert broken == []
    assert counts["turns"] == 2_000 and counts["entered"] > 300 and counts["resolved"] > 50 and counts["alerts"] > 10
    assert counts["namesakes"] > 100


def _sabotage(change: Callable[[LedgerTurn], LedgerTurn]) -> Callable[..., LedgerTurn]:
    """Break every third turn alone, so that there is something to be broken."""
    right = bench.outcome
    return lambda **given: change(right(**given)) if given["turn"] % 3 == 0 else right(**given)


def _each(**fields: Any) -> Callable[[LedgerTurn], LedgerTurn]:
    def change(turn: LedgerTurn) -> LedgerTurn:
        return turn._replace(ledger=tuple(entry.model_copy(update=fields) for entry in turn.ledger))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t._replace(ledger=t.ledger[1:]), "is lost"),
        (lambda t: t._replace(ledger=(*t.ledger, *t.ledger[:1])), "doubled"),
        (lambda t: t._replace(ledger=tuple(e for e in t.ledger if e.question_id != t.entered)), "swallowed"),
        (_each(question="Who?"), "altered"),
        (_each(first_asked_turn=1), "altered"),
        (_each(attempts=99), "jump"),
        (_each(missing_evidence="?"), "changed the ledger"),
        (lambda t: t._replace(human_review=not t.human_review), "review"),
        (lambda t: t._replace(raised=not t.raised), "review"),
    ],
)
def test_what_would_be_broken_is_noticed(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[LedgerTurn], LedgerTurn], words: str
) -> None:
    monkeypatch.setattr(bench, "outcome", _sabotage(change))
    _, broken = bench.play(200, seed=3)
    assert any(words in one for one in broken)
