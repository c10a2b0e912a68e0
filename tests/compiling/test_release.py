"""Released models: made from code, with the alias, and they predict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.data import reformulate as golden

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")


def test_a_released_program_loads_without_pickle_and_predicts(
    options: Callable[..., CompileOptions],
    lm: dspy.LM,
    golden_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import mlflow
    import pandas as pd

    from turnkeeper import loading
    from turnkeeper.compiling.release import release

    outcome = compile_program(options(), lm)
    assert outcome.artifact is not None
    asked: list[Any] = []
    monkeypatch.setattr(loading, "resolve_lm", lambda spec, **_: asked.append(spec) or lm)
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    before = mlflow.get_tracking_uri()
    done = release(outcome.artifact.path, lm="openai/tiny", uri=uri)
    assert mlflow.get_tracking_uri() == before
    assert (done.name, done.version, done.uri) == (
        "turnkeeper-reformulate", "1", "models:/turnkeeper-reformulate@champion",
    )  # fmt: skip
    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    mlflow.set_tracking_uri(uri)
    try:
        model = mlflow.pyfunc.load_model(done.uri)
        held = Path(mlflow.artifacts.download_artifacts(done.uri, dst_path=str(tmp_path / "model")))
    finally:
        mlflow.set_tracking_uri(before)
    assert not [path for path in held.rglob("*") if path.suffix in {".pkl", ".pickle"}]
    rows = golden.load("test", golden_dir)[:2]
    frame = pd.DataFrame(
        {
            "query": [row.query for row in rows],
            "history": [[turn.model_dump() for turn in row.history] for row in rows],
        }
    )
    answers = model.predict(frame)
    program = loading.load("reformulate", lm, program=outcome.artifact.path)
    expected = [program(history=list(row.history), query=row.query).standalone_query for row in rows]
    assert list(answers["standalone_query"]) == expected
    assert asked[0] == "openai/tiny"


def test_the_lm_of_an_artifact_is_named_as_the_command_line_takes_it(
    options: Callable[..., CompileOptions], lm: dspy.LM
) -> None:
    from turnkeeper.cli._release import spec_of
    from turnkeeper.errors import InputError
    from turnkeeper.lms.catalogue import DEFAULT_MODEL, find

    artifact = compile_program(options(), lm).artifact
    assert artifact is not None and spec_of(artifact) == "scripted/reading"

    def compiled_for(model: str, sha256: str) -> Any:
        record = artifact.manifest.lm.model_copy(update={"model": model, "sha256": sha256})
        return artifact._replace(manifest=artifact.manifest.model_copy(update={"lm": record}))

    assert spec_of(compiled_for("llama-cpp/x", find(DEFAULT_MODEL).sha256)) == f"embedded:{DEFAULT_MODEL}"
    with pytest.raises(InputError, match="gguf:PATH"):
        spec_of(compiled_for("llama-cpp/mine@sha256:00", "00"))


@pytest.mark.parametrize("user", ["ann:s3cretPw", "s3cret"])
def test_no_password_of_the_store_is_in_what_is_said_of_it(
    user: str, options: Callable[..., CompileOptions], lm: dspy.LM, monkeypatch: pytest.MonkeyPatch
) -> None:
    from turnkeeper.compiling import release as module
    from turnkeeper.errors import SetupError

    artifact = compile_program(options(), lm).artifact
    assert artifact is not None
    uri = f"http://{user}@127.0.0.1:9/"
    with pytest.raises(SetupError, match=r"no MLflow server answers at .*@127\.0\.0\.1:9/") as away:
        module.release(artifact.path, lm="openai/tiny", uri=uri)

    def refusing(*_: Any) -> Any:
        raise RuntimeError(f"API request to {uri}api/2.0/mlflow/runs/create failed")

    monkeypatch.setattr(module, "client", refusing)
    with pytest.raises(SetupError, match="MLflow could not register it: RuntimeError: API request") as failed:
        module.release(artifact.path, lm="openai/tiny", uri=uri)
    assert "s3cret" not in f"{away.value} {failed.value}" and failed.value.__suppress_context__
