"""Which messages of a history are masked, and when."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnkeeper import events
from turnkeeper.modules import _masking, _reformulate_rules
from turnkeeper.modules._masking import NEWEST, answers_with_mask, mask_history, names_mask
from turnkeeper.modules._reformulate_rules import ReformulateBehaviour
from turnkeeper.signatures.types import AccessScope, Turn

SCOPE = AccessScope(restricted_terms=["Osmund"])


def talk(count: int) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", content=f"Osmund note {n}") for n in range(count)]


def prepared(history: list[Turn], query: str = "is it open?") -> Any:
    inputs = {"history": history, "query": query, "access_scope": SCOPE}
    return ReformulateBehaviour().prepare(inputs, scrub=None, risk_level="normal")


def test_messages_keep_their_places() -> None:
    masked = mask_history(talk(4), "is it open?", SCOPE)
    assert [turn.content for turn in masked] == [f"[restricted] note {n}" for n in range(4)]


def test_no_message_of_a_long_history_holds_a_term() -> None:
    masked = mask_history(talk(NEWEST + 50), "is it open?", SCOPE)
    assert len(masked) == NEWEST + 50 and not any("Osmund" in turn.content for turn in masked)


def test_old_message_that_the_prompt_quotes_is_masked_and_kept() -> None:
    history = [Turn(role="user", content="What is Osmund's wool levy?"), *talk(NEWEST + 20)[1:]]
    assert (
        mask_history(history, "Back to the wool levy: who pays?", SCOPE)[0].content == "What is [restricted] wool levy?"
    )


def test_history_without_restricted_terms_is_passed_on() -> None:
    history = talk(3)
    assert mask_history(history, "is it open?", AccessScope(allowed={"site": ["rye"]})) is history


def test_preparing_a_turn_and_its_cache_key_mask_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_masking, "masked", lambda *_: pytest.fail("masked too early"))
    task = prepared(talk(6))
    assert ReformulateBehaviour().key(task)


def test_window_of_the_event_is_built_when_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    task, asked = prepared(talk(2)), list[str]()
    real = _reformulate_rules.window
    monkeypatch.setattr(_reformulate_rules, "window", lambda *given: asked.append("window") or real(*given))
    fields = ReformulateBehaviour().describe(task)
    events.emit("reformulate", **fields)
    assert not asked
    seen: list[Any] = []
    events.set_sink(seen.append)
    try:
        events.emit("reformulate", **fields)
    finally:
        events.set_sink(None)
    assert seen[0]["window"][0]["content"] == "[restricted] note 0" and "Osmund" not in json.dumps(seen)


@pytest.mark.parametrize(
    "raw", ['["the [restricted] plan"]', '["restricted"]', '["", "[ Restricted ] one"]', "[restricted]"]
)
def test_answer_about_something_masked_is_told_apart(raw: str) -> None:
    assert answers_with_mask(raw)


@pytest.mark.parametrize("raw", ['["the restricted area"]', "[]", None, "", "5", "[[" * 5000])
def test_answer_about_something_else_is_none(raw: str | None) -> None:
    assert not answers_with_mask(raw)


def test_word_restricted_alone_in_a_phrase_is_no_mask() -> None:
    assert not names_mask("the restricted area of the port")
