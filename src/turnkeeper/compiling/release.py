"""From an artifact that passed the gate to a registered model with the alias `champion`."""

from __future__ import annotations

import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from .. import settings
from .._mlflow import client, experiment_id, log_parameters, told
from .._secrets import mask_secrets
from ..behaviours import Behaviour, find
from ..errors import InputError, SetupError, TurnkeeperError
from ..optimized import Artifact, read_artifact
from ..optimized.artifact import manifest_path

ALIAS = "champion"


class Released(NamedTuple):
    """A registered model version."""

    name: str
    version: str
    uri: str
    run_id: str


def release(
    path: Path,
    *,
    lm: str,
    api_base: str | None = None,
    name: str | None = None,
    uri: str | None = None,
    alias: str = ALIAS,
) -> Released:
    """Register an artifact as a model and point the alias at it. The caller has run the gate.

    Args:
        path: The artifact's state file.
        lm: The LM that the model asks unless its user configures another.
        api_base: Address of that LM's server, the same way; without a user or password in it, since it is stored.
        name: Of the registered model; `turnkeeper-<behaviour>` by default.
        uri: The tracking store; `settings.tracking_uri()` by default.
        alias: The alias to set.

    Raises:
        InputError: The path is no artifact, or the address holds a secret.
        SetupError: MLflow is not installed, or its store fails.
    """
    artifact = read_artifact(path)
    if api_base is not None and ("@" in api_base or mask_secrets(api_base) != api_base):
        raise InputError("api_base holds a secret, and is stored with the model: set the key where the model runs")
    uri = uri or settings.tracking_uri()
    name = name or f"turnkeeper-{artifact.manifest.behaviour}"
    try:
        # All that whoever loads the model may change: MLflow passes over names that are not here.
        return _registered(artifact, {"lm": lm, "api_base": api_base, "threads": 1}, name, uri, alias)
    except TurnkeeperError:
        raise
    except Exception as error:  # of MLflow and its stores: anything, and it may quote the address of the store
        raise SetupError(f"{name}: MLflow could not register it: {told(error)}") from None


def _registered(artifact: Artifact, configured: dict[str, Any], name: str, uri: str, alias: str) -> Released:
    manifest = artifact.manifest
    store = client(uri)
    import mlflow

    experiment = experiment_id(store, f"turnkeeper/{manifest.behaviour}", uri)
    run = store.create_run(
        experiment,
        run_name=f"release {manifest.slug}",
        tags={"turnkeeper.kind": "release", "turnkeeper.program": artifact.program_id},
    )
    run_id = str(run.info.run_id)
    status = "FAILED"
    try:
        log_parameters(
            store,
            run_id,
            {
                "lm.model": manifest.lm.model,
                "optimizer.name": manifest.optimizer.name,
                "program": artifact.program_id,
                **{f"data.{split}.digest": digest[:16] for split, digest in manifest.golden_sha256.items()},
            },
        )
        found = _log_model(mlflow, artifact.path, configured, name, uri, run_id, find(manifest.behaviour))
        store.set_registered_model_alias(name, alias, found)
        status = "FINISHED"
    finally:
        store.set_terminated(run_id, status=status)
    return Released(name, found, f"models:/{name}@{alias}", run_id)


def _log_model(
    mlflow: Any, path: Path, configured: dict[str, Any], name: str, uri: str, run_id: str, behaviour: Behaviour
) -> str:
    from .served import signature

    before = mlflow.get_tracking_uri()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        program.mkdir()
        for file in (path, manifest_path(path)):
            shutil.copy(file, program / file.name)
        mlflow.set_tracking_uri(uri)
        try:
            with mlflow.start_run(run_id=run_id):
                info = mlflow.pyfunc.log_model(
                    name="program",
                    python_model=str(Path(__file__).with_name("served_model.py")),
                    artifacts={"program": str(program)},
                    model_config=configured,
                    signature=signature(behaviour),
                    # Given, not guessed: guessing would load the model, and with it the LM.
                    pip_requirements=[f"turnkeeper=={version('turnkeeper')}", f"mlflow=={version('mlflow')}"],
                    registered_model_name=name,
                )
        finally:
            mlflow.set_tracking_uri(before)
    return str(info.registered_model_version)
