"""Turns of one session that come at once: each is taken, once, in the order they came; other sessions do not wait."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from turnkeeper._turn import queues
from turnkeeper._turn.work import Done, Work, adrive
from turnkeeper.conversation import Conversation, ConversationTurn
from turnkeeper.sessions import MemoryStore, SessionExport, SqlStore

from .conftest import Make
from .reading import ASK_HIRE, LAKE, Reader, lm_of

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs fork of POSIX")


def _questions(count: int, name: str = "") -> list[str]:
    return [f"{ASK_HIRE} ({name}{number})" for number in range(count)]


def _queries(found: SessionExport) -> list[str]:
    assert [line.turn for line in found.log] == list(range(1, len(found.log) + 1))
    return [line.record.query for line in found.log if line.record]


def _at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run calls in threads of their own that start together; an error is a result."""
    start, results = threading.Barrier(len(calls)), [None] * len(calls)

    def run(place: int) -> None:
        start.wait(30)
        try:
            results[place] = calls[place]()
        except BaseException as error:
            results[place] = error  # type: ignore[call-overload]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    return results


def test_fifty_turns_of_one_session_on_an_event_loop_are_taken_in_their_order(tmp_path: Path) -> None:
    asked = _questions(50)
    with SqlStore(tmp_path / "s.db") as store:
        reader = Reader()
        talk = Conversation(store, lm=lm_of(reader))

        async def take() -> list[ConversationTurn]:
            return await asyncio.gather(*(talk.aturn("s", query, passages=LAKE) for query in asked))

        told = asyncio.run(take())
        found = store.export("s")
    assert [turn.turn for turn in told] == list(range(1, 51))
    assert _queries(found) == asked
    assert reader.steps().count("cite") == 50  # nobody's work was done twice
    assert len(talk._talk.queues) == 0


def test_twenty_threads_at_once_are_all_taken(tmp_path: Path) -> None:
    asked = _questions(20)
    with SqlStore(tmp_path / "s.db") as store:
        reader = Reader()
        talk = Conversation(store, lm=lm_of(reader))
        told = _at_once([lambda q=q: talk.turn("s", q, passages=LAKE) for q in asked])  # type: ignore[misc]
        found = store.export("s")
    assert sorted(turn.turn for turn in told) == list(range(1, 21))
    assert sorted(_queries(found)) == sorted(asked)
    assert reader.steps().count("cite") == 20 and len(talk._talk.queues) == 0


def test_threads_and_event_loops_share_one_queue() -> None:
    reader = Reader()
    talk = Conversation(MemoryStore(), lm=lm_of(reader))

    async def take(name: str) -> list[ConversationTurn]:
        return await asyncio.gather(*(talk.aturn("s", q, passages=LAKE) for q in _questions(5, name)))

    calls: list[Callable[[], Any]] = [lambda n=n: asyncio.run(take(n)) for n in ("a", "b", "c")]  # type: ignore[misc]
    calls += [lambda q=q: talk.turn("s", q, passages=LAKE) for q in _questions(5, "t")]  # type: ignore[misc]
    told = _at_once(calls)
    assert not [one for one in told if isinstance(one, BaseException)]
    wanted = [q for name in "abct" for q in _questions(5, name)]
    assert sorted(_queries(talk.export("s"))) == sorted(wanted)
    assert reader.steps().count("cite") == 20


def _race(path: str, name: str, results: Any) -> None:
    with SqlStore(path) as store:
        talk = Conversation(store, lm=lm_of(Reader()))
        told = _at_once(
            [
                lambda w=w: [  # type: ignore[misc]
                    talk.turn("s", f"{ASK_HIRE} ({name}-{w}-{n})", passages=LAKE, idempotency_key=f"{name}-{w}-{n}")
                    for n in range(5)
                ]
                for w in range(4)
            ]
        )
    results.put([repr(one) for one in told if isinstance(one, BaseException)])


@POSIX
def test_three_processes_of_twenty_turns_each_on_one_session(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    SqlStore(path).close()
    context = get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=_race, args=(path, name, results)) for name in "abc"]
    for worker in workers:
        worker.start()
    failed = [error for _ in workers for error in results.get(timeout=300)]
    for worker in workers:
        worker.join()
    assert failed == []
    with SqlStore(path) as store:
        found = store.export("s")
    keys = [f"{name}-{thread}-{number}" for name in "abc" for thread in range(4) for number in range(5)]
    assert sorted(str(line.idempotency_key) for line in found.log) == sorted(keys)
    assert sorted(_queries(found)) == sorted(f"{ASK_HIRE} ({key})" for key in keys)
    assert [entry.doc_id for entry in found.state.registry.entries] == ["LAKE-1"]


def test_turns_of_different_sessions_run_at_the_same_time(make: Make) -> None:
    together = threading.Barrier(2, timeout=10)

    def search(request: Any) -> Any:
        together.wait()
        return LAKE

    talk = make(retriever=search)
    told = _at_once([lambda n=n: talk.turn(n, ASK_HIRE) for n in ("a", "b")])  # type: ignore[misc]
    assert [turn.turn for turn in told] == [1, 1]

    async def take() -> list[ConversationTurn]:
        return await asyncio.gather(*(talk.aturn(name, ASK_HIRE) for name in ("a", "b")))

    assert [turn.turn for turn in asyncio.run(take())] == [2, 2]


def test_an_event_loop_goes_on_while_a_turn_waits_for_a_thread(make: Make) -> None:
    inside, release = threading.Event(), threading.Event()

    def search(request: Any) -> Any:
        inside.set()
        release.wait(30)
        return LAKE

    talk = make(retriever=search)
    thread = threading.Thread(target=talk.turn, args=("s", ASK_HIRE))
    thread.start()
    assert inside.wait(10)

    async def take() -> float:
        waiting = asyncio.create_task(talk.aturn("s", ASK_HIRE, passages=LAKE))
        longest, last = 0.0, time.perf_counter()
        for _ in range(20):
            await asyncio.sleep(0.01)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        assert not waiting.done()
        release.set()
        assert (await waiting).turn == 2
        return longest

    assert asyncio.run(take()) < 0.5
    thread.join(10)


def _held(make: Make) -> tuple[Conversation, threading.Event, threading.Event]:
    """Return a conversation whose first search waits for the second event, having set the first."""
    inside, release = threading.Event(), threading.Event()

    def search(request: Any) -> Any:
        inside.set()
        release.wait(30)
        return LAKE

    return make(retriever=search), inside, release


def test_a_turn_that_is_cancelled_while_it_waits_harms_nobody(make: Make) -> None:
    talk, inside, release = _held(make)
    asked = _questions(3)

    async def take() -> None:
        first = asyncio.create_task(talk.aturn("s", asked[0]))
        while not inside.is_set():
            await asyncio.sleep(0.01)
        second, third = (asyncio.create_task(talk.aturn("s", query)) for query in asked[1:])
        await asyncio.sleep(0.02)
        second.cancel()
        await asyncio.sleep(0.02)
        release.set()
        assert ((await first).turn, (await third).turn) == (1, 2)
        assert second.cancelled()

    asyncio.run(take())
    assert _queries(talk.export("s")) == [asked[0], asked[2]] and len(talk._talk.queues) == 0


def test_a_turn_that_is_cancelled_as_it_is_let_in_lets_the_next_one_in() -> None:
    line = queues.SessionQueues()

    async def take() -> None:
        first, second, third = (line.place("s", "default") for _ in range(3))
        await first.await_turn()
        second_waits = asyncio.create_task(second.await_turn())
        third_waits = asyncio.create_task(third.await_turn())
        await asyncio.sleep(0)
        first.leave()  # tells the second one, which is cancelled before it hears of it
        second_waits.cancel()
        await asyncio.wait_for(third_waits, 5)
        assert second_waits.cancelled()
        third.leave()

    asyncio.run(take())
    assert len(line) == 0


def test_a_turn_that_is_cancelled_under_way_lets_the_next_one_in(make: Make) -> None:
    talk, inside, release = _held(make)

    async def take() -> ConversationTurn:
        first = asyncio.create_task(talk.aturn("s", ASK_HIRE))
        while not inside.is_set():
            await asyncio.sleep(0.01)
        second = asyncio.create_task(talk.aturn("s", ASK_HIRE, passages=LAKE))
        await asyncio.sleep(0.02)
        first.cancel()
        told = await asyncio.wait_for(second, 10)
        release.set()
        return told

    assert asyncio.run(take()).turn == 1
    assert talk.state("s").turn == 1 and len(talk._talk.queues) == 0


def test_a_turn_that_fails_lets_the_next_one_in(make: Make) -> None:
    talk = make()
    with pytest.raises(Exception, match="session id"):
        talk.turn("", ASK_HIRE, passages=LAKE)
    assert len(talk._talk.queues) == 0
    assert talk.turn("s", ASK_HIRE, passages=LAKE).turn == 1


@pytest.mark.parametrize("concurrent", [False, True])
def test_a_turn_inside_a_turn_of_its_session_does_not_wait_for_itself(make: Make, concurrent: bool) -> None:
    begun: list[bool] = []
    inner: list[ConversationTurn] = []

    def answer(**_: Any) -> str:
        if not begun:
            begun.append(True)
            inner.append(talk.turn("s", ASK_HIRE, passages=LAKE))
        return "A rowing boat costs 14 euros an hour [Source: LAKE-1]."

    async def answer_later(**inputs: Any) -> str:
        return answer(**inputs)

    for ask in (answer, answer_later):
        begun.clear()
        talk = make(answerer=ask, concurrent=concurrent)
        [told] = _at_once([lambda talk=talk: talk.turn("s", ASK_HIRE, passages=LAKE)])  # type: ignore[misc]
        assert isinstance(told, ConversationTurn) and told.turn == inner[-1].turn + 1


def test_a_turn_in_the_thread_of_an_event_loop_does_not_wait_for_one_of_that_loop(make: Make) -> None:
    talk, inside, release = _held(make)

    async def take() -> tuple[int, int]:
        first = asyncio.create_task(talk.aturn("s", ASK_HIRE))
        while not inside.is_set():
            await asyncio.sleep(0.01)
        blocking = talk.turn("s", ASK_HIRE, passages=LAKE)  # it would wait for a turn that needs this very thread
        release.set()
        return blocking.turn, (await first).turn

    assert asyncio.run(take()) == (1, 2)


def test_threads_that_leave_an_event_loop_no_room_do_not_wait_for_ever(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues, "PATIENCE", 0.05)
    talk, inside, release = _held(make)

    async def take() -> list[int]:
        first = asyncio.create_task(talk.aturn("s", ASK_HIRE))
        while not inside.is_set():
            await asyncio.sleep(0.01)
        told = await asyncio.wait_for(asyncio.to_thread(talk.turn, "s", ASK_HIRE, passages=LAKE), 20)
        release.set()
        return [told.turn, (await first).turn]

    assert asyncio.run(take()) == [1, 2]


def test_a_place_of_a_loop_that_was_closed_is_passed_over() -> None:
    line = queues.SessionQueues()
    first = line.place("s", "default")
    first.wait()
    loop = asyncio.new_event_loop()
    task = loop.create_task(line.place("s", "default").await_turn())
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    third = line.place("s", "default")
    waiting = threading.Thread(target=third.wait)
    waiting.start()
    while len(line._lines[("default", "s")]) < 3:
        time.sleep(0.005)
    first.leave()
    waiting.join(10)
    assert not waiting.is_alive() and not task.done()
    third.leave()
    assert len(line) == 0


def test_sessions_that_are_over_leave_nothing_behind() -> None:
    talk = Conversation(MemoryStore(), reformulate=None, expand=None, carry_forward=None, answerer=lambda **_: "Yes.")
    for number in range(300):
        talk.turn(f"s{number}", "Hello!", passages=[])
    assert len(talk._talk.queues) == 0
    line = queues.SessionQueues()
    gc.collect()
    known = len(queues._ALL)
    del line
    gc.collect()
    assert len(queues._ALL) == known - 1


@POSIX
def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent(make: Make) -> None:
    talk, inside, release = _held(make)
    thread = threading.Thread(target=talk.turn, args=("s", ASK_HIRE))
    thread.start()
    assert inside.wait(10)
    child = os.fork()
    if child == 0:
        place = talk._talk.queues.place("s", "default")
        place.wait()
        place.leave()
        os._exit(0)
    for _ in range(500):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        status = -1
    release.set()
    thread.join(10)
    assert status == 0


def test_a_flow_is_closed_when_its_task_is_cancelled() -> None:
    closed = []

    def flow() -> Any:
        try:
            yield (Work("wait", lambda: None, lambda: asyncio.sleep(30)),)
        finally:
            closed.append(True)

    async def take() -> None:
        task: asyncio.Task[Done] = asyncio.create_task(adrive(flow(), concurrent=False))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
        assert closed == [True]

    asyncio.run(take())
