"""Whole compiles as processes, against an LM behind a web address: two at once, and Ctrl-C in each phase."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from turnkeeper.data import reformulate as golden
from turnkeeper.optimized import read_artifact

from ..compiling.reading import all_rows, small_golden
from ..compiling.serving import Served, serving
from .processes import ended, start

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
SMALL = ("--form", "referents", "--adapter", "compact")


def compiling(served: Served, golden_dir: Path, *more: object) -> tuple[object, ...]:
    return ("compile", "reformulate", *served.options, *SMALL, "--golden", golden_dir, *more)


def runs_of(store: Any, query: str) -> list[Any]:
    experiment = store.get_experiment_by_name("turnkeeper/reformulate")
    return list(store.search_runs([experiment.experiment_id], query))


def table(store: Any, run: Any, name: str) -> dict[str, list[Any]]:
    said = json.loads(Path(store.download_artifacts(run.info.run_id, name)).read_text())
    return {column: [row[n] for row in said["data"]] for n, column in enumerate(said["columns"])}


def test_two_compiles_at_once_do_not_mix_their_runs(tmp_path: Path) -> None:
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path / 'new.db'}"  # not there: both make its tables
    sets = {seed: small_golden(tmp_path / f"g{seed}", train=14, dev=6, test=3, skip=skip) for seed, skip in
            ((1, 0), (2, 20))}  # fmt: skip
    together = threading.Barrier(2, timeout=240)
    with serving([row for folder in sets.values() for row in all_rows(folder)], share=90) as served:
        # The first call is answered when the second has come, and that can only be the other process's.
        served.engine.before = lambda number: together.wait() if number <= 2 else None
        both = [
            start(*compiling(served, folder, "--seed", seed, "--out", tmp_path / f"p{seed}"), cwd=tmp_path,
                  MLFLOW_TRACKING_URI=uri)
            for seed, folder in sets.items()
        ]  # fmt: skip
        done = [ended(process) for process in both]
    assert [code for code, _, _ in done] == [0, 0], done
    store = MlflowClient(tracking_uri=uri)
    parents = {
        int(run.data.params["optimizer.seed"]): run for run in runs_of(store, "tags.`turnkeeper.kind`='compile'")
    }
    assert parents.keys() == {1, 2}
    one, two = (parents[seed].info for seed in (1, 2))
    assert one.start_time < two.end_time and two.start_time < one.end_time
    children = {seed: runs_of(store, f"tags.`mlflow.parentRunId`='{run.info.run_id}'") for seed, run in parents.items()}
    assert sum(map(len, children.values())) + 2 == len(runs_of(store, ""))
    for seed, (_, out, err) in zip((1, 2), done, strict=True):
        assert f"MLflow run {parents[seed].info.run_id}" in err
        whole_run(store, parents[seed], children[seed], sets[seed], tmp_path / out.strip())


def whole_run(store: Any, parent: Any, children: Sequence[Any], golden_dir: Path, artifact: Path) -> None:
    """Nothing is missing in a parent run, and all that it holds is of its own compile."""
    dev, test = ([row.id for row in golden.load(split, golden_dir)] for split in ("dev", "test"))
    assert parent.info.status == "FINISHED"
    assert sorted(run.data.metrics["search/number"] for run in children) == [float(n) for n in range(9)]
    assert len({run.info.run_name for run in children}) == 9
    for run in children:
        ids = table(store, run, "dev_rows.json")["id"]
        assert ids == dev[: len(ids)] and run.info.status == "FINISHED"
        assert len(ids) == run.data.metrics.get("dev/rows", run.data.metrics.get("partial/rows"))
    best = max(run.data.metrics["dev/score"] for run in children if "dev/score" in run.data.metrics)
    manifest = read_artifact(artifact).manifest
    assert parent.data.metrics["dev/score"] == pytest.approx(best) == pytest.approx(manifest.dev_score)
    assert parent.data.metrics["test/score"] == pytest.approx(manifest.metrics["test"]["mean"])
    assert parent.data.params["best.name"] == manifest.optimizer.parameters["candidate"]
    digests = {item.dataset.name: item.dataset.digest for item in parent.inputs.dataset_inputs}
    assert digests == {
        f"reformulate-{split}": golden.digest(split, golden_dir)[:36] for split in ("train", "dev", "test")
    }
    assert table(store, parent, "dev_rows.json")["id"] == dev
    assert table(store, parent, "test_rows.json")["id"] == test
    logged = Path(store.download_artifacts(parent.info.run_id, ""))
    assert (logged / "artifact" / artifact.name).read_bytes() == artifact.read_bytes()
    plots = {path.name: path.read_bytes() for path in (logged / "plots").iterdir()}
    assert plots.keys() == {"score_by_kind.png", "score_by_component.png", "score_by_candidate.png"}
    assert all(image.startswith(b"\x89PNG") for image in plots.values())


@contextmanager
def mlflow_server(folder: Path) -> Iterator[str]:
    """A real tracking server on loopback; it ends when the block does, or when the test says `killpg`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{folder / 'server.db'}", "--workers", "1",
               "--artifacts-destination", str(folder / "artifacts"), "--port", str(port)]  # fmt: skip
    quiet = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "true"}
    process = subprocess.Popen([sys.executable, *command], cwd=folder, env=quiet, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        end = time.monotonic() + 240
        while True:
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health", timeout=30):
                break
            assert process.poll() is None and time.monotonic() < end, "the server does not answer"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.server
@pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
def test_a_tracking_server_gets_the_runs_and_stdout_stays_for_machines(tmp_path: Path) -> None:
    from mlflow import MlflowClient

    golden_dir = small_golden(tmp_path / "golden", train=14, dev=6, test=3)
    with serving(all_rows(golden_dir), share=90) as served:
        command = compiling(served, golden_dir, "--json", "--out")
        with mlflow_server(tmp_path) as uri:
            code, out, err = ended(start(*command, "a", cwd=tmp_path, MLFLOW_TRACKING_URI=uri))
            store = MlflowClient(tracking_uri=uri)
            (run,) = runs_of(store, "tags.`turnkeeper.kind`='compile'")
            children = runs_of(store, f"tags.`mlflow.parentRunId`='{run.info.run_id}'")
            assert code == 0, err
            whole_run(store, run, children, golden_dir, tmp_path / json.loads(out)["artifact"])
        code, out, err = ended(start(*command, "b", cwd=tmp_path, MLFLOW_TRACKING_URI=uri))
    assert code == 0 and json.loads(out)["artifact"] == "b/reformulate/openai-reading-labeled.json"
    assert f"MLflow: no MLflow server answers at {uri} (ConnectionError); the compile goes on without it" in err


def at_zero_shot(golden_dir: Path) -> Callable[[str, int, int], bool]:
    return lambda query, demos, number: number == 3


def at_a_candidate(golden_dir: Path) -> Callable[[str, int, int], bool]:
    return lambda query, demos, number: demos > 0


def at_the_test_split(golden_dir: Path) -> Callable[[str, int, int], bool]:
    asked = {" ".join(row.query.split()) for row in golden.load("test", golden_dir)}
    return lambda query, demos, number: query in asked


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("phase", "threads", "written"),
    [(at_zero_shot, 1, False), (at_a_candidate, 2, False), (at_the_test_split, 1, True)],
)
def test_ctrl_c_keeps_what_there_is_and_the_same_command_goes_on(
    phase: Callable[[Path], Callable[[str, int, int], bool]], threads: int, written: bool, tmp_path: Path
) -> None:
    from mlflow import MlflowClient

    golden_dir = small_golden(tmp_path / "golden", train=14, dev=6, test=3)
    uri, programs = f"sqlite:///{tmp_path / 'mlflow.db'}", tmp_path / "programs"
    with serving(all_rows(golden_dir), share=90) as served:
        command = compiling(served, golden_dir, "--out", programs, "--threads", threads)
        process = start(*command, cwd=tmp_path, MLFLOW_TRACKING_URI=uri)
        reached, answer = phase(golden_dir), served.engine.reply
        sent: list[int] = []

        def interrupting(system: str, said: Sequence[tuple[str, str]]) -> str:
            query = next(line for line in said[-1][1].splitlines() if line.startswith("Query: "))[7:]
            if not sent and reached(query, len(said) // 2, served.engine.calls + 1):
                sent.append(1)
                process.send_signal(signal.SIGINT)
            return answer(system, said)

        served.engine.reply = interrupting  # type: ignore[method-assign]
        code, out, err = ended(process)
        assert code == 130 and "stopped early (interrupted); the same command goes on" in err, err
        assert bool(out.strip()) == written == (programs / "reformulate").is_dir()
        (run,) = runs_of(MlflowClient(tracking_uri=uri), "tags.`turnkeeper.kind`='compile'")
        assert run.info.status == "KILLED"
        code, out, err = ended(start(*command, "--no-track", "--json", cwd=tmp_path))
    assert code == 0, err
    assert json.loads(out)["reused"] > 0 and json.loads(out)["test_rows"] == 3
