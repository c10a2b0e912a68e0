"""A store of no use: locked, gone, impossible, not installed. The compile says so once, and goes on."""

from __future__ import annotations

import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from turnkeeper._mlflow import client, experiment_id, told
from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.tracking import MlflowObserver

from .compiling.reading import all_rows, reading_lm, small_golden
from .timing import patiently, undisturbed

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"), train=14, dev=6, test=3)


def untracked(golden_dir: Path, folder: Path, **options: Any) -> list[str]:
    """Compile with a store of no use; returns what was told of it."""
    told: list[str] = []
    wanted = CompileOptions(form="referents", adapter="compact", golden=golden_dir, out=folder / "p", test=False)
    with MlflowObserver(on_problem=told.append, **options) as tracker:
        outcome = compile_program(wanted, reading_lm(all_rows(golden_dir), share=90), observers=(tracker,))
    assert outcome.artifact is not None and told == [tracker.problem]
    return told


def test_a_locked_database_costs_no_compile(golden_dir: Path, tmp_path: Path) -> None:
    client(f"sqlite:///{tmp_path / 'locked.db'}")  # makes its tables
    with closing(sqlite3.connect(tmp_path / "locked.db")) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        (said,) = untracked(golden_dir, tmp_path, uri=f"sqlite:///{tmp_path / 'locked.db'}")
    assert "database is locked" in said


def test_a_server_that_does_not_answer_costs_no_compile_and_no_minutes(golden_dir: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = (tmp_path / name for name in "abc")

    def measure() -> str:
        started = undisturbed()
        (said,) = untracked(golden_dir, next(folders), uri=f"http://127.0.0.1:{port}")
        seconds = undisturbed() - started
        assert said == f"no MLflow server answers at http://127.0.0.1:{port} (ConnectionError)"
        return "" if seconds < 20 else f"{seconds:.1f} s"

    patiently(measure, rounds=3)


@pytest.mark.parametrize("uri", ["sqlite:///{}/file/mlflow.db", "nonsense://x"])
def test_a_store_that_cannot_be_made_costs_no_compile(uri: str, golden_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    untracked(golden_dir, tmp_path, uri=uri.format(tmp_path))


def test_without_mlflow_a_compile_says_what_to_install_and_goes_on(
    golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    (said,) = untracked(golden_dir, tmp_path)
    assert "pip install 'turnkeeper[compile]'" in said


def test_a_server_where_another_process_makes_the_experiment_first() -> None:
    class Raced:
        found: Any = None

        def get_experiment_by_name(self, name: str) -> Any:
            return self.found

        def create_experiment(self, name: str, tags: Any) -> str:
            self.found = SimpleNamespace(experiment_id="7")
            raise RuntimeError("RESOURCE_ALREADY_EXISTS")

    assert experiment_id(Raced(), "turnkeeper/reformulate", "http://store.example") == "7"


@pytest.mark.parametrize("length", [0, 100, 160, 170, 300])
@pytest.mark.parametrize("user", ["ann:s3cret", "ann:s3cret@s3cret", "s3cret", "ann:s3cret/s3cret"])
def test_what_is_told_of_a_failure_has_no_password_wherever_it_is_cut(user: str, length: int) -> None:
    said = told(RuntimeError(f"{'x' * length} request to http://{user}@tracking.example/api failed\nmore"))
    assert "s3cret" not in said and "more" not in said and len(said) < 230
