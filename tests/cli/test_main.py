"""The command as a process: interrupts while threads are busy, and standard files that are closed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..timing import patiently, queued

# A shell that starts a job in the background makes its children ignore Ctrl-C: the handler is put back.
SCRIPT = """
import signal
import time

signal.signal(signal.SIGINT, signal.default_int_handler)
from turnkeeper.cli import _behaviours, main
from turnkeeper.signatures.reformulate import ReformulateResult


class Keeper:
    program_id = "stand-in"

    def __call__(self, *, query, **inputs):
        if query == "slow":
            time.sleep(3600)
        return ReformulateResult(standalone_query=query)


_behaviours.load_program = lambda *arguments, **options: Keeper()
main()
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and file numbers of POSIX")


def arguments(folder: Path, *queries: str) -> list[str]:
    rows = [{"id": str(number), "history": [], "query": query} for number, query in enumerate(queries)]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = ["run", "reformulate", "--in", str(folder / "in.jsonl"), "--out", str(folder / "out.jsonl")]
    return [sys.executable, "-c", SCRIPT, *run]


@posix
def test_ctrl_c_does_not_wait_for_the_calls_of_threads(tmp_path: Path) -> None:
    def measure() -> str:
        out = tmp_path / "out.jsonl"
        out.unlink(missing_ok=True)
        command = [*arguments(tmp_path, "fast", "slow", "slow"), "--threads", "3"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                end = time.monotonic() + 240
                while not (out.exists() and out.read_text()):
                    assert process.poll() is None and time.monotonic() < end, "no row came"
                    time.sleep(0.1)
                started, before = time.monotonic(), queued(str(process.pid))
                delayed = 0.0
                process.send_signal(signal.SIGINT)
                while process.poll() is None and time.monotonic() < started + 240:
                    delayed = max(delayed, queued(str(process.pid)) - before)
                    time.sleep(0.05)
                seconds = time.monotonic() - started - delayed
                _, shown = process.communicate(timeout=60)
            finally:
                process.kill()
        assert process.returncode == 130 and "1 of 3 rows are kept" in shown and "interrupted" in shown
        assert not (tmp_path / "out.jsonl.lock").exists()
        return "" if seconds < 20 else f"{seconds:.1f} s"

    patiently(measure, rounds=3)


@posix
@pytest.mark.parametrize("closed", [(2,), (1, 2), (0, 1, 2)])
def test_closed_standard_files_cost_nothing(closed: tuple[int, ...], tmp_path: Path) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    done = subprocess.run(arguments(tmp_path, "a", "b"), preexec_fn=close, capture_output=True)
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == ["0", "1"]
