"""The part of MLflow that tracking and releasing use: a client, and rows, digests and numbers in its shapes."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import settings
from ._secrets import mask_addresses
from .errors import SetupError, TurnkeeperError
from .lms._lock import locked

_LONGEST_PARAMETER = 500
_LONGEST_ERROR = 200
_DIGEST_LENGTH = 36  # what MLflow keeps of one
_DIGITS = 6
_ANSWER_SECONDS = 5.0
_NAME = re.compile(r"[^\w\-. :/]", re.ASCII)
# Without it the UI takes an experiment for a set of evaluations of an agent and hides most of a run.
_EXPERIMENT_TAGS = {"mlflow.experimentKind": "custom_model_development"}


def client(uri: str) -> Any:
    """Return an MLflow client.

    Raises:
        SetupError: MLflow is not installed, or no server answers at a web address.
    """
    settings.prepare_mlflow()
    try:
        from mlflow import MlflowClient
    except ImportError:
        raise SetupError("tracking needs MLflow: pip install 'turnkeeper[compile]', or say --no-track") from None
    _require_answer(uri)
    with _alone(uri):  # the first client of a database file makes its tables
        return MlflowClient(tracking_uri=uri)


def experiment_id(mlflow: Any, name: str, uri: str) -> str:
    """Return the id of an experiment, made when it is not there."""
    with _alone(uri):
        found = mlflow.get_experiment_by_name(name)
        if found is None:
            try:
                return str(mlflow.create_experiment(name, tags=_EXPERIMENT_TAGS))
            except Exception:  # another process has just made it on the same server
                found = mlflow.get_experiment_by_name(name)
                if found is None:
                    raise
        return str(found.experiment_id)


def _require_answer(uri: str) -> None:
    """Ask a server for anything at all: MLflow itself would try for minutes before it says that there is none."""
    if not uri.startswith(("http://", "https://")):
        return
    import requests

    try:
        requests.get(uri, timeout=_ANSWER_SECONDS, stream=True).close()
    except requests.exceptions.SSLError:  # it answers; whether its certificate will do is for MLflow to say
        return
    except requests.exceptions.RequestException as error:
        raise SetupError(f"no MLflow server answers at {mask_addresses(uri)} ({type(error).__name__})") from None


def told(error: Exception) -> str:
    """Return an error as one line; the address of a store in it may hold a password."""
    first = mask_addresses((str(error).strip().splitlines() or [""])[0])
    said = first if len(first) <= _LONGEST_ERROR else first[: _LONGEST_ERROR - 1] + "…"
    return said if isinstance(error, TurnkeeperError) else f"{type(error).__name__}: {said}"


@contextmanager
def _alone(uri: str) -> Iterator[None]:
    """Let one process at a time make the tables of a database file: two at once leave it half made."""
    if not uri.startswith("sqlite:///"):
        yield
        return
    place = hashlib.sha256(str(Path(uri.removeprefix("sqlite:///")).resolve()).encode()).hexdigest()[:16]
    folder = settings.cache_dir() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f"mlflow-{place}.lock"):
        yield


def dataset(name: str, digest: str, split: str) -> Any:
    """Return a dataset input that holds our digest and no rows."""
    from mlflow.data.code_dataset_source import CodeDatasetSource
    from mlflow.data.meta_dataset import MetaDataset
    from mlflow.entities import DatasetInput, InputTag

    said = MetaDataset(CodeDatasetSource(tags={}), name=name, digest=digest[:_DIGEST_LENGTH])
    return DatasetInput(dataset=said._to_mlflow_entity(), tags=[InputTag("mlflow.data.context", split)])


def log_inputs(mlflow: Any, run_id: str, inputs: Sequence[Any]) -> None:
    """Log data sets. MLflow looks for one before it makes it, so of two compiles that start at once one fails once."""
    try:
        mlflow.log_inputs(run_id, datasets=inputs)
    except Exception:  # now the other's entry is there to be found; a store that is gone says so again
        mlflow.log_inputs(run_id, datasets=inputs)


def log_parameters(mlflow: Any, run_id: str, values: Mapping[str, Any]) -> None:
    """Log parameters; long values are cut, and their last character says so."""
    from mlflow.entities import Param

    mlflow.log_batch(run_id, params=[Param(_NAME.sub("_", name), _short(value)) for name, value in values.items()])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_PARAMETER else text[: _LONGEST_PARAMETER - 1] + "…"


def log_metrics(mlflow: Any, run_id: str, values: Mapping[str, float], step: int) -> None:
    """Log numbers with six digits; what is not finite is left out."""
    from mlflow.entities import Metric

    now = int(time.time() * 1000)
    known = {_NAME.sub("_", name): round(float(v), _DIGITS) for name, v in values.items() if math.isfinite(v)}
    mlflow.log_batch(run_id, metrics=[Metric(name, value, now, step) for name, value in known.items()])
