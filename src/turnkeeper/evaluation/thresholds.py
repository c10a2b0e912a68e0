"""Thresholds of the gate: `[tool.turnkeeper.gate.<behaviour>]` of a pyproject.toml."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError

KINDS = "kinds"


class Thresholds(NamedTuple):
    """Lowest means that pass: of the score and the components by name, and of the score by kind."""

    components: dict[str, float]
    kinds: dict[str, float]


def read_thresholds(path: Path, behaviour: str, known: frozenset[str]) -> Thresholds:
    """Read the thresholds of a behaviour; a missing file or table gives none.

    Args:
        path: A pyproject.toml.
        behaviour: The table's last name.
        known: Names that the table may hold beside `kinds`.

    Raises:
        InputError: The file is not TOML, or a name or value cannot be used; file and field are named.
    """
    if not path.is_file():
        return Thresholds({}, {})
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        table = toml.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # TOMLDecodeError, and bytes that are no UTF-8
        raise InputError(f"{path}: not TOML: {error}") from None
    place = f"tool.turnkeeper.gate.{behaviour}"
    for name in place.split("."):
        table = table.get(name, {}) if isinstance(table, Mapping) else {}
    said = dict(table) if isinstance(table, Mapping) else {}
    kinds = said.pop(KINDS, {})
    if not isinstance(kinds, Mapping):
        raise InputError(f"{path}: field `{place}.{KINDS}`: a table of kinds is expected")
    for name in said:
        if name not in known:
            raise InputError(f"{path}: field `{place}.{name}`: unknown; there is: {', '.join(sorted(known))}, {KINDS}")
    return Thresholds(
        {name: _share(value, f"{path}: field `{place}.{name}`") for name, value in said.items()},
        {name: _share(value, f"{path}: field `{place}.{KINDS}.{name}`") for name, value in kinds.items()},
    )


def _share(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"{place}: a number from 0 to 1 is expected, not {value!r}")
    return float(value)
