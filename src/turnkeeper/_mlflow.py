"""The part of MLflow that tracking and releasing use: a client, and rows, digests and numbers in its shapes."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import settings
from .errors import SetupError
from .lms._lock import locked

if TYPE_CHECKING:
    from .evaluation import Evaluation

_LONGEST_PARAMETER = 500
_DIGEST_LENGTH = 36  # what MLflow keeps of one
_NAME = re.compile(r"[^\w\-. :/]", re.ASCII)


def client(uri: str) -> Any:
    """Return an MLflow client; raises `SetupError` when MLflow is not installed."""
    settings.silence_mlflow()
    try:
        from mlflow import MlflowClient
    except ImportError:
        raise SetupError("tracking needs MLflow: pip install 'turnkeeper[compile]', or say --no-track") from None
    with _alone(uri):  # the first client of a database file makes its tables
        return MlflowClient(tracking_uri=uri)


def experiment_id(mlflow: Any, name: str, uri: str) -> str:
    """Return the id of an experiment, made when it is not there."""
    with _alone(uri):
        found = mlflow.get_experiment_by_name(name)
        return str(found.experiment_id if found else mlflow.create_experiment(name))


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


def log_parameters(mlflow: Any, run_id: str, values: Mapping[str, Any]) -> None:
    """Log parameters; long values are cut."""
    from mlflow.entities import Param

    said = [Param(_NAME.sub("_", name), str(value)[:_LONGEST_PARAMETER]) for name, value in values.items()]
    mlflow.log_batch(run_id, params=said)


def log_metrics(mlflow: Any, run_id: str, values: Mapping[str, float], step: int) -> None:
    """Log numbers; what is not finite is left out."""
    from mlflow.entities import Metric

    now = int(time.time() * 1000)
    known = {_NAME.sub("_", name): float(value) for name, value in values.items() if math.isfinite(value)}
    mlflow.log_batch(run_id, metrics=[Metric(name, value, now, step) for name, value in known.items()])


def means(prefix: str, evaluation: Evaluation) -> dict[str, float]:
    """Return `<prefix>/score`, each component, counts, cost and median latency of an evaluation."""
    rows = [row for row in evaluation.rows if row.score is not None]
    found = {f"{prefix}/rows": float(len(evaluation.rows)), f"{prefix}/errors": float(evaluation.errors)}
    if not rows:
        return found
    found[f"{prefix}/score"] = math.fsum(row.score or 0.0 for row in rows) / len(rows)
    for name in sorted({name for row in rows for name in row.components}):
        found[f"{prefix}/{name}"] = math.fsum(row.components.get(name, 0.0) for row in rows) / len(rows)
    found[f"{prefix}/with_violation"] = sum(bool(row.violations) for row in rows) / len(rows)
    found[f"{prefix}/lm_calls"] = float(sum(row.lm_calls for row in rows))
    found[f"{prefix}/prompt_tokens"] = float(sum(row.prompt_tokens for row in rows))
    found[f"{prefix}/completion_tokens"] = float(sum(row.completion_tokens for row in rows))
    found[f"{prefix}/median_latency_ms"] = sorted(row.latency_ms for row in rows)[len(rows) // 2]
    return found


def columns(evaluation: Evaluation, texts: Mapping[str, tuple[str, str]]) -> dict[str, list[Any]]:
    """Return the per-example table as columns; without texts when `TURNKEEPER_LOG_TEXT` is off.

    Args:
        evaluation: Its rows.
        texts: Row id -> the query and its gold.
    """
    rows = evaluation.rows
    table: dict[str, list[Any]] = {
        "id": [row.id for row in rows],
        "kind": [row.kind for row in rows],
        "score": [row.score for row in rows],
        "violations": [" ".join(row.violations) for row in rows],
        "error": [row.error or "" for row in rows],
        "lm_calls": [row.lm_calls for row in rows],
        "prompt_tokens": [row.prompt_tokens for row in rows],
        "latency_ms": [row.latency_ms for row in rows],
    }
    if settings.log_text():
        table["query"] = [texts.get(row.id, ("", ""))[0] for row in rows]
        table["prediction"] = [str(row.prediction.get("standalone_query", "")) for row in rows]
        table["gold"] = [texts.get(row.id, ("", ""))[1] for row in rows]
        table["feedback"] = [row.feedback for row in rows]
    return table
