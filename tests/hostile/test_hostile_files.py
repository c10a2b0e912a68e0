"""Attacks by files and by the surroundings of the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.cli import _behaviours, app
from turnkeeper.cli._runfile import RunFile
from turnkeeper.errors import InputError, SetupError

from .hostile import QUERY, guard, referent, said

# Files


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        app([str(argument) for argument in arguments])
    return int(left.value.code or 0)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two rows, and a program over an LM that is always right."""
    keeper = guard(*[referent("the Tarn ferry")] * 9)
    monkeypatch.setattr(_behaviours, "load_program", lambda *_, **__: keeper)
    row: dict[str, Any] = {"history": said("Tarn"), "query": QUERY}
    row["prediction"] = {"standalone_query": "does the Tarn ferry run at night?"}
    row["metadata_filters"] = [{"field": "year", "op": "ge", "value": 2024}]
    Path("in.jsonl").write_text("".join(json.dumps({"id": f"{n}\n\x1b[31m", **row}) + "\n" for n in range(2)))
    return Path("in.jsonl")


def run(rows: Path, *more: str) -> int:
    return command("run", "reformulate", "--in", rows, "--out", "out.jsonl", *more)


def test_escapes_of_a_terminal_are_shown_and_not_sent(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows.write_text(rows.read_text().replace('"standalone_query"', '"\\u001b[31m"'))
    assert command("check", "reformulate", "--in", rows) == 1
    assert "\x1b" not in "".join(capsys.readouterr())


def test_link_that_points_to_itself_is_bad_input(rows: Path) -> None:
    Path("loop").symlink_to("loop")
    assert command("check", "reformulate", "--in", rows, "--out", "loop") == 2
    assert command("run", "reformulate", "--in", rows, "--out", "loop") == 2
    assert command("check", "reformulate", "--in", rows, "--out", "x" * 5_000) == 2
    assert command("check", "reformulate", "--in", "loop", "--out", "y") == 2


def test_summary_of_one_row_counts_in_numbers(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows.write_text(rows.read_text().splitlines()[0])
    command("check", "reformulate", "--in", rows, "--out", "out.jsonl", "--json")
    assert json.loads(capsys.readouterr().out)["ok"] is not True


def test_run_reports_the_metadata_filters(rows: Path) -> None:
    run(rows)
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert first["prediction"]["access_constraints_applied"] == ["year ge 2024"]


def test_run_without_a_usable_model_does_not_end_well(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_behaviours, "load_program", lambda *_, **__: guard(*[SetupError("no GGUF file")] * 9))
    assert run(rows) == 1


@pytest.mark.parametrize("content", [b"", b"\x8f" * 4_096, b"GGUF" + b"\x8f" * 4_096])
def test_weights_that_are_none_stop_the_command(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llama_cpp", reason="needs pip install 'turnkeeper[embedded]'")
    Path("in.jsonl").write_text(json.dumps({"id": "a", "history": said("Tarn"), "query": QUERY}) + "\n")
    Path("bad.gguf").write_bytes(content)
    assert command("demo", "--lm", "gguf:bad.gguf") == 2
    assert run(Path("in.jsonl"), "--lm", "gguf:bad.gguf") == 2
    assert "bad.gguf" in capsys.readouterr().err and not Path("out.jsonl").exists()


@pytest.mark.parametrize(
    "damage",
    [
        {"id": None},
        {"warnings": 5},
        {"violations": ["x"]},
        {"fallback": "no"},
        {"ok": None},
        {"prediction": 5},
        {"prediction": {"standalone_query": "x", "api_key": "y"}},
        {"latency_ms": "1"},
        {"latency_ms": float("nan")},
        {"lm_attempts": True},
        {"usage": {"calls": "many"}},
        {"program": 5},
    ],
)
def test_damaged_row_of_an_earlier_run_is_computed_again(rows: Path, damage: dict[str, Any]) -> None:
    run(rows)
    good = Path("out.jsonl").read_text()
    first, second = map(json.loads, good.splitlines())
    Path("out.jsonl").write_text(json.dumps({**first, **damage}) + "\n" + json.dumps(second) + "\n")
    assert run(rows) == 0
    assert json.loads(Path("out.jsonl").read_text().splitlines()[0])["prediction"] == first["prediction"]


def test_deep_nesting_in_an_earlier_output_is_a_torn_line(rows: Path) -> None:
    run(rows)
    Path("out.jsonl").write_text("[" * 200_000 + "\n" + Path("out.jsonl").read_text())
    assert run(rows) == 0


@pytest.mark.parametrize("sidecar", ["[" * 200_000, '{"program": ' + "[" * 5_000 + "]" * 5_000 + "}", "5"])
def test_damaged_sidecar_is_bad_input(rows: Path, sidecar: str) -> None:
    run(rows)
    Path("out.jsonl.meta.json").write_text(sidecar)
    assert run(rows) == 2
    assert run(rows, "--overwrite") == 0


def test_second_run_into_the_same_file_is_refused() -> None:
    with RunFile(Path("o"), {"program": "a"}) as first:
        first.start()
        with pytest.raises(InputError), RunFile(Path("o"), {"program": "b"}) as second:
            second.start()
    with RunFile(Path("o"), {"program": "a"}) as after:
        after.start()
    assert not Path("o.lock").exists()


def test_run_through_another_link_to_the_same_file_is_refused() -> None:
    Path("link").symlink_to("o")
    with RunFile(Path("o"), {}), pytest.raises(InputError, match="another run"), RunFile(Path("link"), {}):
        pass


def test_lock_file_of_a_dead_run_holds_nobody_up(rows: Path) -> None:
    Path("out.jsonl.lock").touch()
    assert run(rows) == 0


def test_run_works_with_stderr_closed(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run(rows) == 0
