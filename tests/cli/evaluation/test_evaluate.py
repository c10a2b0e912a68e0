"""`turnkeeper evaluate`: figures, files, resuming."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..conftest import Cli
from .conftest import RIGHT, evaluate


def test_copy_needs_no_lm_and_says_the_fallback_rate_first(cli: Cli, golden_dir: Path) -> None:
    done = evaluate(cli, golden_dir, "--program", "copy")
    assert done.code == 0 and done.out.startswith("reformulate: fallback rate 100.0%")
    assert "residual_reference: 4 rows" in done.out


def test_the_summary_as_json(cli: Cli, golden_dir: Path) -> None:
    done = evaluate(cli, golden_dir, "--program", "copy", "--bare", "--json")
    (said,) = done.rows()
    assert (said["program"], said["rows"], said["lm_calls"], said["complete"]) == ("copy", 4, 0, True)
    assert said["components"]["residual"]["mean"] == 0.0 and set(said["kinds"]) == {"thing", "noise"}


def test_rows_go_to_the_file_in_order(cli: Cli, golden_dir: Path, tmp_path: Path, program: Any, rows_of: Any) -> None:
    program(*RIGHT)
    done = evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl")
    assert done.code == 0
    assert [(r["id"], r["score"]) for r in rows_of(tmp_path / "a.jsonl")] == [(f"r{n}", 1.0) for n in range(4)]


def test_the_same_command_asks_nothing_again(cli: Cli, golden_dir: Path, tmp_path: Path, program: Any) -> None:
    lm = program(*RIGHT)
    evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl")
    done = evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl", "--json")
    assert lm.engine.calls == 4 and done.rows()[0]["reused"] == 4


def test_a_failed_row_gives_exit_code_1_and_is_asked_again(
    cli: Cli, golden_dir: Path, tmp_path: Path, program: Any
) -> None:
    lm = program(*RIGHT[:3], ConnectionError("key sk-1"), RIGHT[3])
    done = evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl")
    assert done.code == 1 and "1 errors" in done.out and "sk-1" not in done.out + done.err
    assert evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl").code == 0 and lm.engine.calls == 5


def test_ctrl_c_keeps_the_rows_that_are_done(
    cli: Cli, golden_dir: Path, tmp_path: Path, program: Any, rows_of: Any
) -> None:
    def stop(request: Any) -> str:
        raise KeyboardInterrupt

    program(*RIGHT[:2], stop)
    done = evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a.jsonl")
    assert done.code == 130 and "after 2 of 4 rows; the same command goes on" in done.err
    assert len(rows_of(tmp_path / "a.jsonl")) == 2


def test_a_file_of_another_program_is_not_overwritten(cli: Cli, golden_dir: Path, tmp_path: Path, program: Any) -> None:
    evaluate(cli, golden_dir, "--program", "copy", "--out", tmp_path / "a.jsonl")
    program(*RIGHT)
    done = evaluate(cli, golden_dir, "--out", tmp_path / "a.jsonl")
    assert done.code == 2 and "holds another evaluation: lm was None, now 'scripted/one'" in done.err


def test_a_file_that_is_no_evaluation_is_not_overwritten(cli: Cli, golden_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"mine": 1}\n')
    done = evaluate(cli, golden_dir, "--program", "copy", "--out", tmp_path / "a.jsonl")
    assert done.code == 2 and (tmp_path / "a.jsonl").read_text() == '{"mine": 1}\n'


def test_an_unknown_split(cli: Cli, golden_dir: Path) -> None:
    done = evaluate(cli, golden_dir, "--program", "copy", "--split", "all")
    assert done.code == 2 and "train, dev, test" in done.err


def test_repeated_runs_tell_what_sampling_changes(
    cli: Cli, golden_dir: Path, tmp_path: Path, program: Any, rows_of: Any
) -> None:
    lm = program(*RIGHT, *RIGHT[:3], "What about it?")
    options = ("--bare", "--repeat", "2", "--temperature", "0.7", "--out", tmp_path / "a.jsonl")
    done = evaluate(cli, golden_dir, *options)
    assert done.code == 0 and "2 runs of 4 rows: means 1.000, " in done.out, done.out + done.err
    assert "the same prediction in each run: 3 rows; good in each: 3, in some: 1\n    r3" in done.out
    assert [row["score"] for row in rows_of(tmp_path / "a.jsonl")] == [1.0] * 4
    assert rows_of(tmp_path / "a-2.jsonl")[3]["score"] < 1
    again = evaluate(cli, golden_dir, *options, "--json")
    assert lm.engine.calls == 8, "both runs stand in the journal"
    assert again.rows()[0]["flakiness"]["sometimes"] == ["r3"] and again.rows()[0]["temperature"] == 0.7
    assert evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "a-2.jsonl").code == 2, "of another temperature"


def test_repeated_runs_of_a_guard_ask_again(cli: Cli, golden_dir: Path, program: Any) -> None:
    lm = program(*RIGHT, *RIGHT)
    done = evaluate(cli, golden_dir, "--repeat", "2")
    assert done.code == 0 and lm.engine.calls == 8 and "same prediction in each run: 4 rows" in done.out
