"""A compiled program as an MLflow model: a `pyfunc` over the JSON artifact, made from code, with no pickle.

`mlflow models serve`, `mlflow.pyfunc.load_model` and `mlflow.pyfunc.spark_udf` take it. The model configuration names
the LM, and it is resolved where the model runs, so no key is stored:

    {"lm": "hosted_vllm/NAME", "api_base": "http://vllm:8000/v1", "threads": 8}

`threads` is how many rows of one request are asked at a time; a server that batches wants several. Whoever loads the
model changes these by `model_config=`, or in the environment by `MLFLOW_PYFUNC_INFERENCE_CONFIG` (the same as JSON).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mlflow.pyfunc import PythonModel
from pydantic import ValidationError

from ..behaviours import Behaviour, find
from ..errors import InputError, IntegrityError, SetupError, TurnkeeperError
from ..signatures.types import GuardedResult, Turn

_TURN = ("role", "content")
_MOST_THREADS = 256


class ServedProgram(PythonModel):
    """Rows of a behaviour's input (`Behaviour.takes`) -> rows of results (`Behaviour.gives`), through the guard.

    `history` is a list of {role, content}, or the same as JSON text; `access_scope` is JSON text that the application
    derives for its user, or null. Every row has its result, in order. A row that cannot be used costs no other row:
    its fields are empty, `ok` is false, `fallback` true, and `error` says what is wrong; elsewhere `error` is "".
    """

    def load_context(self, context: Any) -> None:
        """Load the artifact and resolve the LM. Raises `SetupError` when its key is missing or its server is away."""
        from .. import load, resolve_lm

        (path,) = [
            p for p in Path(context.artifacts["program"]).glob("*.json") if not p.name.endswith(".manifest.json")
        ]
        behaviour = json.loads(path.with_name(f"{path.stem}.manifest.json").read_text(encoding="utf-8"))["behaviour"]
        settings: Mapping[str, Any] = context.model_config or {}
        lm, address = settings.get("lm") or None, settings.get("api_base") or None
        self._threads = threads_of(settings.get("threads"))
        self._behaviour = find(behaviour)
        self._program = load(behaviour, lm=resolve_lm(lm, api_base=address) if address else lm, program=path)

    # Without a type hint: MLflow would take one for a schema, and the signature says it better.
    def predict(self, context, model_input, params=None):  # type: ignore[no-untyped-def]
        """Return a data frame, one row a row of the input."""
        import pandas as pd

        frame = model_input if isinstance(model_input, pd.DataFrame) else pd.DataFrame(model_input)
        with ThreadPoolExecutor(self._threads, thread_name_prefix="turnkeeper-served") as pool:
            rows = list(pool.map(self._row, frame.to_dict("records")))
        names = [*(column.name for column in self._behaviour.gives), *_COMMON, "error"]
        return pd.DataFrame(rows, columns=names)

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {**self._answered(row), "error": ""}
        except (SetupError, IntegrityError):  # what ails one row ails all
            raise
        except Exception as error:  # one row's failure must not cost the others
            said = str(error) if isinstance(error, TurnkeeperError) else f"{type(error).__name__} (a bug)"
            own = {column.name: _EMPTY[column.kind] for column in self._behaviour.gives}
            return {**own, "ok": False, "fallback": True, "violations": [], "warnings": [], "error": said}

    def _answered(self, row: Mapping[str, Any]) -> dict[str, Any]:
        inputs = {c.name: _READ[c.kind](c.name, row.get(c.name), c.required) for c in self._behaviour.takes}
        result: GuardedResult = self._program(**inputs)
        said = result.model_dump(mode="json")
        own = {
            c.name: json.dumps(said[c.name], ensure_ascii=False) if c.kind == "json" else said[c.name]
            for c in self._behaviour.gives
        }
        return {**own, **{name: tell(result) for name, tell in _COMMON.items()}}


def threads_of(value: Any) -> int:
    """Return how many rows are asked at a time; raises `InputError` for what is no number from 1 to 256, or None."""
    if value is None:
        return 1
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_THREADS:
        raise InputError(f"model configuration: field `threads`: 1 to {_MOST_THREADS} is expected, not {value!r}")
    return value


def _text(name: str, value: Any, required: bool) -> str | None:
    if isinstance(value, str):
        return value
    if required or not _missing(value):
        found = "and there is none" if _missing(value) else f"not {type(value).__name__}"
        raise InputError(f"field `{name}`: a text is expected, {found}")
    return None


def _texts(name: str, value: Any, required: bool) -> list[str]:
    return [str(_text(name, item, True)) for item in ([] if _missing(value) else list(value))]


def _turns(name: str, value: Any, required: bool) -> list[Turn]:
    if isinstance(value, str):
        value = _json(name, value, required) or []
    try:
        turns: Sequence[Any] = [] if _missing(value) else list(value)
        return [Turn.model_validate(turn if isinstance(turn, Mapping) else turn.asDict()) for turn in turns]
    except (AttributeError, TypeError, ValidationError):
        raise InputError(f"field `{name}`: a list of turns, each with role and content, is expected") from None


def _json(name: str, value: Any, required: bool) -> Any:
    text = _text(name, value, required)
    try:
        return json.loads(text) if text and text.strip() else None
    except ValueError:
        raise InputError(f"field `{name}`: is no JSON") from None


def _missing(value: Any) -> bool:
    return value is None or isinstance(value, float)  # NaN: a missing cell


_READ: dict[str, Callable[[str, Any, bool], Any]] = {"text": _text, "texts": _texts, "turns": _turns, "json": _json}
# Never None: pandas makes NaN of it, which is no JSON, and MLflow on Spark the text "None".
_EMPTY: dict[str, Any] = {"text": "", "texts": [], "turns": [], "json": "null"}
_COMMON: dict[str, Callable[[GuardedResult], Any]] = {
    "ok": lambda result: result.ok,
    "fallback": lambda result: result.fallback,
    "violations": lambda result: [violation.code for violation in result.violations],
    "warnings": lambda result: [notice.code for notice in result.warnings],
}


def signature(behaviour: Behaviour) -> Any:
    """Return the MLflow signature of a served program."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, Schema
    from mlflow.types.schema import Array, Object, Property

    texts = Array(DataType.string)
    kinds = {
        "text": DataType.string,
        "texts": texts,
        "turns": Array(Object([Property(name, DataType.string) for name in _TURN])),
        "json": DataType.string,
    }
    inputs = [ColSpec(kinds[c.kind], c.name, required=c.required) for c in behaviour.takes]
    outputs = [ColSpec(kinds[c.kind], c.name) for c in behaviour.gives]
    flags = [ColSpec(DataType.boolean, name) for name in ("ok", "fallback")]
    codes = [ColSpec(texts, name) for name in ("violations", "warnings")]
    error = ColSpec(DataType.string, "error")
    return ModelSignature(inputs=Schema(inputs), outputs=Schema([*outputs, *flags, *codes, error]))
