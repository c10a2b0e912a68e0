"""Whoever stops reading a streamed turn leaves no half turn, at whatever point, sync and async."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnkeeper.conversation import (
    Conversation,
    DraftText,
    StepStarted,
    StreamEvent,
)
from turnkeeper.errors import UnknownSessionError
from turnkeeper.sessions import MemoryStore, SqlStore
from turnkeeper.signatures.types import Passage

from ..streamed import streaming
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, HOURS, LAKE
from .streams import TWO, Stream, cite_says, drafts, final, read_async, read_sync, talk_of


@pytest.fixture(params=[read_sync, read_async], ids=["sync", "async"])
def stream(request: pytest.FixtureRequest) -> Stream:
    """Reads a streamed turn to its end, both ways."""
    told: Stream = request.param
    return told


class Slow(MemoryStore):
    """A store whose commits wait until they may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.committing, self.go = threading.Event(), threading.Event()

    def commit(self, **given: Any) -> Any:
        self.committing.set()
        assert self.go.wait(20)
        return super().commit(**given)


def _turns(talk: Conversation) -> int:
    try:
        return talk.state("s").turn
    except UnknownSessionError:
        return 0


STAGES = ["reformulate", "expand", "retrieve", "cite", "draft", "carry_forward"]


def _is(event: StreamEvent, stage: str) -> bool:
    return isinstance(event, DraftText) if stage == "draft" else getattr(event, "name", "") == stage


@pytest.mark.parametrize("stage", STAGES)
def test_who_stops_reading_before_the_commit_leaves_nothing_then_or_later(stage: str) -> None:
    lm = streaming(*cite_says(TWO, TWO))
    lm.engine.between = lambda number, text: time.sleep(0.001)
    talk = talk_of(lm)
    if stage == "carry_forward":  # the turn must not get past it before it is cancelled
        talk = talk_of(lm, carry_forward=lambda **inputs: time.sleep(0.3))
    with contextlib.closing(talk.stream("s", ASK_HIRE, passages=LAKE, idempotency_key="k")) as events:  # type: ignore[type-var]
        for event in events:
            if _is(event, stage):
                break
    assert _turns(talk) == 0
    _wait_for_threads()
    assert _turns(talk) == 0 and lm.engine.began == lm.engine.closed
    told = list(talk.stream("s", ASK_HIRE, passages=LAKE, idempotency_key="k"))
    assert not final(told).replayed and _turns(talk) == 1


async def slowly(**inputs: Any) -> None:
    """A carry_forward that takes its time: no commit can be on its way while the test cancels."""
    await asyncio.sleep(0.4)


@pytest.mark.parametrize("stage", STAGES)
def test_an_async_reader_that_stops_leaves_nothing_then_or_later(stage: str) -> None:
    talk = talk_of(streaming(*cite_says(TWO, TWO)), carry_forward=slowly)

    async def read() -> None:
        stream = talk.astream("s", ASK_HIRE, passages=LAKE, idempotency_key="k")
        async with contextlib.aclosing(stream) as events:  # type: ignore[type-var]
            async for event in events:
                if _is(event, stage):
                    break
        assert _turns(talk) == 0
        await asyncio.sleep(0.6)

    asyncio.run(read())
    assert _turns(talk) == 0
    told = read_async(talk, ASK_HIRE, passages=LAKE, idempotency_key="k")
    assert not final(told).replayed and _turns(talk) == 1


def test_a_cancelled_task_leaves_nothing(stream: Stream) -> None:
    talk = talk_of(streaming(*cite_says(TWO)), carry_forward=slowly)

    async def cancel() -> None:
        drafted = asyncio.Event()

        async def read() -> None:
            async for event in talk.astream("s", ASK_HIRE, passages=LAKE):
                if isinstance(event, DraftText):
                    drafted.set()

        task = asyncio.create_task(read())
        await drafted.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.6)

    asyncio.run(cancel())
    assert _turns(talk) == 0
    assert final(stream(talk, ASK_HIRE, passages=LAKE)).turn == 1


def test_a_commit_that_has_begun_comes_to_its_end_before_the_iterator_is_closed() -> None:
    store = Slow()
    talk = talk_of(streaming(*cite_says()), store)
    events: Any = talk.stream("s", ASK_HIRE, passages=LAKE, idempotency_key="k")
    while not store.committing.is_set():
        next(events)
    threading.Timer(0.2, store.go.set).start()
    events.close()
    assert _turns(talk) == 1
    assert final(read_sync(talk, ASK_HIRE, passages=LAKE, idempotency_key="k")).replayed


def test_an_async_commit_that_has_begun_comes_to_its_end_too() -> None:
    store = Slow()
    talk = talk_of(streaming(*cite_says()), store)

    async def read() -> None:
        events: Any = talk.astream("s", ASK_HIRE, passages=LAKE)
        async for event in events:
            if isinstance(event, StepStarted) and event.name == "commit":
                assert await asyncio.to_thread(store.committing.wait, 20)
                break
        asyncio.get_running_loop().call_later(0.2, store.go.set)
        await events.aclose()
        assert _turns(talk) == 1

    asyncio.run(read())


def test_a_stream_that_nobody_reads_runs_nothing() -> None:
    lm = streaming(*cite_says())
    talk = talk_of(lm)
    talk.stream("s", ASK_HIRE, passages=LAKE)
    time.sleep(0.05)
    assert lm.engine.calls == 0 and _turns(talk) == 0


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 16), min_size=1, max_size=5))
def test_readers_that_stop_anywhere_leave_a_store_that_verifies(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int]
) -> None:
    path = tmp_path_factory.mktemp("stops") / "s.db"
    with SqlStore(path) as store:
        talk = talk_of(streaming(*cite_says()), store)
        for number, stop in enumerate(stops):
            with contextlib.closing(  # type: ignore[type-var]
                talk.stream("s", [ASK_HIRE, ASK_HOURS, ASK_NIGHT][number % 3], passages=[HIRE, HOURS])
            ) as events:
                for _ in zip(range(stop), events, strict=False):
                    pass
        turns = _turns(talk)
        if turns:
            exported = talk.export("s")  # verified from its first turn on
            assert [turn.turn for turn in exported.state.turns][-1] == turns
        final(read_sync(talk, ASK_HIRE, passages=[HIRE]))
        assert _turns(talk) == turns + 1


def _wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "turnkeeper-stream":
            thread.join(20)


def test_turns_of_many_threads_do_not_mix() -> None:
    talk = talk_of(streaming(*cite_says() * 4))
    answers: dict[str, str] = {}

    def take(session: str, query: str, passage: Passage) -> None:
        told = list(talk.stream(session, query, passages=[passage]))
        assert final(told).answer.startswith(drafts(told))
        answers[session] = final(told).answer

    asked = {f"s{n}": (ASK_HIRE, HIRE) if n % 2 else (ASK_HOURS, HOURS) for n in range(6)}
    threads = [threading.Thread(target=take, args=(name, *what)) for name, what in asked.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(asked[name][1].doc_id in answer for name, answer in answers.items()) and len(answers) == 6
