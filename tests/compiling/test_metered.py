"""Metered LMs: every call is allowed, counted and remembered, in copies too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from turnkeeper.compiling import Budget, JsonlJournal, Limits
from turnkeeper.compiling._metered import BudgetSpentError, ask_text, metered

from ..scripted import scripted
from .reading import proposing_lm


def test_calls_and_tokens_are_counted() -> None:
    budget = Budget()
    lm = metered(proposing_lm("Look twice."), budget)
    assert ask_text(lm, "What now?") == "```\nLook twice.\n```"
    assert (budget.spent.calls, budget.spent.tokens) == (1, 18)


def test_a_copy_counts_too_and_the_original_does_not() -> None:
    budget, plain = Budget(), proposing_lm("x")
    lm = metered(plain, budget)
    lm.copy(temperature=0.5)("again")
    plain("uncounted")
    assert budget.spent.calls == 1


def test_beyond_the_limit_nothing_is_asked() -> None:
    plain = proposing_lm("x")
    lm = metered(plain, Budget(Limits(calls=2)))
    lm("one")
    lm("two")
    with pytest.raises(BudgetSpentError, match="--max-calls 2"):
        lm("three")
    assert plain.engine.calls == 2 and lm._meter.budget.failed == 0, "a limit is no failure of the LM"


def test_a_failed_call_is_a_call() -> None:
    budget = Budget()
    lm = metered(scripted(ValueError("down")), budget)
    with pytest.raises(Exception, match="down"):
        lm("one")
    assert budget.spent.calls == budget.failed == 1


def test_an_awaited_call_counts() -> None:
    budget = Budget()
    lm = metered(scripted("yes"), budget)
    assert asyncio.run(lm.acall("one")) == ["yes"]
    assert budget.spent.calls == 1


def test_a_remembered_reply_costs_nothing(tmp_path: Path) -> None:
    budget, plain = Budget(Limits(calls=1)), proposing_lm("first", "second")
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        lm = metered(plain, budget, journal)
        assert lm("one") == lm("one")
        with pytest.raises(BudgetSpentError):
            lm("another")
    assert plain.engine.calls == budget.spent.calls == 1
