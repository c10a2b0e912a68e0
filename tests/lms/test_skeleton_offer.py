"""Holes with an offer: a text that the model begins with where it is nearly as likely as all else. Scripted minds."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest

from turnkeeper.lms._skeleton import parse

from .test_skeleton_choices import real, saying, value


def offered(bias: float, text: str = "none:", start: str = "") -> list[dict[str, Any]]:
    written = {"max_tokens": 8, "stop": '"', "offer": {"text": text, "bias": bias}}
    return [{"text": f'{{"value": "{start}'}, {"hole": written}, {"text": '"}'}]


@pytest.mark.parametrize(("bias", "taken"), [(1.9, False), (2.1, True), (-50.0, False), (1e9, True)])
def test_the_bias_is_added_to_the_log_odds_of_the_first_token(bias: float, taken: bool) -> None:
    mind = saying(('": "', {b"y": 3.0, b"n": 1.0}), ("none:", {b"x": 5.0}))
    assert value(mind, offered(bias)) == ("none:x" if taken else "y")


def test_all_else_weighs_together_against_the_offer() -> None:
    mind = saying(('": "', {b"y": 3.0, b"z": 3.0, b"n": 1.0}), ("none:", {b'"': 5.0}))  # 3 + ln 2
    assert value(mind, offered(2.5)) == "y"
    assert value(mind, offered(2.8)) == "none:"


def test_a_model_that_offers_it_itself_writes_it_once() -> None:
    mind = saying(('": "', {b"n": 9.0, b"y": 1.0}), ("none:", {b'"': 5.0}))
    assert value(mind, offered(0.0)) == "none:"


def test_behind_a_space_the_offer_carries_it() -> None:
    mind = saying(("so", {b" It": 1.0, b" ": 2.0}), ("It", {b'"': 5.0}))
    assert value(mind, offered(1.5, text="It", start="so ")) == "so It"


@pytest.mark.parametrize(
    "offer",
    ["none", {"text": "x"}, {"text": "", "bias": 1}, {"text": "x", "bias": "1"}, {"text": "x", "bias": True},
     {"text": 'a "b', "bias": 1}, {"text": "x" * 999, "bias": 1}, {"text": "x", "bias": 1, "more": 2}],
)  # fmt: skip
def test_an_offer_that_cannot_be_used_is_refused(offer: Any) -> None:
    with pytest.raises(ValueError, match="element 0"):
        parse([{"hole": {"offer": offer}}])


@pytest.mark.light
def test_a_real_model_takes_an_offer_by_its_bias_alone(light_lm: dspy.LM) -> None:
    taken, left = (json.loads(real(light_lm, offered(bias, "MISSING:")))["value"] for bias in (1e9, -1e9))
    assert taken.startswith("MISSING:") and not left.startswith("MISSING:")
