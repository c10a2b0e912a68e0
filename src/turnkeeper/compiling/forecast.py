"""`--dry-run`: what a compile costs at worst, before it starts."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import dspy

from .budget import Budget, Limits
from .demos import by_predictor, choose, gold_pool, with_demos
from .options import CompileOptions
from .plan import plan_of
from .prompts import render
from .task import CompileTask

_REPLY_TOKENS = 40
"""Tokens of an answer: a query, or a few referents."""
_MOST_DEMOS = 8


class Forecast(NamedTuple):
    """Upper bounds, within the limits that were given.

    Attributes:
        programs: Zero-shot programs and candidates.
        rows: Dev rows that each is scored on.
        calls: LM calls: one a row that rules do not decide, for all programs, the teacher and the test split.
        tokens: Prompt and answer tokens, with demos.
        tokens_a_call: Mean prompt tokens of a compiled program's call.
        seconds_a_call: Measured on this machine, when an LM was asked.
        minutes: The calls at that speed; None when nothing was measured.
        limits: The limits that may end it sooner.
    """

    programs: int
    rows: int
    calls: int
    tokens: int
    tokens_a_call: int
    seconds_a_call: float | None
    minutes: float | None
    limits: Limits


def forecast(options: CompileOptions, lm: Any, *, measure: bool = True) -> Forecast:
    """Render the prompts of a compile, count them, and time one warm row.

    Args:
        options: What would be done.
        lm: The LM; it is asked a few times, and only to `measure`.
        measure: Whether to time it.
    """
    plan = plan_of(options, lm, Budget())
    task = plan.tasks[0]
    state = _with_most_demos(task)
    dev = render(task, state, task.dev)
    programs = len(plan.tasks) + plan.candidates
    calls = len(dev) * programs
    if options.optimizer in {"bootstrap", "bootstrap-rs", "mipro"}:
        calls += len(render(task, None, task.train)) * len(plan.tasks)
    calls += len(render(task, None, plan.test))
    each = round(sum(prompt.tokens(lm) for prompt in dev) / max(1, len(dev)))
    if options.limits.calls is not None:
        calls = min(calls, options.limits.calls)
    tokens = calls * (each + _REPLY_TOKENS)
    seconds = _seconds(task, state) if measure and dev else None
    if options.limits.tokens is not None:
        tokens = min(tokens, options.limits.tokens)
    minutes = None if seconds is None else calls * seconds / 60 / max(1, options.threads)
    if minutes is not None and options.limits.seconds is not None:
        minutes = min(minutes, options.limits.seconds / 60)
    return Forecast(programs, len(task.dev), calls, tokens, each, seconds, minutes, options.limits)


def _with_most_demos(task: CompileTask) -> dict[str, Any]:
    pools = sorted(by_predictor(gold_pool(task)).items())
    return with_demos(task, {name: choose(pool, _MOST_DEMOS, task.rng("forecast")) for name, pool in pools})


def _seconds(task: CompileTask, state: dict[str, Any]) -> float | None:
    """Time the second of two rows of one predictor: the first one loads the model and fills the prompt cache."""
    program = task.program(state)
    warm: set[str] = set()
    for row in task.dev:
        sent = render(task, state, [row])
        if not sent:
            continue
        started = time.perf_counter()
        with dspy.context(lm=task.lm, adapter=task.adapter, disable_history=True, trace=None):
            try:
                program(**task.behaviour.inputs(row))
            except Exception:  # an unreadable answer takes as long as a good one
                pass
        system = sent[0].messages[0][1]
        if system in warm:
            return time.perf_counter() - started
        warm.add(system)
    return None
