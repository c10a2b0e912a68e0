"""Lock files: one holder at a time, and nothing left behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from turnkeeper.lms._lock import take


def test_a_lock_is_held_once_and_its_file_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    held = take(path)
    assert held is not None and take(path) is None
    held.release()
    held.release()
    assert not path.exists() and take(path) is not None


def test_never_two_holders(tmp_path: Path) -> None:
    holders, most, turns = 0, 0, 0

    def work() -> None:
        nonlocal holders, most, turns
        for _ in range(300):
            lock = take(tmp_path / "x.lock")
            if lock is not None:
                holders += 1
                most, turns = max(most, holders), turns + 1
                holders -= 1
                lock.release()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1 and turns > 0


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    script = f"import os, pathlib; from turnkeeper.lms._lock import take; held = take(pathlib.Path({str(path)!r}))"
    subprocess.run([sys.executable, "-c", f"{script}; os._exit(0)"], check=True)
    assert path.exists() and take(path) is not None
