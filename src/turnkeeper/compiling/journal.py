"""The journal of a compile: every scored row on disk before it counts, so that the same command goes on.

Append-only JSONL, one fsync a row. A line torn by a crash is cut off when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import InputError, SetupError
from ..evaluation.runner import Scored

_HEADER = {"journal": "turnkeeper", "format": 1}


def key_of(*parts: object) -> str:
    """Return the SHA-256 (hex) of parts that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class JsonlJournal:
    """Scored rows and replies of proposing LMs by key; thread-safe, one process at a time.

    Args:
        path: The file; made with its folder when it is not there.

    Raises:
        InputError: The file is no journal, or another process writes it.
        SetupError: Here or in `put`: the disk is full or fails. What was put before is kept.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._rows: dict[str, dict[str, Any]] = {}
        self.reused = 0
        """Rows that `get` has answered."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"{self.path}: is no regular file; choose another file for the journal")
        self._file = open(self.path, "a+b", buffering=0)
        try:
            _lock_file(self._file, self.path)
            self._load()
        except BaseException:
            self._file.close()
            raise

    def _load(self) -> None:
        self._file.seek(0)
        raw = self._file.read()
        if not raw or _line(_HEADER).startswith(raw):  # new, or killed while the header was written
            self._file.truncate(0)
            self._append(_HEADER)
            return
        if not raw.startswith(_line(_HEADER)):  # nothing of another program's file is touched
            raise InputError(f"{self.path}: is no journal of a compile; choose another file")
        whole = raw.rfind(b"\n") + 1
        if whole < len(raw):
            self._file.truncate(whole)  # the append that a crash cut short
        for line in raw[:whole].split(b"\n"):
            row = _parsed(line)
            if isinstance(row, dict) and isinstance(row.get("key"), str):
                self._rows[row["key"]] = row  # a damaged line costs its row, which is asked for again

    def _append(self, row: dict[str, Any]) -> None:
        whole, left = os.fstat(self._file.fileno()).st_size, memoryview(_line(row))
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except BaseException as error:  # a full disk, or Ctrl-C: no half of a line may stand before the next
            with suppress(OSError):
                self._file.truncate(whole)
            if not isinstance(error, OSError):
                raise
            raise SetupError(
                f"{self.path}: cannot be written ({error.strerror or type(error).__name__}); "
                "the rows before are kept, and the same command goes on"
            ) from None

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> Scored | None:
        """Return the row of a key, marked as reused, or None."""
        with self._lock:
            row = self._rows.get(key)
            if row is None or "scored" not in row:
                return None
            try:
                scored = Scored.model_validate({**row["scored"], "reused": True})
            except (TypeError, ValueError):  # written by another version: the row is asked for again
                return None
            self.reused += 1
        return scored

    def put(self, key: str, scored: Scored) -> None:
        """Keep a scored row; an error row is not kept, so that it is asked for again."""
        if scored.error is not None:
            return
        self._put({"key": key, "scored": scored.model_dump(mode="json", exclude={"reused"})})

    def get_reply(self, key: str) -> list[Any] | None:
        """Return what an LM replied to a proposal's prompt, or None."""
        with self._lock:
            row = self._rows.get(key)
        reply = row.get("reply") if row else None
        return reply if isinstance(reply, list) else None

    def put_reply(self, key: str, reply: list[Any]) -> None:
        """Keep what an LM replied to a proposal's prompt."""
        self._put({"key": key, "reply": reply})

    def _put(self, row: dict[str, Any]) -> None:
        with self._lock:
            self._append(row)
            self._rows[row["key"]] = row

    def close(self) -> None:
        """Close the file; another process may go on with it."""
        self._file.close()

    def __enter__(self) -> JsonlJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=True).encode() + b"\n"


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _lock_file(file: Any, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two writers would be the user's own mistake
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(
            f"{path}: another compile is writing this journal; wait for it, or choose another --out"
        ) from None
