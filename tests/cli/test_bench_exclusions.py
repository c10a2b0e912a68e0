"""`turnkeeper bench exclusions`: the detector, and a program, on sets of exclusions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import FIXED


def test_exclusions_measure_the_detector_without_an_lm(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    rows = [
        {"id": "q-1", "query": "ferries of Lund without sails", "gold_include": ["Ferries of Lund"],
         "gold_exclude": ["Ferries with sails"]},
        {"id": "q-2", "query": "tugs of Lund", "gold_include": ["Tugs"], "gold_exclude": ["Wrecks"]},
    ]  # fmt: skip
    found = bench("exclusions", write_jsonl(tmp_path / "quest.jsonl", *rows), "--ids", "all")
    assert (found["set"], found["ids"], found["rows"], found["fallback_rate"]) == ("quest", "all", 2, None)
    ours = found["measures"]["ours"]
    assert (ours["precision"]["mean"], ours["precision"]["rows"]) == (1.0, 1)
    assert (ours["recall"]["mean"], ours["right"]["mean"]) == (pytest.approx(0.25), 0.5)
    assert "constrained" not in ours


def test_on_nevir_every_constraint_is_wrong(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    pair = {"id": "1-2", "q1": "Which ferry did not sail?", "q2": "ferries without sails", "doc1": "", "doc2": ""}
    found = bench("exclusions", write_jsonl(tmp_path / "nevir.jsonl", pair), "--ids", "all")
    assert (found["rows"], found["measures"]["ours"]["constrained"]["mean"]) == (2, 0.5)
    assert list(found["measures"]["ours"]) == ["constrained"]


def test_exclusions_of_a_program_are_read_from_its_predictions(bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    rows = write_jsonl(tmp_path / "e.jsonl", {"id": "e-1", "query": "harbours", "silver_exclude": ["docks"]})
    said = {"id": "e-1", "prediction": {"negation_constraints": ["docks", "quays"]}, "usage": {"calls": 1}}
    said_path = write_jsonl(tmp_path / "said.jsonl", said)
    found = bench("exclusions", rows, "--ids", "all", "--predictions", said_path)
    assert (found["lm_calls"], found["measures"]["ours"]["precision"]["mean"]) == (1, 0.5)
    assert found["measures"]["ours"]["recall"]["mean"] == 1.0


def quest_row(name: str) -> dict[str, Any]:
    return {
        "id": name, "query": "ferries of Lund without sails", "gold_include": ["Ferries of Lund"],
        "gold_exclude": ["Ferries with sails"],
    }  # fmt: skip


def excluir_row(name: str) -> dict[str, Any]:
    return {"id": name, "query": "harbours without docks", "silver_exclude": ["docks"]}


def nevir_row(name: str) -> dict[str, Any]:
    return {"id": name.split("/")[0], "q1": "Which ferry did not sail?", "q2": "ferries without sails"}


ROWS = {"quest": quest_row, "excluir": excluir_row, "nevir": nevir_row}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_by_default_the_fixed_ids_are_measured(name: str, bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    rows = {row["id"]: row for row in map(ROWS[name], (*FIXED[name], "own-1"))}
    path = write_jsonl(tmp_path / "rows.jsonl", *rows.values())
    found = bench("exclusions", path)
    assert (found["set"], found["ids"], found["rows"]) == (name, "fixed", len(FIXED[name]))
    assert bench("exclusions", path, "--ids", "all")["rows"] > found["rows"]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_of_a_part_of_the_file_the_report_says_how_many_fixed_ids_it_holds(
    name: str, bench: Any, cli: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    path = write_jsonl(tmp_path / "part.jsonl", *(ROWS[name](one) for one in (FIXED[name][0], "own-1")))
    said = f"fixed, 1 of {len(FIXED[name])}"
    found = bench("exclusions", path)
    assert (found["rows"], found["ids"]) == (1, said)
    assert f"ids {said}" in cli("bench", "exclusions", path).out


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_file_without_any_fixed_id_stops_the_measure(name: str, cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    path, count = write_jsonl(tmp_path / "other.jsonl", ROWS[name]("own-1")), len(FIXED[name])
    done = cli("bench", "exclusions", path)
    assert (done.code, done.out) == (2, "")
    assert f"other.jsonl: {count} of {count} ids of the fixed ids of {name} are not in it" in done.err
    assert FIXED[name][0] in done.err and "--ids all" in done.err


def test_an_own_list_must_be_in_the_file_whole(cli: Any, bench: Any, write_jsonl: Any, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "nevir.jsonl", nevir_row("1-2"))
    ids = tmp_path / "ids.txt"
    ids.write_text("1-2/q2\n", encoding="utf-8")
    found = bench("exclusions", path, "--ids", ids)
    assert (found["rows"], found["ids"], found["measures"]["ours"]["constrained"]["mean"]) == (1, str(ids), 1.0)
    ids.write_text("1-2/q2\n1-2\n", encoding="utf-8")
    done = cli("bench", "exclusions", path, "--ids", ids)
    assert done.code == 2 and "1 of 2 ids" in done.err and "are not in it, as 1-2;" in done.err
