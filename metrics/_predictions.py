"""A prediction as its model, whatever a program, a file or a caller made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..signatures.types import Violation

Model = TypeVar("Model", bound=BaseModel)


def read_prediction(prediction: Any, model: type[Model], *, none_is_absent: bool = False) -> Model | Violation:
    """Return a prediction as its model, or one `unparsable` violation that names the field; never raises.

    Args:
        prediction: The model itself, or any mapping or object with its fields; unknown fields are ignored.
        model: The public prediction model of the behaviour.
        none_is_absent: Whether None in a mapping counts as a field that was left out.
    """
    if isinstance(prediction, model):
        return prediction
    names = tuple(model.model_fields)
    try:
        if isinstance(prediction, Mapping):
            fields = {name: prediction[name] for name in names if name in prediction}
            fields = {n: v for n, v in fields.items() if v is not None} if none_is_absent else fields
        elif isinstance(prediction, (str, bytes, int, float, list, tuple, type(None))):
            return _unparsable("the prediction", f"it is a {type(prediction).__name__} and not an object with fields")
        else:
            fields = {name: value for name in names if (value := getattr(prediction, name, None)) is not None}
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return _unparsable("field `" + ".".join(map(str, first["loc"])) + "`", first["msg"])
    except Exception as error:  # a foreign object may raise anything from its attributes
        return _unparsable("the prediction", type(error).__name__)


def _unparsable(place: str, reason: str) -> Violation:
    return Violation(code="unparsable", message=f"The prediction cannot be read at {place}: {reason[:200]}.", span=None)
