"""A compiled program as an MLflow model: a `pyfunc` over the JSON artifact, made from code, with no pickle.

`mlflow models serve`, `mlflow.pyfunc.load_model` and `mlflow.pyfunc.spark_udf` take it. The LM is named in the model
configuration (`model_config={"lm": "openai/gpt-4o-mini"}`) and is resolved where the model runs, so no key is stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlflow.pyfunc import PythonModel

from ..behaviours import Behaviour, find
from ..errors import InputError
from ..signatures.types import GuardedResult, Turn

_TURN = ("role", "content")


class ServedProgram(PythonModel):
    """Rows of a behaviour's input (`Behaviour.takes`) -> rows of results (`Behaviour.gives`), through the guard.

    `history` is a list of {role, content}, or the same as JSON text; `access_scope` is JSON text that the application
    derives for its user, or null.
    """

    def load_context(self, context: Any) -> None:
        """Load the artifact and resolve the LM."""
        from .. import load

        (path,) = [
            p for p in Path(context.artifacts["program"]).glob("*.json") if not p.name.endswith(".manifest.json")
        ]
        behaviour = json.loads(path.with_name(f"{path.stem}.manifest.json").read_text(encoding="utf-8"))["behaviour"]
        settings: Mapping[str, Any] = context.model_config or {}
        self._behaviour = find(behaviour)
        self._program = load(behaviour, lm=settings.get("lm") or None, program=path)

    # Without a type hint: MLflow would take one for a schema, and the signature says it better.
    def predict(self, context, model_input, params=None):  # type: ignore[no-untyped-def]
        """Return a data frame, one row a row of the input."""
        import pandas as pd

        frame = model_input if isinstance(model_input, pd.DataFrame) else pd.DataFrame(model_input)
        rows = [self._row(row) for row in frame.to_dict("records")]
        return pd.DataFrame(rows, columns=[*(c.name for c in self._behaviour.gives), *_COMMON])

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        inputs = {c.name: _READ[c.kind](c.name, row.get(c.name), c.required) for c in self._behaviour.takes}
        result: GuardedResult = self._program(**inputs)
        said = result.model_dump(mode="json")
        own = {
            c.name: json.dumps(said[c.name], ensure_ascii=False) if c.kind == "json" else said[c.name]
            for c in self._behaviour.gives
        }
        return {**own, **{name: tell(result) for name, tell in _COMMON.items()}}


def _text(name: str, value: Any, required: bool) -> str | None:
    if isinstance(value, str):
        return value
    if required or not _missing(value):
        raise InputError(f"field `{name}`: a text is expected, not {type(value).__name__}")
    return None


def _texts(name: str, value: Any, required: bool) -> list[str]:
    return [str(_text(name, item, True)) for item in ([] if _missing(value) else list(value))]


def _turns(name: str, value: Any, required: bool) -> list[Turn]:
    if isinstance(value, str):
        value = _json(name, value, required) or []
    turns: Sequence[Any] = [] if _missing(value) else list(value)
    return [Turn.model_validate(turn if isinstance(turn, Mapping) else turn.asDict()) for turn in turns]


def _json(name: str, value: Any, required: bool) -> Any:
    text = _text(name, value, required)
    try:
        return json.loads(text) if text and text.strip() else None
    except ValueError:
        raise InputError(f"field `{name}`: is no JSON") from None


def _missing(value: Any) -> bool:
    return value is None or isinstance(value, float)  # NaN: a missing cell


_READ: dict[str, Callable[[str, Any, bool], Any]] = {"text": _text, "texts": _texts, "turns": _turns, "json": _json}
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
    return ModelSignature(inputs=Schema(inputs), outputs=Schema([*outputs, *flags, *codes]))
