"""The guard on its own, with a two-line behaviour over a scripted engine (no real model here)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest
from dspy.lm15 import ContextLengthError, RateLimitError, Request

from turnkeeper import events
from turnkeeper.errors import InputError
from turnkeeper.modules._guard import Guard, Outcome
from turnkeeper.signatures.types import GuardedResult, Notice, Violation

from ..scripted import prompt_of


class ShoutResult(GuardedResult):
    """Result of the behaviour under test."""

    answer: str


class Shout:
    """Say it in capitals; the query is shortened once when the window overflows."""

    name = "shout"
    retries = 1
    result_type = ShoutResult

    def prepare(self, inputs: Mapping[str, Any], *, scrub: Any, risk_level: str) -> str:
        if not isinstance(inputs.get("query"), str):
            raise InputError("query must be a string")
        return scrub(inputs["query"]) if scrub else str(inputs["query"])

    def key(self, task: str) -> str:
        return task

    def settled(self, task: str) -> Outcome | None:
        return Outcome({"answer": "BLOCKED"}) if task == "secret" else None

    def program_inputs(self, task: str) -> dict[str, Any]:
        return {"query": task}

    def shrink(self, task: str) -> str | None:
        return task[:5] if len(task) > 5 else None

    def check(self, task: str, prediction: Any) -> list[Violation]:
        loud = prediction.answer.isupper()
        return [] if loud else [Violation(code="quiet", message="Write capitals.", span=prediction.answer)]

    def accept(self, task: str, prediction: Any) -> Outcome:
        return Outcome({"answer": prediction.answer})

    def fall_back(self, task: str, violations: Sequence[Violation]) -> Outcome:
        return Outcome({"answer": task}, (Notice(code="fallback_raw", message="As written."),))

    def describe(self, task: str) -> dict[str, Any]:
        return {"original": task}

    def discreet(self, task: str, text: str) -> str:
        return text


class Program(dspy.Module):  # type: ignore[misc]
    """One predictor."""

    def __init__(self) -> None:
        super().__init__()
        self.predict = dspy.Predict("query, correction_feedback -> answer")

    def forward(self, **inputs: Any) -> dspy.Prediction:
        return self.predict(**inputs)

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        return await self.predict.acall(**inputs)


def said(answer: str) -> str:
    return f"[[ ## answer ## ]]\n{answer}\n\n[[ ## completed ## ]]"


Make = Callable[..., Guard[str, ShoutResult]]


@pytest.fixture
def guarded(scripted_lm: Callable[..., dspy.LM]) -> Make:
    def make(*replies: Any, **options: Any) -> Guard[str, ShoutResult]:
        adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
        return Guard(Shout(), Program(), lm=scripted_lm(*replies, cache=False), adapter=adapter, **options)

    return make


def test_good_answer_costs_one_attempt(guarded: Make) -> None:
    result = guarded(said("HI"))(query="hi")
    assert (result.answer, result.ok, result.lm_attempts, result.fallback) == ("HI", True, 1, False)
    assert result.usage.calls == 1 and result.usage.prompt_tokens > 0


def test_violation_is_named_in_the_retry(guarded: Make) -> None:  # REF-10
    guard = guarded(said("hi"), said("HI"))
    result = guard(query="hi")
    assert result.ok and result.lm_attempts == 2
    assert "quiet: Write capitals." in prompt_of(guard.lm.engine.requests[1])


def test_two_violations_fall_back_with_the_last_one_named(guarded: Make) -> None:  # REF-10
    result = guarded(said("one"), said("two"))(query="hi")
    assert (result.answer, result.ok, result.fallback) == ("hi", False, True)
    assert [v.span for v in result.violations] == ["two"] and result.warnings[-1].code == "fallback_raw"


def test_unparsable_reply_is_a_violation_and_gets_the_retry(guarded: Make) -> None:
    guard = guarded("no fields here", said("HI"))
    result = guard(query="hi")
    assert result.ok and result.lm_attempts == 2
    assert "unparsable" in prompt_of(guard.lm.engine.requests[1])


@pytest.mark.parametrize(
    "error", [RuntimeError("boom sk-12345678901234567890"), TimeoutError("slow"), RateLimitError("busy")]
)
def test_lm_error_falls_back_without_a_second_call_and_without_its_text(guarded: Make, error: Exception) -> None:
    guard = guarded(error)
    result = guard(query="hi")
    assert result.fallback and not result.ok and guard.lm.engine.calls == 1
    assert result.warnings[0].code == "lm_error" and "sk-" not in result.model_dump_json()


def test_context_overflow_shrinks_the_task_once(guarded: Make) -> None:
    guard = guarded(ContextLengthError("too long"), said("HI"))
    result = guard(query="a long query")
    assert result.ok and "a long query" not in prompt_of(guard.lm.engine.requests[1])


def test_second_context_overflow_falls_back(guarded: Make) -> None:
    result = guarded(ContextLengthError("too long"), ContextLengthError("too long"))(query="a long query")
    assert result.fallback and result.lm_attempts == 2


def test_settled_task_asks_nobody(guarded: Make) -> None:
    guard = guarded()
    assert guard(query="secret").answer == "BLOCKED" and guard.lm.engine.calls == 0


def test_identical_turn_is_served_without_a_call(guarded: Make) -> None:
    guard = guarded(said("HI"))
    first, again = guard(query="hi"), guard(query="hi")
    assert guard.lm.engine.calls == 1 and (again.answer, again.lm_attempts, again.usage.calls) == (first.answer, 0, 0)


def test_fallback_is_never_cached(guarded: Make) -> None:
    guard = guarded(RuntimeError("down"), said("HI"))
    assert guard(query="hi").fallback and guard(query="hi").answer == "HI"


def test_scrub_comes_before_the_prompt(guarded: Make) -> None:  # REF-15
    guard = guarded(said("OK"), scrub=lambda text: text.replace("Mara", "[name]"))
    guard(query="call Mara")
    assert "Mara" not in prompt_of(guard.lm.engine.requests[0])


def test_async_behaves_like_sync(guarded: Make) -> None:
    guard = guarded(said("hi"), said("HI"))
    result = asyncio.run(guard.acall(query="hi"))
    assert result.ok and result.lm_attempts == 2


def test_sixteen_threads_do_not_mix_their_turns(guarded: Make) -> None:
    def echo(request: Request) -> str:
        text = prompt_of(request)
        return said("Q" + text.rsplit("query-", 1)[1].split()[0].upper())

    guard = guarded(*[echo] * 64)
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda n: guard(query=f"query-{n}"), range(64)))
    assert [r.answer for r in results] == [f"Q{n}" for n in range(64)]


def test_global_configuration_is_untouched(guarded: Make) -> None:
    before = (dspy.settings.lm, dspy.settings.adapter)
    guarded(said("HI"))(query="hi")
    assert (dspy.settings.lm, dspy.settings.adapter) == before


def test_nothing_of_the_turn_stays_in_dspy_history(guarded: Make) -> None:
    guard = guarded(said("HI"))
    guard(query="hi")
    assert not guard.lm.history and not guard.program.history


def test_every_turn_gives_one_event_with_its_raw_costs(guarded: Make) -> None:  # REF-12
    seen: list[Mapping[str, Any]] = []
    events.set_sink(seen.append)
    try:
        guarded(said("hi"), said("HI"))(query="hi")
    finally:
        events.set_sink(None)
    assert len(seen) == 1 and seen[0]["attempts"] == 2 and seen[0]["calls"] == 2 and seen[0]["original"] == "hi"


def test_malformed_input_of_the_application_is_an_input_error(guarded: Make) -> None:
    with pytest.raises(InputError, match="query must be a string"):
        guarded()(query=3)


def test_unknown_risk_level_is_refused(guarded: Make) -> None:
    with pytest.raises(InputError, match="'normal' or 'high'"):
        guarded(risk_level="extreme")
