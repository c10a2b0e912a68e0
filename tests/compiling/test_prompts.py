"""Rendered prompts: demos are counted where they are sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import Budget, CompileOptions, CompileTask
from turnkeeper.compiling.demos import by_predictor, gold_pool, with_demos
from turnkeeper.compiling.forecast import forecast
from turnkeeper.compiling.plan import plan_of
from turnkeeper.compiling.prompts import render, rendered_demos

Options = Callable[..., CompileOptions]


def with_three(task: CompileTask) -> dict[str, Any]:
    pools = by_predictor(gold_pool(task))
    return with_demos(task, {name: pool[:3] for name, pool in pools.items()})


@pytest.mark.parametrize("adapter", ["compact", "chat", "json"])
def test_every_adapter_sends_every_demo(adapter: str, options: Options, lm: dspy.LM) -> None:
    task = plan_of(options(adapter=adapter, form="rewrite"), lm, Budget()).tasks[0]
    assert rendered_demos(task, with_three(task)) == {"rewrite": 3}
    assert lm.engine.calls == 0


@pytest.mark.parametrize("adapter", ["chat", "json"])
def test_an_incomplete_demo_does_not_count(adapter: str, options: Options, lm: dspy.LM) -> None:
    task = plan_of(options(adapter=adapter, form="rewrite"), lm, Budget()).tasks[0]
    state = with_three(task)
    state["rewrite"]["demos"][0]["correction_feedback"] = None
    assert rendered_demos(task, state)["rewrite"] == 0


def test_zero_shot_sends_none(options: Options, lm: dspy.LM) -> None:
    task = plan_of(options(), lm, Budget()).tasks[0]
    assert set(rendered_demos(task, with_demos(task, {})).values()) == {0}


def test_tokens_are_those_of_the_engine_or_estimated_from_words(options: Options, lm: dspy.LM) -> None:
    task = plan_of(options(), lm, Budget()).tasks[0]
    prompt = render(task, None, task.dev[:1])[0]
    assert prompt.tokens(lm) > 50
    lm.engine.count_tokens = lambda text: 7
    assert prompt.tokens(lm) == 7


def test_a_forecast_bounds_what_is_then_spent(options: Options, lm: dspy.LM) -> None:
    from turnkeeper.compiling import compile_program

    found = forecast(options(), lm, measure=False)
    assert lm.engine.calls == 0 and found.minutes is None
    spent = compile_program(options(), lm).budget.spent
    assert 0 < spent.calls <= found.calls


def test_a_forecast_minds_the_limits(options: Options, lm: dspy.LM) -> None:
    from turnkeeper.compiling import Limits

    found = forecast(options(limits=Limits(calls=5, tokens=100, seconds=30.0)), lm)
    assert (found.calls, found.tokens) == (5, 100)
    assert found.minutes is not None and found.minutes <= 0.5
