"""A whole compile: the artifact, when there is none, and how it goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper import load
from turnkeeper.compiling import Budget, CompileOptions, Limits, Outcome, compile_program
from turnkeeper.compiling.artifact import better_one
from turnkeeper.compiling.search import Trial
from turnkeeper.data import reformulate as golden
from turnkeeper.evaluation import Scored, evaluate
from turnkeeper.evaluation.gate import gate
from turnkeeper.loading import build
from turnkeeper.optimized import read_artifact

from .reading import all_rows, reading_lm

Options = Callable[..., CompileOptions]


def bytes_of(outcome: Outcome) -> tuple[bytes, bytes]:
    assert outcome.artifact is not None, outcome.reason
    path = outcome.artifact.path
    return path.read_bytes(), path.with_name(f"{path.stem}.manifest.json").read_bytes()


class Watcher:
    """An observer that counts rows, and may raise at one of them."""

    def __init__(self, at: int | None = None, error: type[BaseException] = KeyboardInterrupt) -> None:
        self.rows, self.at, self.error = 0, at, error
        self.trials: list[Trial] = []

    def started(self, options: CompileOptions, plan: Any) -> None:
        assert plan.dev > 0

    def row(self, label: str, scored: Scored, done: int, total: int) -> None:
        self.rows += 1
        if self.rows == self.at:
            raise self.error

    def trial(self, trial: Trial) -> None:
        self.trials.append(trial)

    def finished(self, outcome: Outcome) -> None:
        self.outcome = outcome


def test_the_same_seed_gives_the_same_bytes(options: Options, lm: dspy.LM, tmp_path: Path) -> None:
    one = compile_program(options(test=True), lm)
    two = compile_program(options(test=True, out=tmp_path / "two", journal=tmp_path / "two.jsonl"), lm)
    assert bytes_of(one) == bytes_of(two)


def test_the_artifact_loads_and_predicts_what_was_recorded(options: Options, lm: dspy.LM, golden_dir: Path) -> None:
    outcome = compile_program(options(test=True), lm)
    artifact = read_artifact(outcome.artifact.path)  # type: ignore[union-attr]
    rows = golden.load("test", golden_dir)
    metric = outcome.search.trials[0].task.metric
    again = evaluate(build(artifact), rows, metric, lm=lm, adapter=outcome.search.best.task.adapter, bare=True)  # type: ignore[union-attr]
    recorded = artifact.manifest.metrics["test_predictions"]
    assert [row.prediction for row in again.rows] == [entry["prediction"] for entry in recorded]
    keeper = load("reformulate", lm, program=artifact.path)
    assert keeper(history=list(rows[0].history), query=rows[0].query).program == artifact.program_id


def test_the_manifest_says_how_it_was_made(options: Options, lm: dspy.LM, golden_dir: Path) -> None:
    outcome = compile_program(options(test=True, seed=4), lm)
    manifest = outcome.artifact.manifest  # type: ignore[union-attr]
    assert (manifest.lm.model, manifest.adapter, manifest.form) == ("scripted/reading", "compact", "referents")
    assert (manifest.optimizer.name, manifest.optimizer.seed) == ("labeled", 4)
    assert "candidates" not in manifest.optimizer.parameters
    assert manifest.golden_sha256 == {split: golden.digest(split, golden_dir) for split in golden.SPLITS}
    assert manifest.dev_score == manifest.metrics["dev"]["mean"] > manifest.metrics["zero_shot"]["mean"]
    assert manifest.metrics["copy"]["rows"] == manifest.metrics["dev"]["rows"] == 14
    assert manifest.metrics["improvement"]["low"] <= manifest.metrics["improvement"]["mean"]
    assert sum(manifest.metrics["demos"].values()) > 0


def test_a_fresh_artifact_passes_the_gate(options: Options, lm: dspy.LM, golden_dir: Path, tmp_path: Path) -> None:
    compile_program(options(test=True), lm)
    (checked,) = gate(tmp_path / "programs", golden_dir=golden_dir)
    assert checked.findings == [] and len(checked.rows) == 8


def test_the_same_command_asks_nothing_again(options: Options, lm: dspy.LM) -> None:
    first = compile_program(options(test=True), lm)
    calls = lm.engine.calls
    again = compile_program(options(test=True), lm)
    assert lm.engine.calls == calls and again.reused == again.rows == first.rows
    assert bytes_of(again) == bytes_of(first)


def test_no_better_than_zero_shot_writes_nothing(options: Options, golden_dir: Path, tmp_path: Path) -> None:
    outcome = compile_program(options(), reading_lm(all_rows(golden_dir), least=99))
    assert outcome.artifact is None and "better than zero-shot" in str(outcome.reason)
    assert not (tmp_path / "programs").exists()


def test_a_better_artifact_stays(options: Options, golden_dir: Path) -> None:
    rows = all_rows(golden_dir)
    good = compile_program(options(), reading_lm(rows))
    before = bytes_of(good)
    worse = compile_program(options(journal=options().journal.with_name("w.jsonl")), reading_lm(rows, share=40))  # type: ignore[union-attr]
    assert worse.artifact is None and "it stays" in str(worse.reason)
    assert bytes_of(good) == before
    own = options(journal=options().journal.with_name("w.jsonl"), replace=True)  # type: ignore[union-attr]
    assert bytes_of(compile_program(own, reading_lm(rows, share=40))) != before


@pytest.mark.parametrize(("mean", "stays"), [(2 / 3, False), (0.66666, True), (0.67, False)])
def test_a_tie_in_the_digits_that_are_recorded_is_no_better_one(
    mean: float, stays: bool, options: Options, lm: dspy.LM
) -> None:
    outcome = compile_program(options(), lm)
    assert outcome.artifact is not None
    manifest = outcome.artifact.manifest.model_copy(update={"dev_score": 0.666667})
    path = outcome.artifact.path
    path.with_name(f"{path.stem}.manifest.json").write_text(manifest.model_dump_json())
    there = better_one(path.parent.parent, "reformulate", path.stem, mean, manifest.golden_sha256["dev"])
    assert (there is not None) == stays


def test_a_bootstrap_without_demos_says_so(options: Options, golden_dir: Path) -> None:
    outcome = compile_program(options(optimizer="bootstrap"), reading_lm(all_rows(golden_dir), share=0))
    assert outcome.artifact is None and "no demos" in str(outcome.reason)


@pytest.mark.parametrize("at", [3, 20, 40])
def test_ctrl_c_keeps_the_best_so_far(at: int, options: Options, lm: dspy.LM) -> None:
    outcome = compile_program(options(), lm, observers=(Watcher(at),))
    assert outcome.search.stopped == "interrupted"
    assert (outcome.artifact is not None) == (outcome.search.best is not None)
    assert outcome.artifact is not None or at < 40


def test_halted_by_another_thread_in_its_test_split_it_is_interrupted(options: Options, lm: dspy.LM) -> None:
    budget = Budget()

    class Halting(Watcher):
        def row(self, label: str, scored: Scored, done: int, total: int) -> None:
            if label == "test" and done == 3:
                budget.halt("interrupted")

    outcome = compile_program(options(test=True, candidates=2), lm, budget=budget, observers=(Halting(),))
    assert outcome.search.stopped == "interrupted" and outcome.artifact is not None
    assert outcome.untested == "stopped after 3 of 8 test rows (interrupted)"


def test_after_ctrl_c_the_same_command_gives_the_same_bytes(options: Options, lm: dspy.LM, tmp_path: Path) -> None:
    whole = bytes_of(compile_program(options(out=tmp_path / "whole", journal=tmp_path / "whole.jsonl"), lm))
    compile_program(options(), lm, observers=(Watcher(25),))
    resumed = compile_program(options(), lm)
    assert bytes_of(resumed) == whole and resumed.reused >= 20


def test_a_limit_ends_it_with_the_best_so_far(options: Options, lm: dspy.LM) -> None:
    budget = Budget(Limits(calls=30))
    outcome = compile_program(options(limits=Limits(calls=30), test=True), lm, budget=budget)
    assert lm.engine.calls <= 30
    assert outcome.search.stopped == "--max-calls 30"
    assert outcome.test is None and outcome.artifact is not None


def test_a_bug_in_the_metric_is_no_low_score(options: Options, lm: dspy.LM) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        compile_program(options(), lm, metric=broken)


def test_auto_searches_every_form_and_adapter(options: Options, lm: dspy.LM) -> None:
    watcher = Watcher()
    outcome = compile_program(options(form="auto", adapter="auto", threads=2), lm, observers=(watcher,))
    places = {(trial.task.form, trial.task.adapter_name) for trial in watcher.trials}
    assert len(places) == 6 and watcher.outcome is outcome


def test_threads_find_the_same_winner(options: Options, lm: dspy.LM, tmp_path: Path) -> None:
    one = compile_program(options(), lm)
    four = compile_program(options(threads=4, out=tmp_path / "four", journal=tmp_path / "four.jsonl"), lm)
    assert bytes_of(one)[0] == bytes_of(four)[0]
