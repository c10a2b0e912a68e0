"""What goes wrong around a compile: bad golden sets, places that cannot be written, Ctrl-C at any time."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import CompileOptions, Outcome, compile_program
from turnkeeper.compiling import artifact as artifacts
from turnkeeper.errors import InputError, SetupError
from turnkeeper.evaluation import Scored

from .reading import all_rows, proposing_lm, reading_lm, small_golden

Options = Callable[..., CompileOptions]


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    """A golden set that a test may spoil."""
    return small_golden(tmp_path / "own", train=14, dev=6, test=3)


def spoil(path: Path, number: int, **gold: Any) -> None:
    """Change the gold of a row; without more, into one that still refers to an earlier turn."""
    lines = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[number])
    text = " ".join(["What about it,", *row["gold"]["must_contain"]])
    gold = gold or {"standalone_query": text, "acceptable": [], "must_not_contain": []}
    lines[number] = json.dumps({**row, "gold": {**row["gold"], **gold}})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Told:
    """An observer that keeps what it is told, and raises when `at(step, label)` says so."""

    def __init__(self, at: Callable[[str, str], bool] = lambda step, label: False) -> None:
        self.at, self.steps = at, [""]
        self.plan: Any = None

    def _step(self, step: str, label: str = "") -> None:
        self.steps.append(step)
        if self.at(step, label):
            raise KeyboardInterrupt

    def started(self, options: CompileOptions, plan: Any) -> None:
        self.plan = plan
        self._step("started")

    def row(self, label: str, scored: Scored, done: int, total: int) -> None:
        self._step("row", label)

    def trial(self, trial: Any) -> None:
        self._step("trial", trial.label)

    def finished(self, outcome: Outcome) -> None:
        self._step("finished")


@pytest.mark.parametrize("split", ["train", "dev"])
@pytest.mark.parametrize("text", [None, ""])
def test_a_split_that_is_missing_or_empty_is_named(
    split: str, text: str | None, options: Options, lm: dspy.LM, own_set: Path
) -> None:
    path = own_set / f"{split}.jsonl"
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=f"{split}.jsonl: (cannot be read|holds no row)"):
        compile_program(options(golden=own_set), lm)
    assert lm.engine.calls == 0


def test_without_a_test_split_the_winner_is_written_and_says_so(options: Options, lm: dspy.LM, own_set: Path) -> None:
    (own_set / "test.jsonl").unlink()
    outcome = compile_program(options(golden=own_set, test=True), lm)
    assert outcome.artifact is not None and outcome.untested == "the golden set has no test rows"
    assert outcome.artifact.manifest.golden_sha256.keys() == {"train", "dev"}


def test_splits_that_share_a_row_are_named_before_the_first_call(options: Options, lm: dspy.LM, own_set: Path) -> None:
    first = (own_set / "train.jsonl").read_text(encoding="utf-8").splitlines()[0]
    with (own_set / "test.jsonl").open("a", encoding="utf-8") as file:
        file.write(first + "\n")
    with pytest.raises(InputError, match=r"test\.jsonl:4: field `id`: .* stands in train\.jsonl:1 already"):
        compile_program(options(golden=own_set), lm)
    assert lm.engine.calls == 0


def test_a_bad_row_of_the_test_split_is_named_before_the_first_call(
    options: Options, lm: dspy.LM, own_set: Path
) -> None:
    spoil(own_set / "test.jsonl", 1, must_contain=["Atlantis"])
    with pytest.raises(InputError, match=r"test\.jsonl:2: field `gold\.must_contain`"):
        compile_program(options(golden=own_set, test=True), lm)
    assert lm.engine.calls == 0


def test_a_dev_row_that_fails_its_own_metric_is_named_and_costs_no_compile(
    options: Options, lm: dspy.LM, own_set: Path
) -> None:
    spoil(own_set / "dev.jsonl", 0)
    told = Told()
    outcome = compile_program(options(golden=own_set, test=True), lm, observers=(told,))
    (doubt,) = told.plan.doubts
    assert doubt.startswith(f"{own_set / 'dev.jsonl'}: row {all_rows(own_set)[14].id}: its own gold scores 0.")
    assert outcome.artifact is not None


def test_many_doubtful_golds_are_counted(options: Options, lm: dspy.LM, own_set: Path) -> None:
    for number in range(5):
        spoil(own_set / "dev.jsonl", number)
    told = Told()
    compile_program(options(golden=own_set), lm, observers=(told,))
    assert len(told.plan.doubts) == 4 and told.plan.doubts[-1].endswith("and 2 more golds below 1")


def test_a_place_that_cannot_be_written_is_named_before_the_first_call(
    options: Options, lm: dspy.LM, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    places = [tmp_path / "file", tmp_path / "file" / "programs", tmp_path / ("x" * 300)]
    for place in [*places, *([Path("/proc/programs")] if sys.platform == "linux" else [])]:
        with pytest.raises(InputError, match=r"--out .*: nothing can be written there"):
            compile_program(options(out=place), lm)
    assert lm.engine.calls == 0 and (tmp_path / "file").read_text() == ""


def test_a_full_disk_at_the_end_is_named_and_the_same_command_goes_on(
    options: Options, lm: dspy.LM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(artifacts, "write_artifact", full)
        with pytest.raises(SetupError, match=r"scripted-reading-labeled\.json: cannot be written \(No space left"):
            compile_program(options(test=True), lm)
    calls = lm.engine.calls
    again = compile_program(options(test=True), lm)
    assert again.artifact is not None and lm.engine.calls == calls and again.reused == again.rows


def test_rows_of_another_lm_are_not_taken_from_its_journal(options: Options, lm: dspy.LM, golden_dir: Path) -> None:
    compile_program(options(), lm)
    asked = lm.engine.calls
    other = reading_lm(all_rows(golden_dir))
    other.model = "scripted/other"
    outcome = compile_program(options(), other)
    assert other.engine.calls == asked > outcome.rows / 2


def test_ctrl_c_before_the_search_ends_the_compile(options: Options, lm: dspy.LM) -> None:
    with pytest.raises(KeyboardInterrupt):
        compile_program(options(), lm, observers=(Told(lambda step, label: step == "started"),))
    assert lm.engine.calls == 0


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (lambda step, label: step == "trial" and label.startswith("zero-shot"), False),
        (lambda step, label: step == "trial" and label.startswith("labeled-1"), True),
        (lambda step, label: step == "row" and label == "test", True),
    ],
)
def test_ctrl_c_in_the_search_and_in_the_test_keeps_the_best(
    at: Callable[[str, str], bool], written: bool, options: Options, lm: dspy.LM
) -> None:
    outcome = compile_program(options(test=True), lm, observers=(Told(at),))
    assert outcome.search.stopped == "interrupted" and (outcome.artifact is not None) == written
    assert outcome.test is None and (not written or "interrupted" in str(outcome.untested))


def test_ctrl_c_while_a_teacher_is_asked_ends_the_search(options: Options, lm: dspy.LM) -> None:
    told = Told(lambda step, label: step == "row" and not label)
    outcome = compile_program(options(optimizer="bootstrap", test=True), lm, observers=(told,))
    assert outcome.search.stopped == "interrupted" and outcome.artifact is None
    assert told.steps.count("row") == 15 and told.steps[-1] == "finished"  # 14 of zero-shot, one of the teacher


@pytest.mark.parametrize("optimizer", ["mipro", "gepa"])
def test_ctrl_c_while_an_instruction_is_proposed_ends_the_search(optimizer: str, options: Options, lm: dspy.LM) -> None:
    proposer = proposing_lm("Look twice.")

    def interrupt(request: Any) -> Any:
        proposer.engine.calls += 1
        raise KeyboardInterrupt

    proposer.engine.complete = interrupt
    outcome = compile_program(options(optimizer=optimizer, test=True), lm, reflection_lm=proposer)
    assert outcome.search.stopped == "interrupted" and outcome.artifact is None and proposer.engine.calls == 1


@pytest.mark.parametrize("place", ["difference", "summary", "write"])
def test_ctrl_c_while_the_outcome_is_worked_out_still_writes_the_winner(
    place: str, options: Options, lm: dspy.LM, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = getattr(artifacts, place), []

    def once(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(artifacts, place, once)
    outcome = compile_program(options(), lm)
    assert outcome.search.stopped == "interrupted" and outcome.artifact is not None and len(calls) > 1


def test_ctrl_c_in_the_copying_baseline_is_not_swallowed(
    options: Options, lm: dspy.LM, monkeypatch: pytest.MonkeyPatch
) -> None:
    from turnkeeper.evaluation.baselines import CopyQuery

    real, calls = CopyQuery.forward, []

    def once(self: Any, **given: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, **given)

    monkeypatch.setattr(CopyQuery, "forward", once)
    outcome = compile_program(options(test=True), lm)
    assert outcome.search.stopped == "interrupted" and outcome.metrics["copy"]["rows"] == 14


def test_ctrl_c_in_an_observer_at_the_end_loses_nothing(options: Options, lm: dspy.LM) -> None:
    outcome = compile_program(options(test=True), lm, observers=(Told(lambda step, label: step == "finished"),))
    assert outcome.search.stopped == "interrupted" and outcome.artifact is not None and outcome.test is not None
