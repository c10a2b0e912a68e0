"""A talk in a process that is killed with SIGKILL in the middle of a turn, and what a new process makes of it.

usage (by `kill_at`):
    python -m tests.conversation.killing FOLDER SEED POINTS
For each point a child is forked that takes the third turn of a session over SQLite, with an LM that takes its time. It
is killed somewhere between the first instant of the turn and a little after its end, the first one at once and the
last one when it has been acknowledged; then the turn is submitted again under its idempotency key, twice. One JSON line
a point: what the session held then, and whether that is what an undisturbed one holds.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dspy.lm15 import Request

from turnkeeper.conversation import Conversation, ConversationTurn
from turnkeeper.sessions import SqlStore

from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, HOURS, NIGHT, Reader, lm_of

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = "the-third-turn"
STEP_SECONDS = 0.03
"""What a call of the LM takes; a turn makes three."""
_TIMED = ("latency_ms", "steps", "replayed")


class Slow(Reader):
    """A reader that takes its time."""

    def __call__(self, request: Request) -> str:
        time.sleep(STEP_SECONDS)
        return super().__call__(request)


def kill_at(folder: Path, points: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Kill a turn at random points; see the top of the file."""
    command = [sys.executable, "-m", "tests.conversation.killing", *map(str, (folder, seed, points))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _third(talk: Conversation) -> ConversationTurn:
    """Take a turn that does everything: answers, cites anew, and answers what was left open."""
    return talk.turn("s", ASK_HOURS, passages=[HOURS, NIGHT], idempotency_key=KEY)


def _seen(path: Path, reader: Reader) -> dict[str, Any]:
    """Submit the turn twice and return what then stands in the file."""
    with SqlStore(path) as store:
        before = store.load("s").turn
        talk = Conversation(store, lm=lm_of(reader))
        first, again = _third(talk), _third(talk)
        found = store.export("s")
    return {
        "before": before,
        "replayed": first.replayed,
        "same": _plain(first) == _plain(again) and again.replayed,
        "turns": [line.turn for line in found.log],
        "keys": [line.idempotency_key for line in found.log],
        "turn": _plain(first),
        "state": {
            "registry": [entry.model_dump(mode="json") for entry in found.state.registry.entries],
            "ledger": [entry.model_dump(mode="json") for entry in found.state.ledger],
            "exclusions": [entry.model_dump(mode="json") for entry in found.state.exclusions],
            "answers": [line.record.answer for line in found.log if line.record],
            "version": found.state.version,
        },
    }


def _plain(told: ConversationTurn) -> dict[str, Any]:
    # The notices of zero-shot programs name the LM, which is another one in each process.
    dumped = told.model_dump(mode="json", exclude=set(_TIMED))
    return {**dumped, "warnings": [notice for notice in dumped["warnings"] if notice["code"] != "zero_shot"]}


def _made(path: Path) -> float:
    """Make a session of two turns; return how long its third takes, measured on a copy."""
    reader = Slow()
    with SqlStore(path) as store:
        talk = Conversation(store, lm=lm_of(reader))
        talk.turn("s", ASK_NIGHT, passages=[HIRE], idempotency_key="1")
        talk.turn("s", ASK_HIRE, passages=[HIRE], idempotency_key="2")
    copy = path.with_name("timed.db")
    shutil.copy(path, copy)
    with SqlStore(copy) as store:
        started = time.perf_counter()
        _third(Conversation(store, lm=lm_of(Slow())))
        return time.perf_counter() - started


def _child(path: Path, pipe: int) -> None:
    with SqlStore(path) as store:
        talk = Conversation(store, lm=lm_of(Slow()))
        os.write(pipe, b"go")
        _third(talk)
        os.write(pipe, b"done")
    time.sleep(3600)  # until it is killed


def main(folder: Path, seed: int, points: int) -> None:
    """Print one line a point."""
    chance = random.Random(seed)
    made = folder / "made.db"
    took = _made(made)
    whole = folder / "whole.db"
    shutil.copy(made, whole)
    wanted = _seen(whole, Reader())
    for point in range(points):
        path = folder / f"at-{point}.db"
        shutil.copy(made, path)
        after = chance.uniform(0, 1.15 * took) if point else 0.0
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _child(path, writer)
            finally:
                os._exit(1)
        os.close(writer)
        assert os.read(reader, 2) == b"go"
        told = b""
        if point == points - 1:  # one at least is killed after its commit, however slow the machine is just now
            told = os.read(reader, 4)
        else:
            time.sleep(after)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        told = told or os.read(reader, 4)
        os.close(reader)
        seen = _seen(path, Reader())
        row = {
            "point": point,
            "after": round(after / took, 3),
            "killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
            "acknowledged": told == b"done",
            **{name: seen[name] for name in ("before", "replayed", "same", "turns", "keys")},
            "as_undisturbed": seen["state"] == wanted["state"] and seen["turn"] == wanted["turn"],
        }
        print(json.dumps(row), flush=True)
        for left in folder.glob(f"{path.name}*"):
            left.unlink()


def holds(row: dict[str, Any]) -> bool:
    """Whether a turn that was killed and submitted again is there once, and as if nothing had happened."""
    once = row["turns"] == [1, 2, 3] and row["keys"] == ["1", "2", KEY]
    kept = row["before"] == 3 if row["acknowledged"] else row["before"] in (2, 3)
    replayed = row["replayed"] == (row["before"] == 3)
    return all((row["killed"], once, kept, replayed, row["same"], row["as_undisturbed"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
