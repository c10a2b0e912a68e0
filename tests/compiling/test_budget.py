"""Budgets: each limit holds, and never breaks by more than the rows in flight."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.behaviours import find
from turnkeeper.compiling import Budget, Limits
from turnkeeper.compiling.budget import PRESETS, preset
from turnkeeper.compiling.prices import usd_of
from turnkeeper.data import reformulate as golden
from turnkeeper.errors import InputError
from turnkeeper.evaluation import evaluate

from .reading import reading_lm

CALL_TOKENS = 55


def test_without_limits_everything_is_allowed() -> None:
    budget = Budget()
    budget.spend(10**6, 10**9, 10**9, 10.0**6)
    assert budget.allow() and budget.stopped is None


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(calls=3), "--max-calls 3"),
        (Limits(tokens=30), "--max-tokens 30"),
        (Limits(usd=0.5), "--max-usd 0.5"),
    ],
)
def test_a_reached_limit_is_named(limits: Limits, named: str) -> None:
    budget = Budget(limits)
    assert budget.allow()
    budget.spend(3, 20, 10, 0.5)
    assert not budget.allow() and budget.stopped == named


def test_seconds_come_from_the_clock() -> None:
    now = [0.0]
    budget = Budget(Limits(seconds=10), clock=lambda: now[0])
    assert budget.allow()
    now[0] = 10.0
    assert not budget.allow() and budget.stopped == "--max-seconds 10"


def test_more_calls_than_are_left_are_not_allowed() -> None:
    budget = Budget(Limits(calls=3))
    budget.spend(1)
    assert budget.allow(2) and not budget.allow(3)


def test_a_halt_allows_nothing_more() -> None:
    budget = Budget()
    budget.halt("interrupted")
    assert not budget.allow() and budget.stopped == "interrupted"


@pytest.mark.parametrize("limits", [Limits(calls=0), Limits(tokens=-1), Limits(seconds=0.0), Limits(usd=float("nan"))])
def test_a_limit_must_be_above_zero(limits: Limits) -> None:
    with pytest.raises(InputError, match="--max-"):
        Budget(limits)


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(InputError, match="light, medium, heavy"):
        preset("huge")
    assert list(PRESETS) == ["light", "medium", "heavy"]


def test_an_lm_in_this_process_costs_nothing() -> None:
    assert usd_of([reading_lm([])], None, None)(1000, 1000) == 0.0


def test_given_prices_are_for_a_million_tokens() -> None:
    assert usd_of([reading_lm([])], 2.0, 8.0)(1_000_000, 500_000) == pytest.approx(6.0)


def test_200_random_budgets_are_exceeded_by_the_rows_in_flight_at_most(golden_dir: Path) -> None:
    rows, behaviour, rng = golden.load("dev", golden_dir)[:8], find("reformulate"), random.Random(3)
    metric, program = behaviour.metric, behaviour.program("referents")
    for _ in range(200):
        threads = rng.choice((1, 1, 2, 4))
        limits = rng.choice(
            (Limits(calls=rng.randint(1, 12)), Limits(tokens=rng.randint(1, 600)), Limits(usd=rng.uniform(1e-6, 6e-4)))
        )
        lm = reading_lm(rows)
        budget = Budget(limits, usd_of=lambda prompt, completion: (prompt + completion) / 1e6)
        done = evaluate(
            program, rows, metric, lm=lm, adapter=get_adapter("compact"), bare=True, budget=budget, threads=threads
        )
        spent = budget.spent
        assert spent.calls == lm.engine.calls == sum(row.lm_calls for row in done.rows)
        assert limits.calls is None or spent.calls <= limits.calls + threads - 1
        assert limits.tokens is None or spent.tokens < limits.tokens + threads * CALL_TOKENS
        assert limits.usd is None or spent.usd < limits.usd + threads * CALL_TOKENS / 1e6
        assert done.complete or done.stopped == "budget"
