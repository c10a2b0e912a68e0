"""Processes that write to one session at the same time; all are forked, so a test may start many."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context

from turnkeeper.errors import StoreUnavailableError, VersionConflictError
from turnkeeper.sessions import SessionExport, SqlStore

from .building import SESSION, TENANT, new, say, talk


def race(where: str, *, processes: int, turns: int) -> tuple[SessionExport, list[str], int]:
    """Let processes commit turns to one session, each over again after a conflict.

    Returns:
        The session, the words of all turns that were acknowledged, and the number of conflicts.
    """
    with SqlStore(where) as store:
        talk(store, 1)
    context = get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=_write, args=(where, name, turns, results)) for name in range(processes)]
    for worker in workers:
        worker.start()
    told = [results.get(timeout=1800) for _ in workers]
    for worker in workers:
        worker.join()
    with SqlStore(where) as store:
        found = store.export(SESSION, TENANT)
    return found, [word for words, _ in told for word in words], sum(conflicts for _, conflicts in told)


def _write(where: str, name: int, turns: int, results: object) -> None:
    done, conflicts = [], 0
    with SqlStore(where) as store:
        for number in range(turns):
            word = f"{name}-{number}"
            while word not in done:
                try:
                    say(store, store.load(SESSION, TENANT, recent=1), word=word, key=word)
                    done.append(word)
                except (VersionConflictError, StoreUnavailableError):
                    conflicts += 1
    results.put((done, conflicts))  # type: ignore[attr-defined]


def thawed(where: str, rounds: int) -> list[str]:
    """Stop a writer between its load and its commit, let another commit, thaw it; return what it got each time."""
    with SqlStore(where) as store:
        state = talk(store, 1)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _stop_and_commit(where, rounds, lambda got: os.write(writer, f"{got}\n".encode()))
    os.close(writer)
    with SqlStore(where) as store, open(reader) as pipe:
        for _ in range(rounds):
            assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
            state = say(store, state, word="price").state
            os.kill(child, signal.SIGCONT)
        got = pipe.read().split()
        os.waitpid(child, 0)
        assert store.load(SESSION, TENANT) == state
    return got


def _stop_and_commit(where: str, rounds: int, tell: Callable[[str], object]) -> None:
    try:
        store = SqlStore(where)
        for _ in range(rounds):
            state = store.load(SESSION, TENANT)
            os.kill(os.getpid(), signal.SIGSTOP)
            try:
                say(store, state)
                tell("committed")
            except VersionConflictError as error:
                tell(error.code)
    finally:
        os._exit(0)


def repeat(where: str, *, processes: int, times: int) -> tuple[SessionExport, list[bool]]:
    """Submit one turn with one key over and over, from processes at the same time; return who was told `replayed`."""
    context = get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=_submit, args=(where, times // processes, results)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    told = [replayed for _ in workers for replayed in results.get(timeout=1800)]
    for worker in workers:
        worker.join()
    with SqlStore(where) as store:
        return store.export(SESSION, TENANT), told


def _submit(where: str, times: int, results: object) -> None:
    with SqlStore(where) as store:
        told = [say(store, new(), key="the-same") for _ in range(times)]
    assert all(done.turn == told[0].turn for done in told)
    results.put([done.replayed for done in told])  # type: ignore[attr-defined]
