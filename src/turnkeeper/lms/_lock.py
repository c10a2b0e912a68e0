"""An exclusive lock between processes, held by an open file; the system frees it when its holder dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[str]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # held; any other error means that files cannot be locked here
            return False
        return True


@contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file `path`, which stays behind when released (removing it would race).

    Args:
        path: The lock file; its folder must exist.
        waiting: Called once if another process holds the lock.
    """
    with path.open("a") as file:
        if not _try_lock(file):
            waiting()
            while not _try_lock(file):
                time.sleep(0.1)
        yield
