"""Rows of whole conversations, and running them with a reader in place of an LM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import turnkeeper
from turnkeeper.cli import _behaviours

from ...conversation.reading import LAKE, Reader, lm_of

PASSAGES = [p.model_dump(include={"doc_id", "title", "text"}) for p in LAKE]
Run = Callable[..., Any]


def talk(name: str, *turns: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "passages": PASSAGES, "turns": list(turns), **more}


def says(user: str, *docs: str, **more: Any) -> dict[str, Any]:
    return {"user": user, "docs": list(docs), **more}


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def loads(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the programs that were loaded; each is answered by the reader."""
    loaded: list[str] = []
    lm = lm_of(reader)

    def load(name: str, **options: Any) -> Any:
        loaded.append(name)
        return turnkeeper.load(name, lm=lm, program="zero-shot", risk_level=options["risk_level"])

    monkeypatch.setattr(_behaviours, "load_program", load)
    return loaded


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(cli: Any, write_jsonl: Any, tmp_path: Path, out: Path, loads: list[str]) -> Run:
    """`run(row, ..., options=[...])` writes the rows and runs the command."""

    def call(*rows: Any, options: tuple[object, ...] = ()) -> Any:
        return cli("run", "conversation", "--in", write_jsonl(tmp_path / "in.jsonl", *rows), "--out", out, *options)

    return call


@pytest.fixture
def turns(run: Run, rows_of: Any, out: Path) -> Callable[..., list[dict[str, Any]]]:
    """`turns(row)` runs one row that goes well and gives its turns."""

    def call(row: dict[str, Any], *options: object) -> list[dict[str, Any]]:
        done = run(row, options=options)
        assert done.code == 0, done.err
        found: list[dict[str, Any]] = rows_of(out)[0]["turns"]
        return found

    return call
