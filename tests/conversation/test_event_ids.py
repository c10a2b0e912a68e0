"""What the behaviours tell of a turn carries its session, tenant and number, and nothing else does."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from turnkeeper import events
from turnkeeper.conversation import Conversation
from turnkeeper.loading import load
from turnkeeper.sessions import MemoryStore

from ..streamed import streaming
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, HOURS, LAKE, Reader, lm_of

STEPS = ["reformulate", "expand", "cite", "carry_forward"]


@pytest.fixture
def told() -> Iterator[list[dict[str, Any]]]:
    seen: list[dict[str, Any]] = []
    events.set_sink(lambda event: seen.append(dict(event)))
    yield seen
    events.set_sink(None)


def ids(event: dict[str, Any]) -> tuple[Any, ...]:
    return event.get("session_id"), event.get("tenant"), event.get("turn")


def talk_of(**options: Any) -> Conversation:
    return Conversation(MemoryStore(), lm=lm_of(Reader()), **options)


def test_every_step_of_a_turn_tells_whose_it_is(told: list[dict[str, Any]]) -> None:
    talk = talk_of()
    talk.turn("s1", ASK_HIRE, tenant="north", passages=LAKE)
    talk.turn("s1", ASK_HOURS, tenant="north", passages=LAKE)
    assert [event["event"] for event in told] == STEPS * 2
    assert [ids(event) for event in told] == [("s1", "north", 1)] * 4 + [("s1", "north", 2)] * 4


def test_nothing_stays_bound_after_a_turn_that_failed_or_was_given_up(told: list[dict[str, Any]]) -> None:
    class Broken(MemoryStore):
        def commit(self, **given: Any) -> Any:
            raise ValueError("away")

    talk = Conversation(Broken(), lm=lm_of(Reader()))
    with pytest.raises(ValueError, match="away"):
        talk.turn("s1", ASK_HIRE, passages=LAKE)
    for event in talk.stream("s1", ASK_HIRE, passages=LAKE):
        if getattr(event, "name", "") == "cite":
            break
    told.clear()
    load("reformulate", lm_of(Reader()))(history=[], query="Is it cold?")
    events.emit("mine")
    assert [ids(event) for event in told] == [(None, None, None)] * 2


def test_alert_and_step_of_one_turn_can_be_joined(told: list[dict[str, Any]]) -> None:
    reader = Reader(facts={"rowing boat": HIRE.text})
    reader.trouble["cite"] = json.dumps({"answer": "A rowing boat costs 99 crowns [1]."})
    Conversation(MemoryStore(), lm=lm_of(reader)).turn("s7", ASK_HIRE, passages=[HIRE])
    alert = next(event for event in told if event["event"] == "cite_alert")
    cite = next(event for event in told if event["event"] == "cite")
    assert ids(alert) == ids(cite) == ("s7", "default", 1)


@pytest.mark.parametrize("how", ["threads", "tasks", "streams", "async streams"])
def test_turns_at_the_same_time_do_not_mix(told: list[dict[str, Any]], how: str) -> None:
    lm = streaming(*[Reader()] * 400)
    talk = Conversation(MemoryStore(), lm=lm, concurrent=True)
    asked = {f"s{n}": (ASK_HIRE, ASK_HOURS, ASK_NIGHT)[n % 3] + " " * n for n in range(8)}

    async def all_at_once() -> None:
        async def take(name: str, query: str) -> None:
            if how == "tasks":
                await talk.aturn(name, query, tenant=f"t-{name}", passages=LAKE)
            else:
                async for _ in talk.astream(name, query, tenant=f"t-{name}", passages=LAKE):
                    await asyncio.sleep(0)

        await asyncio.gather(*(take(name, query) for name, query in asked.items()))

    def take(name: str, query: str) -> None:
        if how == "threads":
            talk.turn(name, query, tenant=f"t-{name}", passages=LAKE)
        else:
            list(talk.stream(name, query, tenant=f"t-{name}", passages=LAKE))

    if how in ("tasks", "async streams"):
        asyncio.run(all_at_once())
    else:
        threads = [threading.Thread(target=take, args=one) for one in asked.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(told) == 4 * len(asked)
    by_session = {name: [event for event in told if event["session_id"] == name] for name in asked}
    for name, query in asked.items():
        assert sorted(event["event"] for event in by_session[name]) == sorted(STEPS)
        assert {ids(event) for event in by_session[name]} == {(name, f"t-{name}", 1)}
        first = next(event for event in by_session[name] if event["event"] == "reformulate")
        assert first["original"].strip() == query.strip()


def test_independent_searches_in_threads_of_their_own_carry_them_too(told: list[dict[str, Any]]) -> None:
    def search(request: Any) -> list[Any]:
        events.emit("searched")
        return [HIRE, HOURS]

    talk = talk_of(retriever=search, concurrent=True)
    talk.turn("s1", ASK_NIGHT)
    told.clear()
    talk.turn("s1", ASK_HIRE)  # searches for the question of now and for the open one, at once
    searched = [event for event in told if event["event"] == "searched"]
    assert len(searched) >= 2 and {ids(event) for event in searched} == {("s1", "default", 2)}


def test_they_are_no_text_and_go_to_the_log_as_one_line(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNKEEPER_LOG_TEXT", "0")
    with caplog.at_level(logging.INFO, logger="turnkeeper"):
        talk_of().turn("s1", ASK_HIRE, tenant="north", passages=LAKE)
    lines = [json.loads(record.message) for record in caplog.records if record.message.startswith("{")]
    assert [ids(line) for line in lines] == [("s1", "north", 1)] * 4
    assert not any("rowing" in json.dumps(line) for line in lines)


def test_a_redactor_does_not_see_them(told: list[dict[str, Any]]) -> None:
    events.set_redactor(lambda text: "[redacted]")
    try:
        talk_of().turn("s1", ASK_HIRE, tenant="north", passages=LAKE)
    finally:
        events.set_redactor(None)
    assert {ids(event) for event in told} == {("s1", "north", 1)}


def test_what_an_event_says_itself_comes_first(told: list[dict[str, Any]]) -> None:
    with events.bound(session_id="s1", turn=3), events.bound(turn=4):
        events.emit("mine", turn=5)
        events.emit("yours")
    events.emit("theirs")
    assert [(e.get("session_id"), e.get("turn")) for e in told] == [("s1", 5), ("s1", 4), (None, None)]
