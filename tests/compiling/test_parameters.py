"""Options of the optimizers: a wrong name or value is named before the first call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.compiling.experiment import read_experiment
from turnkeeper.compiling.parameters import model_of
from turnkeeper.compiling.registry import get_optimizer, optimizer_names
from turnkeeper.errors import InputError

Options = Callable[..., CompileOptions]
MINE = {"labeled": "swaps", "bootstrap": "max_rows", "bootstrap-rs": "sizes", "mipro": "demo_sets", "gepa": "minibatch"}


@pytest.mark.parametrize("optimizer", sorted(MINE))
def test_an_unknown_option_lists_those_of_the_optimizer(optimizer: str) -> None:
    with pytest.raises(InputError, match=f"option `siezs`: unknown; there is: .*{MINE[optimizer]}"):
        CompileOptions(optimizer=optimizer, parameters={"siezs": [4]}).validated()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sizes", 4), ("sizes", []), ("sizes", [4, -1]), ("sizes", "many"), ("threshold", "high"), ("threshold", 9),
        ("swaps", 0), ("start", "dc-1"), ("start", [None]),
    ],
)  # fmt: skip
def test_a_wrong_value_names_the_option(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"option `{name}"):
        CompileOptions(parameters={name: value}).validated()


def test_a_wrong_option_costs_no_call(options: Options, lm: dspy.LM) -> None:
    with pytest.raises(InputError, match="option `max_rows`"):
        compile_program(options(optimizer="bootstrap", parameters={"max_rows": 0}), lm)
    assert lm.engine.calls == 0


def test_ids_of_train_rows_may_be_numbers(options: Options) -> None:
    options(parameters={"start": [17, "rf-train-018"]}).validated()


def test_the_teacher_answers_as_many_rows_as_it_is_given(options: Options, lm: dspy.LM) -> None:
    outcome = compile_program(options(optimizer="bootstrap", candidates=1, parameters={"max_rows": 3}), lm)
    assert outcome.rows - sum(len(trial.evaluation.rows) for trial in outcome.search.trials) == 3


def test_an_optimizer_without_a_model_takes_anything(monkeypatch: pytest.MonkeyPatch, options: Options) -> None:
    class Mine:
        def propose(self, task: Any) -> Any:
            yield from ()

    monkeypatch.setattr("turnkeeper.compiling.options.get_optimizer", lambda name: Mine())
    options(optimizer="mine", parameters={"depth": "any"}).validated()


def test_every_shipped_optimizer_names_its_options() -> None:
    shipped = [name for name in optimizer_names() if name in MINE]
    assert len(shipped) == len(MINE) and all(model_of(get_optimizer(name)) for name in shipped)


def grid(folder: Path, golden_dir: Path, options: str) -> Path:
    path = folder / "grid.toml"
    path.write_text(f'golden = "{golden_dir}"\n[grid]\noptimizer = ["labeled", "bootstrap"]\n[options]\n{options}\n')
    return path


def test_a_grid_gives_each_optimizer_the_options_that_it_takes(tmp_path: Path, golden_dir: Path) -> None:
    cells = read_experiment(grid(tmp_path, golden_dir, "sizes = [4]\nswaps = 1"), tmp_path / "results").cells
    assert [cell.options.parameters for cell in cells] == [{"sizes": [4], "swaps": 1}, {"sizes": [4]}]


def test_a_grid_with_an_option_of_no_optimizer_is_named(tmp_path: Path, golden_dir: Path) -> None:
    with pytest.raises(InputError, match=r"grid\.toml: field `options\.minibatch`: no optimizer of the grid"):
        read_experiment(grid(tmp_path, golden_dir, "minibatch = 4"), tmp_path / "results")


def test_a_number_of_candidates_is_recorded(options: Options, lm: dspy.LM) -> None:
    artifact = compile_program(options(candidates=3), lm).artifact
    assert artifact is not None and artifact.manifest.optimizer.parameters["candidates"] == 3
