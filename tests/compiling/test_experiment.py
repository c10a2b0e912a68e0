"""Experiment files: what a grid says, and results that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnkeeper.compiling.budget import Limits
from turnkeeper.compiling.experiment import Results, read_experiment
from turnkeeper.errors import InputError, SetupError

from ..full_disk import room_for


def grid(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_grid_is_the_product_of_its_axes(tmp_path: Path) -> None:
    path = grid(tmp_path, '[grid]\noptimizer = ["labeled", "bootstrap"]\nseed = [0, 1, 2]\n[limits]\ncalls = 9\n')
    cells = read_experiment(path, tmp_path).cells
    assert [(c.options.optimizer, c.options.seed) for c in cells][:4] == [
        ("labeled", 0), ("labeled", 1), ("labeled", 2), ("bootstrap", 0),
    ]  # fmt: skip
    assert len({c.key for c in cells}) == len({c.options.out for c in cells}) == 6
    assert {c.options.limits for c in cells} == {Limits(calls=9)}
    assert {c.options.journal for c in cells} == {tmp_path / "journal.jsonl"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("optimiser = 1", "field `optimiser`"),
        ('[grid]\nmodel = ["x"]', r"field `grid\.model`"),
        ('[grid]\nseed = ["one"]', r"field `grid\.seed`"),
        ("[grid]\nseed = 3", r"field `grid\.seed`"),
        ("[limits]\npages = 3", r"field `limits\.pages`"),
        ('[grid]\noptimizer = ["magic"]', "labeled"),
        ("test = 1", "field `test`"),
        ("= 1", "not TOML"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_experiment(grid(tmp_path, text), tmp_path)


def test_another_budget_is_another_result(tmp_path: Path) -> None:
    one = read_experiment(grid(tmp_path, 'budget = "light"'), tmp_path).cells[0]
    other = read_experiment(grid(tmp_path, 'budget = "medium"'), tmp_path).cells[0]
    assert one.key != other.key


def test_results_survive_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    Results(path).add({"key": "a", "dev": 0.5})
    with path.open("ab") as file:
        file.write(b'{"key": "b", "de')
    results = Results(path)
    results.add({"key": "c", "dev": 0.7})
    assert Results(path).rows.keys() == {"a", "c"}


def test_a_full_disk_is_named_and_keeps_the_cells_before(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    results = Results(path)
    results.add({"key": "a", "dev": 0.5})
    with room_for(path.stat().st_size + 9), pytest.raises(SetupError, match=r"results\.jsonl: cannot be written"):
        results.add({"key": "b", "dev": 0.6})
    results.add({"key": "c", "dev": 0.7})
    assert results.rows.keys() == Results(path).rows.keys() == {"a", "c"}
