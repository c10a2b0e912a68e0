"""Results of an experiment: one row a cell, durable before the next cell begins."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import SetupError


class Results:
    """Results of an experiment, one JSONL row a cell, each on disk before the next begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {row["key"]: row for row in self._read()}

    def add(self, row: dict[str, Any]) -> None:
        """Append the row of a cell; raises `SetupError` when it cannot be written."""
        line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                torn = file.tell() and not self.path.read_bytes().endswith(b"\n")  # a row that a crash cut short
                file.write(b"\n" + line if torn else line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SetupError(
                f"{self.path}: cannot be written ({error.strerror or type(error).__name__}); "
                "the cells before are kept, and the same command goes on with this one"
            ) from None
        self.rows[row["key"]] = row

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self.path.is_file():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and isinstance(row.get("key"), str):
                yield row
