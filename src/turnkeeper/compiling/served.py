"""A compiled program as an MLflow model: a `pyfunc` over the JSON artifact, made from code, with no pickle.

`mlflow models serve`, `mlflow.pyfunc.load_model` and `mlflow.pyfunc.spark_udf` take it. The LM is named in the model
configuration (`model_config={"lm": "openai/gpt-4o-mini"}`) and is resolved where the model runs, so no key is stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mlflow.pyfunc import PythonModel

from ..errors import InputError
from ..signatures.types import AccessScope, Turn

INPUTS = ("query", "history", "access_scope")
OUTPUTS = ("standalone_query", "action", "ok", "fallback", "violations", "warnings")


class ServedProgram(PythonModel):
    """Rows of (query, history, access_scope) -> rows of results, through the guard.

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
        self._program = load(behaviour, lm=settings.get("lm") or None, program=path)

    # Without a type hint: MLflow would take one for a schema, and the signature says it better.
    def predict(self, context, model_input, params=None):  # type: ignore[no-untyped-def]
        """Return a data frame, one row a row of the input."""
        import pandas as pd

        frame = model_input if isinstance(model_input, pd.DataFrame) else pd.DataFrame(model_input)
        rows = [self._row(row) for row in frame.to_dict("records")]
        return pd.DataFrame(rows, columns=list(OUTPUTS))

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        query, scope = row.get("query"), row.get("access_scope")
        if not isinstance(query, str):
            raise InputError(f"field `query`: a text is expected, not {type(query).__name__}")
        result = self._program(
            history=_history(row.get("history")),
            query=query,
            access_scope=AccessScope.model_validate_json(scope) if isinstance(scope, str) and scope else None,
        )
        return {
            "standalone_query": result.standalone_query,
            "action": result.action,
            "ok": result.ok,
            "fallback": result.fallback,
            "violations": [violation.code for violation in result.violations],
            "warnings": [notice.code for notice in result.warnings],
        }


def _history(value: Any) -> list[Turn]:
    if isinstance(value, str):
        value = json.loads(value) if value.strip() else []
    turns: Sequence[Any] = [] if value is None or isinstance(value, float) else list(value)  # NaN: a missing cell
    return [Turn.model_validate(turn if isinstance(turn, Mapping) else turn.asDict()) for turn in turns]


def signature() -> Any:
    """Return the MLflow signature of a served program."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, Schema
    from mlflow.types.schema import Array, Object, Property

    turn = Object([Property("role", DataType.string), Property("content", DataType.string)])
    inputs = [
        ColSpec(DataType.string, "query"),
        ColSpec(Array(turn), "history", required=False),
        ColSpec(DataType.string, "access_scope", required=False),
    ]
    kinds = (DataType.string, DataType.string, DataType.boolean, DataType.boolean)
    texts = [ColSpec(Array(DataType.string), name) for name in OUTPUTS[4:]]
    outputs = [*(ColSpec(kind, name) for kind, name in zip(kinds, OUTPUTS, strict=False)), *texts]
    return ModelSignature(inputs=Schema(inputs), outputs=Schema(outputs))
