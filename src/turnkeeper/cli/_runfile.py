"""The output file of `turnkeeper run`: rows appended one by one while it runs, kept when the same run comes again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..data.rows import dumps
from ..errors import InputError
from ._batch import PREDICTED_FIELDS
from ._files import atomic_lines


class RunFile:
    """Rows of one run, and the sidecar `FILE.meta.json` that says which run they belong to.

    A row is reusable when it holds a prediction that the LM was there to make (no `lm_error`); its `id` and
    `input_digest` say of what. A line that an earlier run left torn is cut off before anything is appended.

    Args:
        path: The output file.
        settings: What the predictions depend on beside the rows; compared with the sidecar's.
        overwrite: Throw away what is there instead of going on with it; that happens in `start`, so a program that
            cannot be loaded costs nothing.

    Raises:
        InputError: The file belongs to another run, or to none.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], *, overwrite: bool = False) -> None:
        self.path = path
        self.meta_path = path.with_name(path.name + ".meta.json")
        self._file: IO[str] | None = None
        self.kept: dict[tuple[str, str], dict[str, Any]] = {}
        if not overwrite and path.exists() and path.stat().st_size:
            self._compare(settings)
            self._read()
        self._settings = dict(settings)

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
        self.close()
        with atomic_lines(self.path) as write:
            for row in rows:
                write(row)

    def close(self) -> None:
        """Close the file; what was appended stays."""
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
        except ValueError:
            there = None
        if not isinstance(there, dict):
            raise InputError(f"{self.meta_path}: is damaged ({hint})")
        for name, value in settings.items():
            if name in there and there[name] != value:
                raise InputError(
                    f"--out {self.path}: holds rows of another run: {name} was {there[name]!r}, now {value!r} ({hint})"
                )
        return there

    def _read(self) -> None:
        for line in self.path.read_bytes().split(b"\n"):
            try:
                row = json.loads(line)
            except ValueError:  # the empty end, or a line torn by a crash: its row is computed again
                continue
            if isinstance(row, dict) and row.keys() >= PREDICTED_FIELDS and not _lm_failed(row):
                self.kept[str(row["id"]), str(row["input_digest"])] = row


def _lm_failed(row: Mapping[str, Any]) -> bool:
    return any(isinstance(w, dict) and w.get("code") == "lm_error" for w in row["warnings"] or ())
