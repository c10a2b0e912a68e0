"""The sync and the async conversation are one: the same talk leaves the same session."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from turnkeeper.conversation import Conversation, ConversationTurn
from turnkeeper.sessions import MemoryStore

from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, HOURS, LAKE, NIGHT, Reader, lm_of

TALK: list[tuple[str, Any]] = [
    (ASK_NIGHT, [HIRE]),
    ("Which boats are there without engines?", LAKE),
    (ASK_HIRE, [HIRE]),
    ("Where did you get that from?", []),
    (ASK_HOURS, None),
    ("Engines are fine after all. When does the boathouse open?", [HOURS, NIGHT]),
    ("Thanks!", []),
]


def _talk() -> Conversation:
    return Conversation(MemoryStore(), lm=lm_of(Reader()))


def _untimed(told: ConversationTurn) -> Any:
    steps = [step.model_copy(update={"latency_ms": 0.0}) for step in told.steps]
    warnings = [w for w in told.warnings if w.code != "zero_shot"]  # they name the LM
    return told.model_copy(update={"latency_ms": 0.0, "steps": tuple(steps), "warnings": tuple(warnings)})


def _committed(talk: Conversation) -> Any:
    state = talk.state("s")
    turns = [
        turn.model_copy(update={"warnings": tuple(w for w in turn.warnings if w.code != "zero_shot")})
        for turn in state.turns
    ]
    return state.model_copy(update={"turns": tuple(turns)})


@pytest.mark.parametrize("concurrent", [False, True])
def test_the_same_talk_leaves_the_same_session(concurrent: bool) -> None:
    one, other = _talk(), _talk()
    told = [one.turn("s", query, passages=passages) for query, passages in TALK]

    async def take() -> list[ConversationTurn]:
        other._concurrent = concurrent
        return [await other.aturn("s", query, passages=passages) for query, passages in TALK]

    again = asyncio.run(take())
    assert [_untimed(turn) for turn in told] == [_untimed(turn) for turn in again]
    assert _committed(one) == _committed(other)
    assert [one.question for one in told[-1].open_questions] == [TALK[1][0]]


def test_searches_run_at_once_where_the_lm_allows() -> None:
    together = threading.Barrier(2, timeout=240)

    def search(request: Any) -> Any:
        if waiting.is_set():
            together.wait()
        return [HIRE]

    waiting = threading.Event()
    talk = Conversation(MemoryStore(), search, lm=lm_of(Reader()), concurrent=True)
    talk.turn("s", ASK_NIGHT)
    waiting.set()
    assert talk.turn("s", ASK_HIRE).turn == 2
    assert asyncio.run(talk.aturn("s", ASK_HIRE)).turn == 3


def test_the_event_loop_is_not_blocked_by_a_search() -> None:
    searching, five_ticks = threading.Event(), threading.Event()
    waited: list[bool] = []

    def search(request: Any) -> Any:
        searching.set()
        waited.append(five_ticks.wait(timeout=60))  # a loop that this call blocks never ticks
        return [HIRE]

    async def take() -> ConversationTurn:
        talk = Conversation(MemoryStore(), search, lm=lm_of(Reader()))
        turn = asyncio.create_task(talk.aturn("s", ASK_HIRE))
        ticks = 0
        while not turn.done():
            await asyncio.sleep(0.02)
            ticks += searching.is_set()
            if ticks == 5:
                five_ticks.set()
        return await turn

    assert asyncio.run(take()).cited == ("LAKE-1",)
    assert waited and all(waited)


def test_many_sessions_at_once_do_not_mix() -> None:
    talk = _talk()

    async def take() -> list[ConversationTurn]:
        return await asyncio.gather(
            *(talk.aturn(f"s{n}", (ASK_HIRE, ASK_HOURS)[n % 2], passages=LAKE) for n in range(8))
        )

    for number, told in enumerate(asyncio.run(take())):
        assert (told.session_id, told.turn, told.registry) == (
            f"s{number}",
            1,
            ((("LAKE-1",), ("LAKE-2",))[number % 2]),
        )


def test_the_sync_conversation_works_on_a_running_event_loop() -> None:
    async def answer(**inputs: Any) -> str:
        await asyncio.sleep(0)
        return "A rowing boat costs 14 euros an hour [Source: LAKE-1]."

    async def take() -> ConversationTurn:
        return Conversation(MemoryStore(), lm=lm_of(Reader()), answerer=answer).turn("s", ASK_HIRE, passages=LAKE)

    assert asyncio.run(take()).cited == ("LAKE-1",)
