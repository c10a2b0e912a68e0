"""The output file of `turnkeeper run`: rows appended one by one while it runs, kept when the same run comes again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..data.rows import dumps
from ..errors import InputError
from ..lms._lock import take
from ._files import atomic_lines

_SHOWN = 200  # characters of a sidecar's value in a message


def _as_it_is(row: Any) -> dict[str, Any] | None:
    return row if isinstance(row, dict) else None


class RunFile:
    """Rows of one run, and the sidecar `FILE.meta.json` that says which run they belong to.

    What an earlier run left is data: `kept_row` says which of its lines can be used; their `id` and `input_digest`
    say for which input. A line that is torn is cut off before anything is appended. One process at a time writes the
    file: `FILE.lock` is held from the first look at it until `close`.

    Args:
        path: The output file.
        settings: What the predictions depend on beside the rows; compared with the sidecar's.
        overwrite: Throw away what is there instead of going on with it; that happens in `start`, so a program that
            cannot be loaded costs nothing.
        kept_row: A parsed line -> the row to keep, or None.

    Raises:
        InputError: The file belongs to another run, or to none, or another process is writing it.
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        *,
        overwrite: bool = False,
        kept_row: Callable[[Any], dict[str, Any] | None] = _as_it_is,
    ) -> None:
        self.path = path
        self.meta_path = path.with_name(path.name + ".meta.json")
        self._file: IO[str] | None = None
        self.kept: dict[tuple[str, str], dict[str, Any]] = {}
        self._settings = dict(settings)
        self._kept_row = kept_row
        real = path.resolve()  # two links to one file share its lock
        lock = take(real.with_name(real.name + ".lock"))
        if lock is None:
            raise InputError(f"--out {path}: another run is writing it; wait for it, or choose another --out")
        self._lock = lock
        try:
            if not overwrite and path.exists() and path.stat().st_size:
                self._compare(settings)
                self._read()
        except BaseException:
            lock.release()
            raise

    def start(self, **found: Any) -> None:
        """Write the sidecar, with what loading found out (`program_id`, `model`), and open the file for appending."""
        there = self._compare({**self._settings, **found}) if self.kept else {}
        with atomic_lines(self.path) as write:
            for row in self.kept.values():
                write(row)
        with atomic_lines(self.meta_path) as write:  # after the rows: rows of another run never stand under this name
            write({**there, **self._settings, **found})
        self._file = self.path.open("a", encoding="utf-8", newline="\n")

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row so that it outlives the process."""
        if self._file is None:
            raise RuntimeError("start() comes first")
        self._file.write(dumps(row) + "\n")
        self._file.flush()

    def finish(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace the file by the same rows in the order of the input, in one step."""
        self._close_file()
        with atomic_lines(self.path) as write:
            for row in rows:
                write(row)

    def close(self) -> None:
        """Close the file and give the lock back; what was appended stays."""
        self._close_file()
        self._lock.release()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _compare(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        hint = "choose another --out, or --overwrite"
        try:
            there = json.loads(self.meta_path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"--out {self.path}: exists and is not the output of a run ({hint})") from None
        except (ValueError, RecursionError):
            there = None
        if not isinstance(there, dict) or not all(isinstance(v, (str, type(None))) for v in there.values()):
            raise InputError(f"{self.meta_path}: is damaged ({hint})")
        for name, value in settings.items():
            if name in there and there[name] != value:
                was = repr(there[name])[:_SHOWN]
                raise InputError(
                    f"--out {self.path}: holds rows of another run: {name} was {was}, now {value!r} ({hint})"
                )
        return there

    def _read(self) -> None:
        for line in self.path.read_bytes().split(b"\n"):
            try:
                row = self._kept_row(json.loads(line))
            except (ValueError, RecursionError):  # the empty end, or a line torn by a crash: its row is computed again
                continue
            if row is not None:
                self.kept[str(row.get("id")), str(row.get("input_digest"))] = row
