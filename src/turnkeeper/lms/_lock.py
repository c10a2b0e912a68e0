"""An exclusive lock between processes, held by an open file; the system frees it when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


class Lock:
    """A lock that is held; see `take`."""

    def __init__(self, path: Path, file: IO[str]) -> None:
        self._path = path
        self._file = file

    def release(self) -> None:
        """Give the lock back and remove its file; releasing twice is no error."""
        if self._file.closed:
            return
        if sys.platform == "win32":  # an open file cannot be removed there
            self._file.close()
        with suppress(OSError):
            self._path.unlink()
        self._file.close()


def take(path: Path) -> Lock | None:
    """Take the lock file `path`, or return None when somebody holds it. Where files cannot be locked it is free.

    Unlike that of `locked`, the file goes away with its holder's `release`.
    """
    while True:
        file = path.open("a")
        try:
            free = _try_lock(file)
        except OSError:
            free = True
        if not free:
            file.close()
            return None
        with suppress(OSError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return Lock(path, file)
        file.close()  # its holder removed it between our opening and our locking: what we hold is no longer the lock
