"""What one call of the program asks an LM for: the inputs, and the fixed JSON where an engine can prefill it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dspy

from ..metrics._references import Mention
from ..signatures.types import Turn
from ._candidates import candidates
from ._reformulate_doubts import turn_of
from ._reformulate_plan import Plan, led_on
from ._window import quote, window

LEAN = 1.2
"""How much likelier than going on stopping may be where a query names nothing (log odds).

Chosen on train and dev rows: all that stood nearer than this needed the conversation, and no topic shift stood so near
(the nearest was at 1.5).
"""
_UNSUPPORTED = ("unsupported_term", "unsupported_reference")
_LOST = ("dropped_term", "not_single_utterance", "answered", "too_long", "unsupported_term")
_ANYTHING = Mention("", 0, 0, "pronoun")
_PRONOUNS = ("he", "she", "it", "they", "him", "them", "his", "her", "its", "their")


@dataclass(frozen=True)
class Request:
    """One call: the plan, the turn, and what was wrong with the answer before ("" at first)."""

    decided: Plan
    query: str
    history: Sequence[Turn]
    feedback: str

    @cached_property
    def open(self) -> tuple[int, ...]:
        """The indices of the mentions that a model has to resolve; a rewrite is always open."""
        if self.decided.ask != "referents":
            return (0,)
        picked = {number for number, _ in self.decided.picked}
        return tuple(number for number in range(len(self.decided.mentions)) if number not in picked)

    def choices(self, number: int) -> list[str]:
        """Return the phrases that a mention may stand for when the feedback is about it; none at first."""
        mention = self.decided.mentions[number]
        if not self.feedback or not self._blamed(mention):
            return []
        return candidates(mention, self.query, self.history)

    @cached_property
    def led(self) -> Plan:
        """The plan for this call: after a rewrite that lost the user's words, one that begins with them."""
        return led_on(self.decided) if any(code in self.feedback for code in _LOST) else self.decided

    @cached_property
    def topics(self) -> list[str]:
        """Return what a query that names nothing may be about, once a free continuation has failed a check."""
        if not self.feedback or not self.led.go_on:
            return []
        return candidates(_ANYTHING, self.query, self.history)

    def guess(self, number: int) -> str:
        """Return the likeliest phrase by rule when the second answer does not fit a mention either, else ""."""
        if not self.feedback:
            return ""
        return next(iter(candidates(self.decided.mentions[number], self.query, self.history)), "")

    def invented(self, referent: str) -> bool:
        """Whether a second answer brings words of nowhere again, after the first was refused for such words."""
        return any(code in self.feedback for code in _UNSUPPORTED) and turn_of(referent, self.history) is None

    def _blamed(self, mention: Mention) -> bool:
        named = any(f"{quote}{mention.text}{quote}" in self.feedback for quote in "'`")
        return named or any(code in self.feedback for code in (*_UNSUPPORTED, "too_long", "unparsable"))


def asked_of(request: Request) -> dict[str, Any]:
    """Return the inputs of the predictor, with the JSON that an engine may prefill where the adapter knows how."""
    decided, numbers = request.decided, request.open
    inputs: dict[str, Any] = {
        "history": quote(window(request.history, request.query)),
        "query": " ".join(decided.query.split()),
        "correction_feedback": request.feedback,
    }
    choices: list[list[str]] = []
    if decided.ask == "referents":
        inputs["mentions"] = [decided.mentions[number].text for number in numbers]
        choices = [request.choices(number) for number in numbers]
        said = [_offered(text, found) for text, found in zip(inputs["mentions"], choices, strict=True) if found]
        inputs["correction_feedback"] = " ".join([request.feedback, *said]).strip()
    # Only an adapter that says so knows what a skeleton is; others would hand it to the LM as an option.
    if not getattr(dspy.settings.adapter, "takes_skeleton", False):
        return inputs
    config: dict[str, Any] = {}
    if decided.ask == "referents":
        config["skeleton"] = _referents(inputs["mentions"], choices)
    elif request.led.kept:
        config["skeleton"] = _continued(request.led, request.topics)
    if decided.ask == "rewrite" and "residual_reference" in request.feedback:
        config["banned_words"] = list(_PRONOUNS)
    return {**inputs, "config": config} if config else inputs


def _offered(mention: str, found: Sequence[str]) -> str:
    return f"`{mention}` may stand for {'; '.join(found)}."


def _referents(mentions: Sequence[str], choices: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    skeleton: list[dict[str, Any]] = []
    lead = '{"referents": ['
    for mention, found in zip(mentions, choices, strict=True):
        hole: dict[str, Any] = {"max_tokens": 40, "stop": '"'}
        if found:
            hole["choices"] = [_inside(text) for text in found]
        skeleton += [{"text": f'{lead}{{"mention": "{_inside(mention)}", "referent": "'}, {"hole": hole}]
        lead = '"}, '
    return [*skeleton, {"text": '"}]}'}]


def _continued(decided: Plan, topics: Sequence[str]) -> list[dict[str, Any]]:
    start = {"text": f'{{"standalone_query": "{_inside(decided.kept)}'}
    if topics:
        link = {"max_tokens": 4, "stop": " ", "choices": list(decided.go_on)}
        topic = {"max_tokens": 40, "stop": '"', "choices": [_inside(text) for text in topics]}
        return [start, {"hole": link}, {"text": " "}, {"hole": topic}, {"text": '"}'}]
    hole: dict[str, Any] = {"max_tokens": 120, "stop": '"'}
    if decided.go_on:
        hole.update(choices=list(decided.go_on), open=True, lean=LEAN)
    return [start, {"hole": hole}, {"text": '"}'}]


def _inside(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
