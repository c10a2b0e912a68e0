"""What a behaviour may tell the guard besides: how large its prompts are, what to make of answers that failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dspy
import pytest
from dspy.lm15 import ContextLengthError

from turnkeeper.modules._guard import MOST_CUTS, Guard, Outcome, Seen
from turnkeeper.signatures.types import Notice

from ..scripted import prompt_of
from .test_guard import Make, Program, Shout, ShoutResult, said


class Shrinking(Shout):
    """As the behaviour under test, but a letter is cut each time; what is left of failed answers is shown."""

    def shrink(self, task: str) -> str | None:
        return task[:-1] if len(task) > 1 else None

    def prompt_bytes(self, task: str) -> int:
        return 100 * len(task)

    def best_effort(self, task: str, seen: Sequence[Seen]) -> Outcome | None:
        said = [one.prediction.answer for one in seen]
        return None if "nothing" in said else Outcome({"answer": "; ".join(said)}, (Notice(code="best", message="."),))


@pytest.fixture
def shrinking(scripted_lm: Callable[..., dspy.LM]) -> Make:
    def make(*replies: Any, **options: Any) -> Guard[str, ShoutResult]:
        adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
        return Guard(Shrinking(), Program(), lm=scripted_lm(*replies, cache=False), adapter=adapter, **options)

    return make


def test_overflows_shrink_until_it_fits(shrinking: Make) -> None:
    guard = shrinking(*[ContextLengthError("too long")] * 4, said("HI"))
    result = guard(query="abcdefgh")
    assert result.ok and result.lm_attempts == 5 and "abcde" not in prompt_of(guard.lm.engine.requests[4])


def test_overflows_without_end_are_given_up(shrinking: Make) -> None:
    guard = shrinking(*[ContextLengthError("too long")] * 50)
    assert guard(query="x" * 40).fallback and guard.lm.engine.calls == MOST_CUTS + 1


def test_a_known_window_is_kept_before_the_call(shrinking: Make) -> None:
    guard = shrinking(said("HI"))
    guard.lm.engine.n_ctx = 400  # 200 for the answer, and about four letters to a token
    assert guard(query="abcdefgh").ok and guard.lm.engine.calls == 1
    assert "abcdefgh" not in prompt_of(guard.lm.engine.requests[0]) and "abcd" in prompt_of(guard.lm.engine.requests[0])


def test_the_answers_that_failed_are_shown_to_the_behaviour(shrinking: Make) -> None:
    result = shrinking(said("one"), said("two"))(query="hi")
    assert (result.answer, result.ok, result.fallback) == ("one; two", False, True)
    assert [w.code for w in result.warnings] == ["best"] and [v.span for v in result.violations] == ["two"]


def test_without_anything_to_show_it_is_the_fallback(shrinking: Make) -> None:
    assert shrinking(said("one"), said("nothing"))(query="hi").warnings[-1].code == "fallback_raw"
    assert shrinking(RuntimeError("down"))(query="hi").warnings[-1].code == "fallback_raw"
