"""`mlflow models serve` of each behaviour's shipped program, asked over HTTP as an application asks it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from turnkeeper import load
from turnkeeper.behaviours import find
from turnkeeper.optimized import find_artifacts, shipped_dir

from .oracle import OracleEngine, oracle_lm
from .serving import listening

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
pytestmark = [
    pytest.mark.server,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX"),
]


@contextmanager
def served(model: str, folder: Path, **environment: str) -> Iterator[str]:
    """`mlflow models serve` as it is typed; gives the address of its invocations."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "mlflow",
        "models",
        "serve",
        "-m",
        model,
        "--env-manager",
        "local",
        "-p",
        str(port),
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it starts `uvicorn` by its name
    told = {**os.environ, "PATH": path, "MLFLOW_DISABLE_TELEMETRY": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "true",
            "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false", "NO_PROXY": "127.0.0.1", **environment}  # fmt: skip
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=told, stdout=log, stderr=log, start_new_session=True)
    try:
        for _ in range(600):
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/ping", timeout=5):
                break
            assert process.poll() is None, (folder / "server.log").read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/invocations"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def asked(address: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Post rows; returns the predictions."""
    body = json.dumps({"dataframe_records": rows}).encode()
    with urlopen(Request(address, body, {"Content-Type": "application/json"}), timeout=60) as answer:
        found: list[dict[str, Any]] = json.load(answer, parse_constant=_no_json)["predictions"]
    return found


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def record(behaviour: str, row: Any) -> dict[str, Any]:
    """A golden row as a client sends it: lists of turns as they are, all else that is no text as JSON text."""
    entry = find(behaviour)
    said = entry.asked(row)
    made: dict[str, Any] = {}
    for column in entry.takes:
        value = _plain(said.get(column.name))
        if column.kind == "json":
            value = None if value is None and not column.required else json.dumps(value)
        if value is not None:
            made[column.name] = value
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def prediction(behaviour: str, said: dict[str, Any]) -> dict[str, Any]:
    """An answer as the metric takes it."""
    kinds = {column.name: column.kind for column in find(behaviour).gives}
    return {name: json.loads(value) if kinds.get(name) == "json" else value for name, value in said.items()}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One registry for all: its tables take some seconds to make."""
    return f"sqlite:///{tmp_path_factory.mktemp('store') / 'mlflow.db'}"


@pytest.mark.parametrize("behaviour", ["reformulate", "expand", "cite", "carry_forward"])
def test_a_served_program_answers_as_it_does_in_this_process(behaviour: str, store: str, tmp_path: Path) -> None:
    from turnkeeper.compiling.release import release

    entry = find(behaviour)
    (program,) = find_artifacts(shipped_dir(), behaviour)
    form = json.loads(program.with_name(f"{program.stem}.manifest.json").read_text())["form"]
    rows = [row for row in entry.load("test", None) if entry.demos(row, form)][:8]
    engine = OracleEngine(behaviour, rows, form=form)
    with listening(engine) as base:
        done = release(program, lm="openai/oracle", uri=store)
        elsewhere = json.dumps({"api_base": base, "threads": 4})  # known only where the model runs
        with served(done.uri, tmp_path, MLFLOW_TRACKING_URI=store, MLFLOW_PYFUNC_INFERENCE_CONFIG=elsewhere) as address:
            sent = [record(behaviour, row) for row in rows]
            broken = {**sent[0], "history": [{"role": "stranger", "content": "?"}]}
            *answers, spoiled = asked(address, [*sent, broken])
            with pytest.raises(HTTPError) as refused:
                asked(address, [{name: value for name, value in sent[0].items() if name != "query"}])
    alone = load(behaviour, oracle_lm(behaviour, rows, form=form), program=program)
    for row, said in zip(rows, answers, strict=True):
        expected = alone(**entry.asked(row)).model_dump(mode="json")
        names = [*(column.name for column in entry.gives), "ok", "fallback"]
        assert prediction(behaviour, said) == {**prediction(behaviour, said), **{n: expected[n] for n in names}}, row.id
        assert said["error"] == ""
    scores = [entry.metric(row, prediction(behaviour, said)).score for row, said in zip(rows, answers, strict=True)]
    assert sum(scores) >= 6, scores
    assert spoiled["fallback"] and not spoiled["ok"] and "field `history`" in spoiled["error"]
    assert engine.calls >= 6 and refused.value.code == 400
