"""`benchmarks/exclusion_speed.py`: what it feeds, what it compares, and when it fails."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("exclusion_speed")


def test_no_sentence_comes_twice(bench: Any) -> None:
    sentences = bench.numbered(1_000)
    assert len(sentences) == 1_350 == len(set(sentences))


def test_hostile_texts_are_long_enough(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(bench, "read", lambda text: seen.append(len(text)))
    assert set(bench.growth()) == set(bench.HOSTILE)
    assert set(seen) == {1_000, 50_000, 100_000}


@pytest.mark.parametrize(("theirs", "code"), [(19.0, 1), (21.0, 0)])
def test_less_than_twenty_times_faster_fails(
    theirs: float, code: int, bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "ours", lambda sentences: 1.0)
    monkeypatch.setattr(bench, "theirs", lambda *_: {"seconds": theirs, "version": "0", "pipes": []})
    monkeypatch.setattr(bench, "growth", lambda: {"cues": (1.0, 2.0)})
    assert bench.main(["--spacy", sys.executable, "--json"]) == code
    assert json.loads(capsys.readouterr().out)["times_faster"] == theirs


def test_more_than_linear_fails(
    bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "growth", lambda: {"cues": (1.0, 4.0)})
    assert bench.main(["--sentences", "20"]) == 1
    assert "4.00 x" in capsys.readouterr().out
