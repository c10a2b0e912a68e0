"""Attacks by files and by the surroundings of the command line. One that still works is a strict xfail."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.cli import _behaviours, app
from turnkeeper.cli._runfile import RunFile
from turnkeeper.errors import InputError, SetupError

from .hostile import QUERY, broken, guard, referent, said

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


@pytest.mark.xfail(strict=True, reason="Path.resolve raises RuntimeError, which no handler knows")
def test_link_that_points_to_itself_is_bad_input(rows: Path) -> None:
    Path("loop").symlink_to("loop")
    assert command("check", "reformulate", "--in", rows, "--out", "loop") == 2


@pytest.mark.xfail(strict=True, reason="a Counter keeps the first count as the boolean it was given")
def test_summary_of_one_row_counts_in_numbers(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows.write_text(rows.read_text().splitlines()[0])
    command("check", "reformulate", "--in", rows, "--out", "out.jsonl", "--json")
    assert json.loads(capsys.readouterr().out)["ok"] is not True


def test_run_reports_the_metadata_filters(rows: Path) -> None:
    run(rows)
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert first["prediction"]["access_constraints_applied"] == ["year ge 2024"]


@pytest.mark.xfail(strict=True, reason="the guard turns a SetupError of the engine into a fallback row")
def test_run_without_a_usable_model_does_not_end_well(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_behaviours, "load_program", lambda *_, **__: guard(*[SetupError("no GGUF file")] * 9))
    assert run(rows) != 0


_TRUSTED = "rows of an earlier output file are trusted as they are"


@pytest.mark.parametrize(
    "damage",
    [
        {"id": None},
        broken(_TRUSTED, {"warnings": 5}),
        broken(_TRUSTED, {"violations": ["x"]}),
        broken(_TRUSTED, {"fallback": "no"}),
        broken(_TRUSTED, {"ok": None}),
        broken(_TRUSTED, {"prediction": 5}),
    ],
)
def test_damaged_row_of_an_earlier_run_is_computed_again(rows: Path, damage: dict[str, Any]) -> None:
    run(rows)
    good = Path("out.jsonl").read_text()
    first, second = map(json.loads, good.splitlines())
    Path("out.jsonl").write_text(json.dumps({**first, **damage}) + "\n" + json.dumps(second) + "\n")
    assert run(rows) == 0
    assert json.loads(Path("out.jsonl").read_text().splitlines()[0])["prediction"] == first["prediction"]


@pytest.mark.xfail(strict=True, reason="RecursionError is not caught")
def test_deep_nesting_in_an_earlier_output_is_a_torn_line(rows: Path) -> None:
    run(rows)
    Path("out.jsonl").write_text("[" * 200_000 + "\n" + Path("out.jsonl").read_text())
    assert run(rows) == 0


@pytest.mark.xfail(strict=True, reason="no lock: the rows of one run end under the sidecar of the other")
def test_second_run_into_the_same_file_is_refused() -> None:
    with RunFile(Path("o"), {"program": "a"}) as first:
        first.start()
        with pytest.raises(InputError), RunFile(Path("o"), {"program": "b"}) as second:
            second.start()


@pytest.mark.xfail(strict=True, reason="Progress asks a closed stderr whether it is a terminal")
def test_run_works_with_stderr_closed(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run(rows) == 0
