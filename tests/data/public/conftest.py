"""Files in the formats of public sets, with our own sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def jsonl(tmp_path: Path) -> Write:
    """`jsonl("name.jsonl", row, row)` writes one object a line."""

    def write(name: str, *rows: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def array(tmp_path: Path) -> Write:
    """`array("name.json", row, row)` writes one JSON array, an object every few lines."""

    def write(name: str, *rows: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(list(rows), indent=2), encoding="utf-8")
        return path

    return write
