"""What the fields of an experiment file may hold; every refusal names file and field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..behaviours import Behaviour, find
from ..errors import InputError
from ..lms.resolve import require_name
from .budget import Limits
from .options import CompileOptions
from .registry import get_optimizer

_MOST_THREADS = 256
_WHOLE = ("calls", "tokens")
_OPTION = re.compile(r"(?:--([a-z-]+)|option `([^`]+)`:) ")
_PLACES = {"adapter": "grid.adapter"}


def check_names(path: Path, said: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> None:
    """Hold the behaviours, optimizers and LMs of a file against what there is."""
    behaviour = "grid.behaviour" if "behaviour" in said.get("grid", {}) else "behaviour"
    plain = {name: [said[name]] for name in ("teacher", "reflection_lm") if name in said}
    for name, values, known in (
        (behaviour, axes["behaviour"], find),
        ("grid.optimizer", axes["optimizer"], get_optimizer),
        ("grid.lm", axes["lm"], require_name),
        *((name, values, require_name) for name, values in plain.items()),
    ):
        for value in values:
            try:
                known(value)
            except InputError as error:
                raise InputError(f"{path}: field `{name}`: {error}") from None


def check_numbers(path: Path, threads: int, limits: Mapping[str, Any]) -> None:
    """Refuse threads and limits that no compile could work with."""
    if not 1 <= threads <= _MOST_THREADS:
        raise InputError(f"{path}: field `threads`: 1 to {_MOST_THREADS} is expected, not {threads}")
    for name, value in limits.items():
        if name not in Limits._fields or isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{path}: field `limits.{name}`: a number named {', '.join(Limits._fields)} is expected")
        if not (math.isfinite(value) and value > 0) or (name in _WHOLE and value != int(value)):
            kind = "a whole number" if name in _WHOLE else "a number"
            raise InputError(f"{path}: field `limits.{name}`: {kind} above 0 is expected, not {value}")


def validated(path: Path, options: CompileOptions, form: str = "grid.form") -> Behaviour:
    """Return the behaviour of a cell.

    Args:
        path: The experiment file.
        options: Of the cell.
        form: The field that named its form.

    Raises:
        InputError: One of its options cannot be used; the field stands in the place of the command's option.
    """
    try:
        return options.validated()
    except InputError as error:
        found = _OPTION.match(str(error))
        if found is None:
            raise InputError(f"{path}: {error}") from None
        option, own = found.groups()
        place = f"options.{own}" if own else form if option == "form" else _PLACES.get(option, option)
        raise InputError(f"{path}: field `{place}`: {str(error)[found.end() :]}") from None
