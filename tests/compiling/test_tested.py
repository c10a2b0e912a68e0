"""An engine that remembers: what is asked twice, what is not. Scripted."""

from __future__ import annotations

import copy
from typing import Any

import dspy
import pytest
from dspy.lm15 import Config, Message, Request

from turnkeeper.compiling.tested import Remembering, remembered


class _Counting:
    supports_skeleton = True

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def complete(self, request: Any) -> str:
        self.asked.append(request)
        if "fail" in repr(request):
            raise RuntimeError("gone")
        return f"answer {len(self.asked)}"


def request(text: str, **options: Any) -> Request:
    return Request(model="x", messages=[Message.user(text)], config=Config(**options))


def test_the_same_request_is_asked_once() -> None:
    engine = _Counting()
    known = Remembering(engine)
    first = known.complete(request("a", temperature=0.0))
    assert (
        known.complete(request("a", temperature=0.0))
        == first
        == copy.deepcopy(known).complete(request("a", temperature=0.0))
    )
    assert known.complete(request("b", temperature=0.0)) != first
    assert known.complete(request("a", temperature=0.0, max_tokens=9)) not in (first, "answer 2")
    assert known.supports_skeleton


def test_sampled_answers_and_failures_are_not_remembered() -> None:
    engine = _Counting()
    known = Remembering(engine)
    assert known.complete(request("a", temperature=0.7)) != known.complete(request("a", temperature=0.7))
    assert known.complete(request("a")) != known.complete(request("a")), "who knows what no temperature means"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="gone"):
            known.complete(request("fail"))
    assert len(engine.asked) == 6


def test_an_lm_elsewhere_stays_as_it_is() -> None:
    lm = dspy.LM("openai/gpt-4o-mini", api_key="none")
    assert remembered(lm) is lm
