"""Commits in a process that is killed at the nth write, fsync, truncation or removal of a file; see faults.c.

usage (by `crash_at`, with faults.so loaded before libc):
    python -m tests.sessions.crashing FAULTS_SO FOLDER PAGES POINT ...
For each point a child is forked that commits until it dies; its acknowledgements arrive through the same pipe as the
calls, so their order is seen. PAGES is how long SQLite's log may grow before it is copied into the main file (0: as
SQLite has it); with a small one the copying is hit too. One JSON line a point: what the pipe held, and what a new
process reads afterwards.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from turnkeeper.sessions import SqlStore

from .building import SESSION, TENANT, new, say, talk

ROOT = Path(__file__).resolve().parent.parent.parent
BEFORE = 3
"""Turns that stand in the file before a child starts."""
AT_MOST = 40
"""Turns that a child commits when it is not killed before."""


def compiled(folder: Path) -> Path | None:
    """Compile faults.c, or return None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    made = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"], check=True)
    return made


def crash_at(shim: Path, folder: Path, points: list[int], *, pages: int = 0) -> list[dict[str, Any]]:
    """Run one child a point; 0 is a child that is not killed."""
    command = [sys.executable, "-m", "tests.sessions.crashing", *map(str, (shim, folder, pages, *points))]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "LD_PRELOAD": str(shim)}, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _child(shim: str, path: Path, pages: int, pipe: int, point: int) -> None:
    arm = ctypes.CDLL(shim).arm
    store = SqlStore(path)
    if pages:
        with store._backend._engine.connect() as connection:  # type: ignore[attr-defined]
            connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {pages}")
    state = store.load(SESSION, TENANT)
    arm(pipe, ctypes.c_long(point))
    while state.turn < AT_MOST:
        state = say(store, state, key=f"k-{state.turn + 1}").state
        os.write(pipe, f"[{state.turn}]".encode())
    os._exit(0)


def _seen(path: Path) -> dict[str, Any]:
    with SqlStore(path) as store:
        found = store.export(SESSION, TENANT)
        again = say(store, store.load(SESSION, TENANT)).state
    records = [line.record for line in found.log if line.record]
    return {
        "turns": [turn.turn for turn in records],
        "keys": [line.idempotency_key for line in found.log],
        "sources": [entry.doc_id for entry in found.state.registry.entries],
        "next": again.turn,
    }


def main(shim: str, folder: Path, pages: int, points: list[int]) -> None:
    """Print one line a point."""
    made = folder / "made.db"
    made.unlink(missing_ok=True)
    with SqlStore(made) as store:
        talk(store, BEFORE, new())
    for point in points:
        path = folder / f"at-{point}.db"
        shutil.copy(made, path)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                _child(shim, path, pages, writer, point)
            finally:
                os._exit(1)
        os.close(writer)
        with open(reader, "rb") as pipe:
            trace = pipe.read().decode()
        status = os.waitpid(child, 0)[1]
        row = {"point": point, "killed": os.WIFSIGNALED(status), "trace": trace, **_seen(path)}
        print(json.dumps(row), flush=True)
        for left in folder.glob(f"{path.name}*"):
            left.unlink()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), [int(point) for point in sys.argv[4:]])
