"""The options of the optimizers, `--option NAME=JSON` or `[options]` of a grid: names, types and defaults.

An optimizer that is registered by a user and names no model in `options` takes whatever it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from ..errors import InputError
from ..signatures.types import Frozen

THRESHOLD = 0.9
"""What the metric must give a demo, and a bootstrapped prediction, before it may teach."""

_Sizes = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]
_AtLeastOne = Annotated[int, Field(ge=1)]
_RowId = Annotated[str, Field(coerce_numbers_to_str=True)]
M = TypeVar("M", bound=BaseModel)


class NoOptions(Frozen):
    """Of an optimizer that takes none."""


class PoolOptions(Frozen):
    """Of every optimizer that takes demos from a pool.

    Attributes:
        threshold: What the metric must give a demo before it may teach, 0 to 1.
    """

    threshold: float = Field(default=THRESHOLD, ge=0, le=1)


class LabeledOptions(PoolOptions):
    """Of `labeled`.

    Attributes:
        sizes: Numbers of demos a predictor to draw from.
        start: Ids of train rows to climb from; none for seeded choices.
        swaps: Demos exchanged in one step of a climb.
    """

    sizes: _Sizes = (3, 4, 6, 8)
    start: tuple[_RowId, ...] = ()
    swaps: _AtLeastOne = 2


class TeacherOptions(PoolOptions):
    """Of an optimizer that runs a teacher.

    Attributes:
        max_rows: Train rows that the teacher answers at most; 12 a wanted demo by default.
    """

    max_rows: _AtLeastOne | None = None


class BootstrapOptions(TeacherOptions):
    """Of `bootstrap` and `bootstrap-rs`.

    Attributes:
        sizes: Numbers of demos a predictor.
    """

    sizes: _Sizes = (2, 4, 6, 8)


class MiproOptions(TeacherOptions):
    """Of `mipro`.

    Attributes:
        bootstrap: Whether a teacher's answers are demos too.
        demo_sets: Sets of demos to choose from.
        instructions: Instructions proposed a predictor.
        summary: Whether the proposer first sums the train rows up, for some more calls.
    """

    bootstrap: bool = True
    demo_sets: _AtLeastOne = 6
    instructions: _AtLeastOne = 5
    summary: bool = True


class GepaOptions(Frozen):
    """Of `gepa`.

    Attributes:
        demos: Demos a predictor that every program shows.
        minibatch: Train rows that one reflection reads.
        max_metric_calls: Rows scored inside the engine; the dev rows once a candidate, and once more, by default.
    """

    demos: int = Field(default=4, ge=0)
    minibatch: _AtLeastOne = 3
    max_metric_calls: _AtLeastOne | None = None


def options_of(model: type[M], given: Mapping[str, Any]) -> M:
    """Return the options of an optimizer; raises `InputError` that names the option and what it may be."""
    for name in given:
        if name not in model.model_fields:
            raise InputError(f"option `{name}`: unknown; there is: {', '.join(sorted(model.model_fields))}")
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"option `{place}`: {first['msg']}") from None


def model_of(optimizer: object) -> type[BaseModel] | None:
    """Return the model of an optimizer's options; None when it names none and takes whatever it is given."""
    model = getattr(optimizer, "options", None)
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None
