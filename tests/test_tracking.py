"""Tracking: one parent run a compile, a child run a candidate, nothing mixed, no text where none may be."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper import settings
from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.tracking import MlflowObserver

from .compiling.reading import all_rows, reading_lm, small_golden

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"), train=14, dev=6, test=3)


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables; making them takes seconds."""
    from turnkeeper._mlflow import client

    path = tmp_path_factory.mktemp("store") / "mlflow.db"
    client(f"sqlite:///{path}")
    return path


@pytest.fixture
def store(empty_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of a store that `MLFLOW_TRACKING_URI` names."""
    from mlflow import MlflowClient

    shutil.copy(empty_store, tmp_path / "mlflow.db")
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    return MlflowClient(tracking_uri=uri)


@pytest.fixture
def compiled(golden_dir: Path, tmp_path: Path) -> Callable[..., MlflowObserver]:
    def run(name: str = "a", share: int = 90, **changes: Any) -> MlflowObserver:
        options = CompileOptions(
            form="referents", adapter="compact", golden=golden_dir, out=tmp_path / name,
            journal=tmp_path / f"{name}.jsonl", test=True, **changes,
        )  # fmt: skip
        with MlflowObserver() as tracker:
            compile_program(options, reading_lm(all_rows(golden_dir), share=share), observers=(tracker,))
        return tracker

    return run


def children(store: Any, run_id: str) -> list[Any]:
    experiment = store.get_run(run_id).info.experiment_id
    return list(store.search_runs([experiment], f"tags.mlflow.parentRunId = '{run_id}'"))


def test_the_default_store_is_a_database_in_the_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert settings.tracking_uri() == "sqlite:///mlflow.db"


def test_a_compile_leaves_parameters_metrics_inputs_and_files(store: Any, compiled: Any, golden_dir: Path) -> None:
    from turnkeeper.data import reformulate as golden

    tracker = compiled(seed=2)
    run = store.get_run(tracker.run_id)
    assert tracker.problem is None and run.info.status == "FINISHED"
    assert run.data.params["optimizer.name"] == "labeled" and run.data.params["optimizer.seed"] == "2"
    assert run.data.params["lm.model"] == "scripted/reading"
    assert {"dev/score", "dev/agreement", "dev/residual", "zero_shot/score", "copy/score", "test/score",
            "improvement/mean", "cost/calls"} <= run.data.metrics.keys()  # fmt: skip
    assert "improvement/low" not in run.data.metrics, "dev rows of so few conversations have no interval"
    digests = {i.dataset.name: i.dataset.digest for i in run.inputs.dataset_inputs}
    assert digests["reformulate-dev"] == golden.digest("dev", golden_dir)[:36]
    files = {
        file.path for folder in ("", "plots", "artifact") for file in store.list_artifacts(run.info.run_id, folder)
    }
    assert {"dev_rows.json", "plots/score_by_kind.png", "artifact/scripted-reading-labeled.json"} <= files


def test_each_candidate_is_a_child_run_with_its_rows(store: Any, compiled: Any) -> None:
    found = children(store, compiled().run_id)
    assert len(found) == 9 and {run.info.status for run in found} == {"FINISHED"}
    zero = next(run for run in found if run.data.params["candidate.name"] == "zero-shot")
    assert zero.data.metrics["dev/rows"] == 6.0
    rows = store.download_artifacts(zero.info.run_id, "dev_rows.json")
    assert '"prediction"' in Path(rows).read_text()


def test_a_dropped_candidate_has_no_figure_that_compares(store: Any, compiled: Any) -> None:
    found = children(store, compiled().run_id)
    dropped = [run for run in found if "turnkeeper.unscored" in run.data.tags]
    assert dropped and len(dropped) < 9
    for run in dropped:
        assert "dev/score" not in run.data.metrics and run.data.metrics["partial/rows"] < 6
        assert run.data.tags["turnkeeper.unscored"].startswith("cannot reach the best any more after ")
    assert all(run.data.metrics["dev/rows"] == 6 for run in found if run not in dropped)


def test_a_run_is_named_and_described_for_people(store: Any, compiled: Any) -> None:
    tracker = compiled(seed=3)
    run = store.get_run(tracker.run_id)
    assert run.info.run_name == "labeled seed 3, scripted-reading"
    note = run.data.tags["mlflow.note.content"]
    assert note.startswith(f"**Best: `{run.data.params['best.name']} referents/compact`**")
    assert "Over zero-shot: +" in note and f"dev {run.data.metrics['dev/score']:.4f}, zero-shot" in note
    experiment = store.get_experiment(run.info.experiment_id)
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"
    child = next(child for child in children(store, tracker.run_id) if "candidate.demos.referents" in child.data.params)
    assert child.data.params["candidate.demos.referents"].startswith("rf-train-")


def test_a_compile_that_writes_nothing_says_why(store: Any, compiled: Any) -> None:
    run = store.get_run(compiled(share=0).run_id)
    assert (
        "Nothing written: none of 8 candidates is better than zero-shot on dev" in run.data.tags["mlflow.note.content"]
    )
    assert run.info.status == "FINISHED"


def test_a_table_begins_with_what_is_read_first(store: Any, compiled: Any, golden_dir: Path) -> None:
    run_id = compiled().run_id
    said = json.loads(Path(store.download_artifacts(run_id, "test_rows.json")).read_text())
    assert said["columns"][:5] == ["query", "prediction", "gold", "score", "violations"]
    row = dict(zip(said["columns"], said["data"][0], strict=True))
    first = all_rows(golden_dir)[-3]
    assert (row["id"], row["query"], row["gold"]) == (first.id, first.query, first.gold.standalone_query)
    assert first.history[-1].content in row["history"]


def test_ctrl_c_before_the_search_is_a_killed_run(store: Any, golden_dir: Path, tmp_path: Path) -> None:
    class Interrupting(MlflowObserver):
        def started(self, *given: Any) -> None:
            super().started(*given)
            raise KeyboardInterrupt

    options = CompileOptions(form="referents", adapter="compact", golden=golden_dir, out=tmp_path / "p")
    with pytest.raises(KeyboardInterrupt), Interrupting() as tracker:
        compile_program(options, reading_lm([]), observers=(tracker,))
    assert store.get_run(tracker.run_id).info.status == "KILLED"


def test_ctrl_c_while_the_outcome_is_logged_is_a_killed_run(
    store: Any, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MlflowClient, "log_figure", interrupt)
    assert store.get_run(compiled().run_id).info.status == "KILLED"


def test_without_log_text_no_text_of_a_row_is_logged(
    store: Any, compiled: Any, golden_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNKEEPER_LOG_TEXT", "0")
    run_id = compiled().run_id
    logged = "".join(
        Path(store.download_artifacts(id, "dev_rows.json")).read_text()
        for id in [run_id, *(run.info.run_id for run in children(store, run_id))]
    )
    assert '"score"' in logged
    assert [file.path for file in store.list_artifacts(children(store, run_id)[0].info.run_id)] == ["dev_rows.json"]
    assert not any(row.query in logged for row in all_rows(golden_dir))


def test_no_key_of_an_lm_reaches_the_store(store: Any, golden_dir: Path, tmp_path: Path) -> None:
    secret = "sk-canary-4711"
    lm = reading_lm(all_rows(golden_dir), share=90)
    lm.kwargs["extra_headers"] = {"authorization": secret}
    options = CompileOptions(form="referents", adapter="compact", golden=golden_dir, out=tmp_path / "p", test=False)
    with MlflowObserver() as tracker:
        compile_program(options, lm, observers=(tracker,))
    assert tracker.problem is None
    held = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(held) > 2 and not [path for path in held if secret.encode() in path.read_bytes()]


def test_a_data_set_that_another_compile_makes_meanwhile_is_found(
    store: Any, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    real, calls = MlflowClient.log_inputs, []

    def late(self: Any, *given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) == 1:
            raise OSError("UNIQUE constraint failed: datasets.name")
        return real(self, *given, **named)

    monkeypatch.setattr(MlflowClient, "log_inputs", late)
    tracker = compiled()
    assert tracker.problem is None and len(calls) == 2
    assert len(store.get_run(tracker.run_id).inputs.dataset_inputs) == 3


def test_a_store_that_fails_costs_no_compile(store: Any, compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no route to https://user:hunter2@store.example")

    monkeypatch.setattr(MlflowClient, "log_table", refuse)
    tracker = compiled()
    assert tracker.problem is not None and "no route" in tracker.problem and "hunter2" not in tracker.problem
    run = store.get_run(tracker.run_id)
    assert run.info.status == "FINISHED" and run.data.tags["turnkeeper.tracking"] == f"incomplete: {tracker.problem}"


def test_a_crash_is_a_failed_run(store: Any, golden_dir: Path, tmp_path: Path) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    options = CompileOptions(form="referents", adapter="compact", golden=golden_dir, out=tmp_path / "p")
    with pytest.raises(ZeroDivisionError), MlflowObserver() as tracker:
        compile_program(options, reading_lm([]), observers=(tracker,), metric=broken)
    assert store.get_run(tracker.run_id).info.status == "FAILED"


def test_two_compiles_in_threads_keep_their_runs_apart(store: Any, compiled: Any) -> None:
    found: dict[str, MlflowObserver] = {}
    threads = [
        threading.Thread(target=lambda n=name, s=seed: found.update({n: compiled(n, seed=s)}))
        for name, seed in (("a", 1), ("b", 2))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tracker.problem for tracker in found.values()} == {None}
    ids = {name: {run.info.run_id for run in children(store, found[name].run_id)} for name in found}  # type: ignore[arg-type]
    assert len(ids["a"]) == len(ids["b"]) == 9 and not ids["a"] & ids["b"]


def test_two_processes_that_start_at_once_share_a_new_database(tmp_path: Path) -> None:
    code = (
        "import sys; from turnkeeper._mlflow import client, experiment_id\n"
        "store = client(sys.argv[1]); id = experiment_id(store, 'e', sys.argv[1])\n"
        "print(id, store.create_run(id).info.run_id)"
    )
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path / 'new.db'}"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=180) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    ids = [out.split() for out, _ in said]
    assert ids[0][0] == ids[1][0] and ids[0][1] != ids[1][1]
