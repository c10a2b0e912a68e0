"""`turnkeeper bench exclusions`: the detector, and a program, on sets of exclusions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_exclusions_measure_the_detector_without_an_lm(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    rows = [
        {"id": "q-1", "query": "ferries of Lund without sails", "gold_include": ["Ferries of Lund"],
         "gold_exclude": ["Ferries with sails"]},
        {"id": "q-2", "query": "tugs of Lund", "gold_include": ["Tugs"], "gold_exclude": ["Wrecks"]},
    ]  # fmt: skip
    found = bench("exclusions", write_jsonl(tmp_path / "quest.jsonl", *rows))
    assert (found["set"], found["ids"], found["rows"], found["fallback_rate"]) == ("quest", "all", 2, None)
    ours = found["measures"]["ours"]
    assert (ours["precision"]["mean"], ours["precision"]["rows"]) == (1.0, 1)
    assert (ours["recall"]["mean"], ours["right"]["mean"]) == (pytest.approx(0.25), 0.5)
    assert "constrained" not in ours


def test_on_nevir_every_constraint_is_wrong(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    pair = {"id": "1-2", "q1": "Which ferry did not sail?", "q2": "ferries without sails", "doc1": "", "doc2": ""}
    found = bench("exclusions", write_jsonl(tmp_path / "nevir.jsonl", pair))
    assert (found["rows"], found["measures"]["ours"]["constrained"]["mean"]) == (2, 0.5)
    assert list(found["measures"]["ours"]) == ["constrained"]


def test_exclusions_of_a_program_are_read_from_its_predictions(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    rows = write_jsonl(tmp_path / "e.jsonl", {"id": "e-1", "query": "harbours", "silver_exclude": ["docks"]})
    said = {"id": "e-1", "prediction": {"negation_constraints": ["docks", "quays"]}, "usage": {"calls": 1}}
    found = bench("exclusions", rows, "--predictions", write_jsonl(tmp_path / "said.jsonl", said))
    assert (found["lm_calls"], found["measures"]["ours"]["precision"]["mean"]) == (1, 0.5)
    assert found["measures"]["ours"]["recall"]["mean"] == 1.0
