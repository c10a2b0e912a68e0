"""`turnkeeper check`: findings, exit codes, output rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.cli import _behaviours
from turnkeeper.data.rows import Row
from turnkeeper.signatures.types import Violation

HISTORY = [{"role": "user", "content": "Tell me about the Aldra lamp."}]


def stand_in(row: Row[Any]) -> list[Violation]:
    if row.data.prediction == "good":
        return []
    return [Violation(code="residual_reference", message=f"Replace {row.data.query}.", span=row.data.query)]


@pytest.fixture(autouse=True)
def checks(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = _behaviours.BEHAVIOURS["reformulate"]._replace(check=stand_in)
    monkeypatch.setitem(_behaviours.BEHAVIOURS, "reformulate", entry)


def row(name: str, prediction: Any = "good", **more: Any) -> dict[str, Any]:
    return {"id": name, "history": HISTORY, "query": "its price?", "prediction": prediction, **more}


def test_all_ok_is_exit_code_0(cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = cli("check", "reformulate", "--in", write_jsonl(tmp_path / "in.jsonl", row("a", kind="x")), "--out", out)
    assert done.code == 0
    assert rows_of(out) == [{**row("a", kind="x"), "ok": True, "violations": []}]


def test_a_finding_is_exit_code_1_and_every_row_is_written(
    cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path
) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", row("a", None), row("b"), row("c", {"x": 1}))
    done = cli("check", "reformulate", "--in", source, "--out", tmp_path / "out.jsonl")
    assert done.code == 1
    assert [(r["id"], r["ok"]) for r in rows_of(tmp_path / "out.jsonl")] == [("a", False), ("b", True), ("c", False)]
    assert "1 of 3 rows ok" in done.err and "residual_reference: 2 rows" in done.err


def test_json_with_out_is_one_summary(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", row("a", 0), row("b"))
    done = cli("check", "reformulate", "--in", source, "--out", tmp_path / "out.jsonl", "--json")
    assert done.rows() == [{"rows": 2, "ok": 1, "by_code": {"residual_reference": 1}}]


def test_json_without_out_is_the_rows(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    done = cli("check", "reformulate", "--in", write_jsonl(tmp_path / "in.jsonl", row("a", 0)), "--json")
    assert done.rows()[0]["violations"][0]["code"] == "residual_reference"


def test_a_bad_row_is_exit_code_2_named_and_nothing_is_written(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", row("a"), {"id": "b", "history": [], "query": "q"})
    done = cli("check", "reformulate", "--in", source, "--out", tmp_path / "out.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"turnkeeper: {source}:2: field `prediction`: is missing\n"
    assert [p.name for p in tmp_path.iterdir()] == ["in.jsonl"]


def test_task_id_is_carried_and_id_added(cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path) -> None:
    given = {("task_id" if k == "id" else k): v for k, v in row("a").items()}
    cli("check", "reformulate", "--in", write_jsonl(tmp_path / "in.jsonl", given), "--out", tmp_path / "out.jsonl")
    assert [(r["id"], r["task_id"]) for r in rows_of(tmp_path / "out.jsonl")] == [("a", "a")]


def test_surrogates_and_escapes_survive_and_the_terminal_is_safe(cli: Any, rows_of: Any, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(
        b'{"id": "a\\u001b[2J", "history": [], "query": "\\ud800 \\u009b31m \\u202e", "prediction": "\\udc00"}\n'
    )
    shown = cli("check", "reformulate", "--in", source)
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown.out + shown.err)
    assert "\\x1b[2J" in shown.out
    assert cli("check", "reformulate", "--in", source, "--out", tmp_path / "out.jsonl").code == 1
    assert rows_of(tmp_path / "out.jsonl")[0]["query"] == "\ud800 \x9b31m \u202e"


@pytest.mark.parametrize(
    ("source", "target", "says"),
    [
        ("absent.jsonl", "out.jsonl", "absent.jsonl: cannot be read: No such file"),
        ("in.jsonl", "in.jsonl", "is the input file"),
        ("in.jsonl", "link.jsonl", "is the input file"),
        ("in.jsonl", ".", "is no regular file"),
        ("in.jsonl", "no/such/out.jsonl", "does not exist"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    source: str, target: str, says: str, cli: Any, write_jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    before = write_jsonl(tmp_path / "in.jsonl", row("a")).read_bytes()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "in.jsonl")
    done = cli("check", "reformulate", "--in", tmp_path / source, "--out", tmp_path / target)
    assert done.code == 2 and says in done.err and len(done.err.splitlines()) == 1
    assert (tmp_path / "in.jsonl").read_bytes() == before


def test_an_unknown_behaviour_is_named(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    done = cli("check", "frobnicate", "--in", write_jsonl(tmp_path / "in.jsonl", row("a")))
    there = "carry_forward, cite, expand, reformulate"
    assert (done.code, done.err) == (2, f"turnkeeper: no behaviour 'frobnicate'; there is: {there}\n")
