"""`experiment`: which cells are kept, what tells them apart, what stops them; over an LM that reads its prompt."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.cli import _compile, _experiment, _experiment_test
from turnkeeper.compiling.budget import Budget
from turnkeeper.evaluation.files import about_path
from turnkeeper.evaluation.keys import code_digest

from ..compiling.reading import all_rows, reading_lm, small_golden
from .conftest import Cli

GUARDED = "guarded: true\ncandidates: 2\nforms: {reformulate: rewrite}\n"


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"), train=14, dev=6, test=5)


@pytest.fixture
def lm(golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    made = reading_lm(all_rows(golden_dir), share=90)
    monkeypatch.setattr(_compile, "resolve", lambda spec, api_base: made)
    return made


@pytest.fixture
def grid(golden_dir: Path, tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "grid.yaml"
        path.write_text(f"golden: {golden_dir}\n{text}", encoding="utf-8")
        return path

    return write


def away_at(*numbers: int) -> Any:
    """The LM is away at these calls."""

    def before(number: int) -> None:
        if number in numbers:
            raise ConnectionError("away")

    return before


@pytest.mark.parametrize(
    ("optimizer", "text", "call"),
    [
        pytest.param("zero-shot", "test: false", 2, id="a zero-shot row of dev"),
        pytest.param("labeled", "test: false\ncandidates: 2", 8, id="a candidate's row of dev"),
        pytest.param("bootstrap", "test: false\ncandidates: 2", 8, id="a row of the teacher"),
        pytest.param("labeled", "candidates: 2", -2, id="a row of the test split"),
    ],
)
def test_a_cell_whose_lm_was_away_is_no_result(
    cli: Cli, lm: dspy.LM, grid: Any, tmp_path: Path, optimizer: str, text: str, call: int
) -> None:
    file = grid(f"{text}\ngrid: {{optimizer: [{optimizer}]}}\n")
    whole = cli("experiment", file, "--no-track", "--json", "--out", tmp_path / "whole")
    calls, lm.engine.calls = lm.engine.calls, 0
    lm.engine.before = away_at(call if call > 0 else calls + 1 + call)
    first = cli("experiment", file, "--no-track", "--json")
    assert first.code == 1 and "the cell is not kept" in first.err and first.rows()[0]["failed"] == 1, first.err
    assert not (tmp_path / "grid" / "results.jsonl").exists()
    lm.engine.before = None
    again = cli("experiment", file, "--no-track", "--json")
    assert again.code == 0 and "0 of them done before" in again.err, again.err
    same = ("reason", "dev", "zero_shot", "test", "untested", "failed", "accepted")
    assert [again.rows()[0][name] for name in same] == [whole.rows()[0][name] for name in same]
    assert "1 of them done before" in cli("experiment", file, "--no-track").err


def test_a_prompt_that_is_too_long_is_a_result(cli: Cli, lm: dspy.LM, grid: Any) -> None:
    def too_long(number: int) -> None:
        if number == 8:
            raise dspy.lm15.ContextLengthError("4097 tokens")

    lm.engine.before = too_long
    file = grid("test: false\ncandidates: 2\ngrid: {optimizer: [labeled]}\n")
    done = cli("experiment", file, "--no-track", "--json")
    assert done.code == 0 and done.rows()[0]["failed"] == 0, done.err


def test_limits_of_a_cell_hold_for_its_guarded_test_split(cli: Cli, lm: dspy.LM, grid: Any, tmp_path: Path) -> None:
    file = grid(f"{GUARDED}limits: {{calls: 9}}\ngrid: {{optimizer: [zero-shot]}}\n")
    done = cli("experiment", file, "--no-track", "--json")
    [row] = done.rows()
    assert lm.engine.calls == row["calls"] == 9 and done.code == 0, done.err
    assert row["untested"] == "stopped after 3 of 5 test rows, bare (--max-calls 9)" and row["untested"] in done.err
    assert row["test"] is None and "bare" not in row and not (tmp_path / "grid" / "test").exists()
    assert "1 of them done before" in cli("experiment", file, "--no-track").err


def test_a_cell_says_what_its_test_split_cost_and_asks_it_in_its_threads(cli: Cli, lm: dspy.LM, grid: Any) -> None:
    names: set[str] = set()
    lm.engine.before = lambda number: names.add(threading.current_thread().name.rpartition("_")[0])
    done = cli("experiment", grid(f"{GUARDED}threads: 2\ngrid: {{optimizer: [zero-shot]}}\n"), "--no-track", "--json")
    [row] = done.rows()
    assert row["calls"] == lm.engine.calls > 6 and row["tokens"] == 55 * lm.engine.calls, done.err
    assert names == {"turnkeeper-evaluate"}


def test_ctrl_c_stops_the_test_splits_of_the_other_cells(
    cli: Cli, lm: dspy.LM, grid: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    testing, halted, asked = threading.Event(), threading.Event(), itertools.count()
    real_cell, real_halt = _experiment_test.test_cell, Budget.halt

    def test_cell(*arguments: Any, **named: Any) -> Any:
        lm.engine.before = lambda number: (next(asked), halted.wait(60))
        testing.set()
        return real_cell(*arguments, **named)

    def interrupted(self: Any, waiting: Any) -> None:
        assert testing.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(_experiment_test, "test_cell", test_cell)
    monkeypatch.setattr(_experiment._Run, "_collect", interrupted)
    monkeypatch.setattr(Budget, "halt", lambda self, reason: (real_halt(self, reason), halted.set())[0])
    file = grid(f"{GUARDED}grid: {{lm: [openai/x], optimizer: [zero-shot]}}\n")
    done = cli("experiment", file, "--parallel", "2", "--no-track")
    assert done.code == 130 and next(asked) <= 1, "only the row that was being asked came to its end"
    assert not (tmp_path / "grid" / "results.jsonl").exists()


def test_an_edited_grid_has_programs_and_files_of_its_own(cli: Cli, lm: dspy.LM, grid: Any, tmp_path: Path) -> None:
    kept = []
    for candidates in (3, 1):
        text = f"{GUARDED}grid: {{optimizer: [labeled]}}\n".replace("candidates: 2", f"candidates: {candidates}")
        done = cli("experiment", grid(text), "--no-track", "--json")
        assert done.code == 0, done.err
        [row] = done.rows()
        assert row["artifact"] is not None and row["test"] is not None, row["reason"]
        kept.append((Path(row["artifact"]), Path(row["artifact"]).read_bytes()))
    assert kept[0][0] != kept[1][0] and all(path.read_bytes() == text for path, text in kept)
    files = sorted((tmp_path / "grid" / "test").glob("*-bare.jsonl"))
    assert len(files) == 2
    about = json.loads(about_path(files[0]).read_text(encoding="utf-8"))
    assert about["code"] == code_digest()[:12]
    about_path(files[0]).write_text(json.dumps({**about, "code": "another"}), encoding="utf-8")
    assert "the two were made by different code" in cli("compare", *files).err
