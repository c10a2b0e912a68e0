"""`compile`, `experiment` and `release` from the command line, over an LM that reads its prompt."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.cli import _compile
from turnkeeper.optimized import read_artifact

from ..compiling.reading import all_rows, reading_lm, small_golden
from .conftest import Cli

QUICK = ("--form", "referents", "--adapter", "compact", "--no-track")


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"), train=14, dev=6, test=3)


@pytest.fixture
def lm(golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    made = reading_lm(all_rows(golden_dir), share=90)
    monkeypatch.setattr(_compile, "resolve", lambda spec, api_base: made)
    return made


def test_compile_writes_an_artifact_and_says_what_it_gains(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, "--out", "programs")
    assert done.code == 0, done.err
    assert read_artifact(Path(done.out.strip())).manifest.optimizer.name == "labeled"
    assert (
        "9 programs tried" in done.err and "over zero-shot: +" in done.err and "zero-shot referents/compact" in done.err
    )


def test_the_same_command_says_what_it_reused(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    command = ("compile", "reformulate", *QUICK, "--golden", golden_dir, "--json")
    first, again = (json.loads(cli(*command).out) for _ in range(2))
    assert first["reused"] == 0 < first["rows"] == again["reused"] == again["rows"]
    assert again["calls"] == 0 and again["dev"] == first["dev"]


def test_nothing_better_is_exit_code_1(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    lm.engine.least = 99
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir)
    assert done.code == 1 and "nothing written: none of 8 candidates is better than zero-shot" in done.err
    assert not Path("optimized").exists()


def test_a_bad_golden_set_is_said_before_any_lm_is_looked_for(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untouched(spec: str, api_base: str | None) -> Any:
        raise AssertionError("the LM was looked for")

    monkeypatch.setattr(_compile, "resolve", untouched)
    own = small_golden(tmp_path / "own", train=14, dev=6, test=3)
    rows = (own / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(rows[2])
    (own / "dev.jsonl").write_text("\n".join([*rows[:2], json.dumps({**row, "kind": None})]), encoding="utf-8")
    done = cli("compile", "reformulate", *QUICK, "--golden", own)
    assert done.code == 2 and "dev.jsonl:3: field `kind`" in done.err


def test_a_dry_run_asks_next_to_nothing(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, "--dry-run", "--json")
    found = json.loads(done.out)
    assert found["calls"] > 20 and found["tokens"] > found["calls"] and lm.engine.calls <= 4


def test_a_limit_is_kept(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, "--max-calls", 14)
    assert lm.engine.calls <= 14 and "stopped early (--max-calls 14); the same command goes on" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--optimizer", "magic"), "labeled"),
        (("--form", "magic"), "referents"),
        (("--option", "sizes"), "NAME=VALUE"),
        (("--option", "siezs=[4]"), "option `siezs`: unknown; there is: sizes, start, swaps, threshold"),
        (("--option", "sizes=4"), "option `sizes`: "),
        (("--max-calls", "0"), "--max-calls 0"),
        (("--optimizer", "mipro"), "--reflection-lm"),
    ],
)
def test_bad_options_are_exit_code_2(cli: Cli, lm: dspy.LM, golden_dir: Path, arguments: Any, said: str) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, *arguments)
    assert done.code == 2 and said in done.err


def test_an_experiment_ends_in_a_table_and_keeps_its_cells(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path
) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'golden = "{golden_dir}"\ntest = false\n[grid]\noptimizer = ["labeled", "bootstrap"]\nseed = [0, 1]\n'
    )
    first = cli("experiment", grid, "--no-track")
    assert first.code == 0 and first.out.count("bootstrap") == 2, first.err
    calls = lm.engine.calls
    again = cli("experiment", grid, "--no-track", "--json")
    assert lm.engine.calls == calls and "4 cells, 4 of them done before" in again.err
    assert [row["seed"] for row in again.rows()] == [0, 1, 0, 1]
    assert len(list((tmp_path / "grid" / "programs").glob("embedded-labeled-compact-referents-[01]-*"))) == 2


def test_cells_of_a_remote_lm_run_at_a_time_over_one_journal_and_one_experiment(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    two_at_once = threading.Event()
    real = _compile.run_compile

    def counted(*arguments: Any, **options: Any) -> Any:
        running.append(1)
        if len(running) > 1:
            two_at_once.set()
        two_at_once.wait(timeout=240)
        try:
            return real(*arguments, **options)
        finally:
            running.pop()

    monkeypatch.setattr(_compile, "run_compile", counted)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    grid = tmp_path / "grid.yaml"
    grid.write_text(
        f"golden: {golden_dir}\ntest: false\n"
        "grid: {lm: [openai/x], optimizer: [labeled], train_rows: [7, 14], seed: [0, 1]}\n"
    )
    done = cli("experiment", grid, "--parallel", "4", "--json")
    assert done.code == 0, done.err
    rows = done.rows()
    assert two_at_once.is_set() and [row["train_rows"] for row in rows] == [7, 7, 14, 14]
    assert all(row["zero_shot_interval"]["rows"] == 6 for row in rows)
    mlflow = pytest.importorskip("mlflow")
    store = mlflow.MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    found = store.get_experiment_by_name("turnkeeper/grid")
    parents = store.search_runs([found.experiment_id], "tags.`turnkeeper.kind` = 'compile'")
    assert sorted(run.data.tags["turnkeeper.cell"] for run in parents) == [f"{n} of 4" for n in (1, 2, 3, 4)]
    assert {run.info.status for run in parents} == {"FINISHED"}
    again = cli("experiment", grid, "--parallel", "4", "--json")
    assert "4 of them done before" in again.err and len(again.rows()) == 4


def test_ctrl_c_stops_the_cells_at_work_and_keeps_those_that_are_done(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = _compile.run_compile, itertools.count()

    def second_is_interrupted(options: Any, *arguments: Any, **named: Any) -> Any:
        if next(calls):
            quiet = named["quiet"]

            def stopped_at_once(budget: Any) -> None:
                quiet(budget)
                budget.halt("interrupted")

            named["quiet"] = stopped_at_once
        return real(options, *arguments, **named)

    monkeypatch.setattr(_compile, "run_compile", second_is_interrupted)
    grid = tmp_path / "grid.yaml"
    grid.write_text(f"golden: {golden_dir}\ntest: false\ngrid: {{lm: [openai/x], seed: [0, 1, 2]}}\n")
    done = cli("experiment", grid, "--parallel", "2", "--no-track")
    assert done.code == 130 and "the same command goes on" in done.err, done.err
    results = tmp_path / "grid" / "results.jsonl"
    kept = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    assert len(kept) <= 1 and all(row["stopped"] is None for row in kept)
    monkeypatch.setattr(_compile, "run_compile", real)
    assert len(cli("experiment", grid, "--parallel", "2", "--no-track", "--json").rows()) == 3


def test_a_guarded_grid_answers_the_test_split_bare_and_guarded(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    grid = tmp_path / "grid.yaml"
    grid.write_text(
        f"golden: {golden_dir}\ncandidates: 2\nguarded: true\nforms: {{reformulate: rewrite}}\n"
        "grid: {optimizer: [zero-shot, labeled]}\n"
    )
    done = cli("experiment", grid, "--json")
    assert done.code == 0, done.err
    zero, labeled = done.rows()
    assert zero["artifact"] is None and zero["candidates"] == 1 and "as it is" in zero["reason"]
    assert labeled["candidates"] == 3 and labeled["form"] == "rewrite"
    for row in (zero, labeled):
        assert row["bare"]["rows"] == row["guarded"]["rows"] == row["test_rows"] == 3
        assert row["test"] == row["bare"]["mean"] == row["test_interval"]["mean"]
        assert 0 <= row["guarded"]["fallback_rate"] <= 1 and row["bare"]["prompt_tokens"] > 0
    assert labeled["bare"]["mean"] > zero["bare"]["mean"], "this LM answers what its demos show"
    files = sorted(path.name for path in (tmp_path / "grid" / "test").glob("*.jsonl"))
    cells = [f"{row['optimizer']}-compact-rewrite-0-{row['key'][:8]}" for row in (labeled, zero)]
    assert files == [f"reformulate-embedded-{cell}-{g}.jsonl" for cell in cells for g in ("bare", "guarded")]
    compared = cli("compare", *(tmp_path / "grid" / "test" / files[n] for n in (2, 0)))
    assert compared.code == 0, compared.err
    mlflow = pytest.importorskip("mlflow")
    store = mlflow.MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    found = store.get_experiment_by_name("turnkeeper/grid")
    parents = store.search_runs([found.experiment_id], "tags.`turnkeeper.kind` = 'compile'")
    means = {run.data.metrics["test_bare/mean"] for run in parents}
    assert means == {zero["test"], labeled["test"]}
    table = cli("experiment", grid)
    assert table.code == 0 and "fallback" in table.out and f"{zero['guarded']['fallback_rate']:.1%}" in table.out


def test_an_interrupted_test_split_goes_on_row_by_row(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text(f"golden: {golden_dir}\nguarded: true\ngrid: {{optimizer: [zero-shot]}}\n")
    real, asked = type(lm.engine).complete, itertools.count()

    def interrupted(self: Any, request: Any) -> Any:
        if next(asked) == 7:  # six dev rows, and one of the test split
            raise KeyboardInterrupt
        return real(self, request)

    monkeypatch.setattr(type(lm.engine), "complete", interrupted)
    assert cli("experiment", grid, "--no-track").code == 130
    assert not (tmp_path / "grid" / "results.jsonl").exists()
    monkeypatch.setattr(type(lm.engine), "complete", real)
    calls = lm.engine.calls
    done = cli("experiment", grid, "--no-track", "--json")
    assert done.code == 0 and done.rows()[0]["bare"]["rows"] == 3, done.err
    assert lm.engine.calls - calls <= 2 + 2 * 3, "no dev row and no finished row of the test split is asked again"


def test_a_cell_whose_test_rows_failed_is_shown_and_asked_again(
    cli: Cli, lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text(f"golden: {golden_dir}\nguarded: true\ngrid: {{optimizer: [zero-shot]}}\n")
    real, asked = type(lm.engine).complete, itertools.count()

    def away(self: Any, request: Any) -> Any:
        if next(asked) == 7:
            raise ConnectionError("away")
        return real(self, request)

    monkeypatch.setattr(type(lm.engine), "complete", away)
    first = cli("experiment", grid, "--no-track", "--json")
    assert first.code == 1 and "the cell is not kept" in first.err and first.rows()[0]["bare"]["errors"] == 1
    assert not (tmp_path / "grid" / "results.jsonl").exists()
    monkeypatch.setattr(type(lm.engine), "complete", real)
    again = cli("experiment", grid, "--no-track", "--json")
    assert again.code == 0 and again.rows()[0]["bare"]["errors"] == 0, again.err
    assert (tmp_path / "grid" / "results.jsonl").is_file()


def test_a_program_that_fails_the_gate_is_not_released(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, "--out", "programs")
    gated = cli("release", done.out.strip())  # held against the shipped golden set, which it was not compiled on
    assert gated.code == 1 and "not released" in gated.err
    assert (
        "golden_sha256.dev: the dev rows are not those" in gated.err
        and "name its golden set with --golden" in gated.err
    )


def test_a_program_without_recorded_predictions_is_not_released(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "reformulate", *QUICK, "--golden", golden_dir, "--out", "programs", "--no-test")
    gated = cli("release", done.out.strip(), "--golden", golden_dir)
    assert gated.code == 1 and "no recorded test predictions" in gated.err
