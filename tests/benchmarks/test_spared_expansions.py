"""`benchmarks/spared_expansions.py`: which turns are taken, and what the terms of an LM bring there. A scripted LM."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import FIXED

from ..conversation.reading import Reader, lm_of

POOL = [
    {"_id": "mill-1", "title": "Hemmel mill", "text": "Rye costs 3 crowns at the Hemmel mill."},
    {"_id": "mill-2", "title": "Windmill of Hemmel", "text": "Grain is ground here; a sack of spelt is 5 crowns."},
    {"_id": "dyke-1", "title": "Orle dyke", "text": "The Orle dyke is 6 metres high and was raised in spring."},
    {"_id": "dyke-2", "title": "Orle dyke, again", "text": "How high the Orle dyke is, a mark in metres says."},
]
BEFORE = [{"role": "user", "content": "Tell me of the north."}, {"role": "assistant", "content": "It is flat."}]
TURNS = {
    "alone": ("What does rye cost at the Hemmel mill?", ["mill-1", "mill-2"]),
    "both": ("How high is the Orle dyke?", ["dyke-1"]),
    "none": ("Who owns the ferry of Tarn?", ["mill-1"]),
}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    monkeypatch.setitem(FIXED, "mtrag", tuple(TURNS))
    return importlib.import_module("spared_expansions")


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    written(tmp_path / "passages_govt.jsonl", POOL)
    rows = [
        {"task_id": name, "domain": "govt", "history": BEFORE, "query": query, "official_rewrite": query,
         "gold_passages": gold}
        for name, (query, gold) in TURNS.items()
    ]  # fmt: skip
    return written(tmp_path / "tasks.jsonl", rows)


def test_turns_are_counted_by_both_rules_and_the_terms_weighed(
    bench: Any, tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = Reader(terms=("grain",))
    arguments = [str(tasks), "--pool", str(tasks.parent), "--program", "zero-shot", "--json"]
    assert bench.main(arguments, lm=lm_of(reader)) == 0
    told = json.loads(capsys.readouterr().out)
    assert reader.steps() == ["expand", "expand"]  # nobody asks where no passage has all words
    alone, some = told["rules"]["first alone"], told["rules"]["some"]
    assert (told["turns"], alone["turns"], some["turns"]) == (3, 1, 2)
    assert (alone["plain"], alone["gain"], alone["interval"]) == (1.0, 0.0, None)
    assert some["gain_over_all_turns"] == pytest.approx(some["gain"] * 2 / 3)


def test_bad_input_is_named(bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([str(tmp_path / "none.jsonl"), "--pool", str(tmp_path)]) == 2
    assert "none.jsonl" in capsys.readouterr().err
