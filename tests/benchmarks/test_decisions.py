"""`benchmarks/decisions.py`: each decision counted once, from a program's record or from an evaluation. No model."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from turnkeeper.behaviours import find


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("decisions")


def as_file(path: Path, behaviour: str, predictions: dict[str, dict[str, Any]], fallback: str = "") -> Path:
    """Rows as `turnkeeper evaluate --out` writes them."""
    rows = [
        {"id": i, "kind": "k", "family": "f", "score": 1.0, "prediction": p, "fallback": i == fallback}
        for i, p in predictions.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path.with_name(f"{path.name}.meta.json").write_text(json.dumps({"behaviour": behaviour}), encoding="utf-8")
    return path


def gold(behaviour: str, count: int) -> dict[str, dict[str, Any]]:
    """What the gold says of the first rows that have something to decide."""
    rows = find(behaviour).load("test")
    if behaviour == "cite":
        return {r.id: {"abstained": r.gold.abstain} for r in rows[:count]}
    with_gold = [r for r in rows if r.gold.resolved_questions and len(r.ledger) > 1][:count]
    return {r.id: json.loads(r.gold.model_dump_json()) for r in with_gold}


def test_the_gold_is_right_in_every_decision(bench: ModuleType, tmp_path: Path, capsys: Any) -> None:
    path = as_file(tmp_path / "a.jsonl", "carry_forward", gold("carry_forward", 6))
    assert bench.main([str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claimed"] == found["wanted"] == found["right"] >= 6
    assert found["dropped"] == found["doubled"] == found["fallbacks"] == 0


def test_what_is_closed_wrongly_dropped_or_doubled_is_counted(bench: ModuleType, tmp_path: Path, capsys: Any) -> None:
    said = gold("carry_forward", 3)
    first, second, third = said.values()
    first["resolved_questions"] += first["updated_unresolved_questions"] or second["updated_unresolved_questions"]
    second["resolved_questions"] = []
    third["updated_unresolved_questions"] *= 2
    third["updated_unresolved_questions"] += third["resolved_questions"]
    path = as_file(tmp_path / "a.jsonl", "carry_forward", said, fallback=next(iter(said)))
    assert bench.main([str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claimed"] > found["right"] and found["right"] < found["wanted"]
    assert found["dropped"] == 1 and found["doubled"] >= 1 and found["fallbacks"] == 1


def test_answers_withheld_are_counted(bench: ModuleType, tmp_path: Path, capsys: Any) -> None:
    said = gold("cite", 40)
    wanted = sum(one["abstained"] for one in said.values())
    assert wanted > 1
    next(one for one in said.values() if one["abstained"])["abstained"] = False
    next(one for one in reversed(list(said.values())) if not one["abstained"])["abstained"] = True
    assert bench.main([str(as_file(tmp_path / "a.jsonl", "cite", said)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["claimed"], found["wanted"], found["right"]) == (wanted, wanted, wanted - 1)


def test_a_committed_program_is_read_by_its_record(bench: ModuleType, repository: Path, capsys: Any) -> None:
    for behaviour in ("carry_forward", "cite"):
        [manifest] = (repository / "optimized" / behaviour).glob("*.manifest.json")
        program = manifest.with_name(manifest.name.replace(".manifest.json", ".json"))
        assert bench.main([str(program), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert 0 < found["right"] <= min(found["claimed"], found["wanted"]) and found.get("dropped", 0) == 0


def test_rows_of_something_else_are_refused(bench: ModuleType, tmp_path: Path, capsys: Any) -> None:
    strange = as_file(tmp_path / "a.jsonl", "cite", {"no-such-row": {"abstained": True}})
    other = as_file(tmp_path / "b.jsonl", "expand", {"x": {}})
    assert bench.main([str(strange)]) == bench.main([str(other)]) == 2
    said = capsys.readouterr().err
    assert "no row of test: no-such-row" in said and "of expand; there is: carry_forward, cite" in said
