"""`turnkeeper run conversation`: bad rows, runs that stop, and what the exit code says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.cli import _behaviours
from turnkeeper.errors import SetupError

from ...conversation.reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, Reader
from .conftest import Run, says, talk


def _filter(op: str, value: Any) -> dict[str, Any]:
    return {"field": "year", "op": op, "value": value}


BAD = [
    ({"id": "b"}, "turns"),
    ({"id": "b", "turns": []}, "turns"),
    (talk("b", {"event": "add_doc", "doc_id": "LAKE-1"}), "no user turn"),
    (talk("b", says("", "LAKE-1")), "turns.0.user.user"),
    (talk("b", says(ASK_HIRE), says(" \n", "LAKE-1")), "turns.1.user.user"),
    (talk("b", says(ASK_HIRE), says("boat " * 20_001)), "turns.1.user"),
    (talk("b", says(ASK_HIRE), metadata_filters=[_filter("eq", ["2025"])]), "metadata_filters.0.value"),
    (
        talk("b", says(ASK_HIRE), metadata_filters=[_filter("ge", 2020), _filter("lt", True)]),
        "metadata_filters.1.value",
    ),
    (talk("b", says(ASK_HIRE, "LAKE-9")), "LAKE-9"),
    (talk("b", says(ASK_HIRE), {"event": "remove_doc", "doc_id": "LAKE-9"}), "LAKE-9"),
    (talk("b", says(ASK_HIRE), {"event": "explode"}), "turns.1"),
    (talk("b", says(ASK_HIRE), {"event": "branch", "from_turn": 2}), "from_turn"),
    (talk("b", says(ASK_HIRE), {"event": "filler_turns", "count": 0}), "count"),
    (talk("b", {"user": ASK_HIRE, "dcos": []}), "dcos"),
    (talk("b", says(ASK_HIRE), passages=[{"title": "no id"}]), "passages"),
    (talk("b", says(ASK_HIRE), convention="harvard"), "convention"),
]


@pytest.mark.parametrize(("bad", "named"), BAD)
def test_a_bad_row_names_line_and_field_and_costs_no_other(
    bad: Any, named: str, run: Run, rows_of: Any, out: Path, tmp_path: Path
) -> None:
    done = run(talk("a", says("Good morning!")), bad)
    assert done.code == 2
    good, wrong = rows_of(out)
    assert good["ok"] and len(good["turns"]) == 1
    assert (wrong["id"], wrong["error"]["file"], wrong["error"]["line"]) == ("b", str(tmp_path / "in.jsonl"), 2)
    assert named in f"{wrong['error']['field']} {wrong['error']['message']}"


def test_torn_and_double_rows_have_their_error_rows(run: Run, rows_of: Any, out: Path) -> None:
    assert run("{torn", talk("a", says("Hello!")), talk("a", says("Hello!"))).code == 2
    assert [("error" in row) for row in rows_of(out)] == [True, False, True]


def test_a_second_run_plays_nothing(run: Run, rows_of: Any, out: Path, reader: Reader, loads: list[str]) -> None:
    row = talk("a", says(ASK_HIRE, "LAKE-1"), kind="old")
    run(row)
    reader.steps()
    again = run({**row, "kind": "new"})
    assert (again.code, reader.steps(), len(loads)) == (0, [], 4)
    assert "reused 1 of 1" in again.err and rows_of(out)[0]["kind"] == "new"


def test_docs_that_are_left_out_and_docs_that_are_null_are_two_rows(run: Run, rows_of: Any, out: Path) -> None:
    run(talk("a", {"user": ASK_HIRE, "docs": None}))
    assert "reused 1" not in run(talk("a", {"user": ASK_HIRE})).err
    assert rows_of(out)[0]["turns"][0]["cited"] == ["LAKE-1"]
    assert "reused 1 of 1" in run(talk("a", {"user": ASK_HIRE, "expect": {"cites": ["LAKE-1"]}})).err


def test_ctrl_c_keeps_the_rows_that_are_done_and_the_same_command_goes_on(
    run: Run, rows_of: Any, out: Path, reader: Reader
) -> None:
    rows = [talk("a", says(ASK_HIRE, "LAKE-1")), talk("b", says(ASK_HOURS, "LAKE-2"), says(ASK_NIGHT, "LAKE-3"))]
    answer = reader._found

    def interrupted(question: str, passages: Any) -> Any:
        if "night" in question:
            raise KeyboardInterrupt
        return answer(question, passages)

    reader._found = interrupted  # type: ignore[method-assign]
    stopped = run(*rows)
    assert stopped.code == 130 and "1 of 2 rows are kept" in stopped.err
    reader._found = answer  # type: ignore[method-assign]
    assert "reused 1 of 2" in run(*rows).err
    assert [(row["id"], len(row["turns"])) for row in rows_of(out)] == [("a", 1), ("b", 2)]


def test_a_row_whose_lm_failed_is_played_again(run: Run, rows_of: Any, out: Path, reader: Reader) -> None:
    row = talk("a", says(ASK_HIRE, "LAKE-1"))
    reader.trouble["cite"] = ConnectionError("down")
    failed = run(row)
    assert failed.code == 1 and rows_of(out)[0]["fallback"]
    reader.trouble.clear()
    assert run(row).code == 0 and rows_of(out)[0]["turns"][0]["cited"] == ["LAKE-1"]


def test_an_lm_that_cannot_be_had_stops_the_run(run: Run, monkeypatch: pytest.MonkeyPatch, out: Path) -> None:
    def load(name: str, **options: Any) -> Any:
        raise SetupError("no such server")

    monkeypatch.setattr(_behaviours, "load_program", load)
    done = run(talk("a", says(ASK_HIRE)))
    assert done.code == 2 and "no such server" in done.err


def test_the_summary_is_one_json_object(run: Run) -> None:
    done = run(talk("a", says(ASK_HIRE, "LAKE-1"), says("Thanks!")), options=("--json",))
    summary = json.loads(done.out)
    assert (summary["rows"], summary["turns"], summary["fallbacks"], summary["bad_rows"]) == (1, 2, 0, 0)
    assert summary["most_lm_calls"] == 1 and summary["lm_calls"] == 1 and summary["median_latency_ms"] >= 0


@pytest.mark.parametrize("option", ["--form", "--adapter"])
def test_options_of_one_behaviour_are_refused(option: str, run: Run) -> None:
    done = run(talk("a", says("Hello!")), options=(option, "compact"))
    assert done.code == 2 and option in done.err


def test_a_file_of_another_run_is_not_overwritten(run: Run, out: Path) -> None:
    run(talk("a", says("Hello!")))
    assert run(talk("a", says("Hello!")), options=("--risk-level", "high")).code == 2
    assert run(talk("a", says("Hello!")), options=("--risk-level", "high", "--overwrite")).code == 0
