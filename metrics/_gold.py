"""What every metric that needs a gold does alike: find the golden row of an example, and answer an optimizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

RowT = TypeVar("RowT", bound=BaseModel)


class Scored(Protocol):
    """What a behaviour's `score_components` returns."""

    @property
    def score(self) -> float: ...
    @property
    def feedback(self) -> str: ...
    @property
    def violations(self) -> tuple[str, ...]: ...
    def parts(self) -> dict[str, float]: ...


def row_of(example: Any, model: type[RowT]) -> RowT:
    """Return the golden row that an example holds: the row itself, a `dspy.Example` or a mapping with its fields.

    Raises:
        ValueError: There is none; pydantic's ValidationError is one that names the field.
    """
    if isinstance(example, model):
        return example
    fields = example if isinstance(example, Mapping) else getattr(example, "toDict", dict)()
    return model.model_validate({name: fields[name] for name in model.model_fields if name in fields})


def as_prediction(found: Scored) -> Any:
    """Return a score as optimizers want it: a `dspy.Prediction` with score, feedback, components and violations."""
    import dspy  # here alone: scores can be had without it

    return dspy.Prediction(
        score=found.score, feedback=found.feedback, components=found.parts(), violations=list(found.violations)
    )
