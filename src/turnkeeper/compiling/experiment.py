"""Experiments: a grid of compiles, described in a TOML file, one row of results a cell.

behaviour = "reformulate"
budget = "light"
test = true

[grid]
optimizer = ["labeled", "bootstrap-rs"]
lm = ["embedded"]
adapter = ["compact", "chat"]
form = ["referents", "rewrite"]
seed = [0, 1, 2]

[limits]          # of each cell
calls = 400

[options]         # of the optimizer
sizes = [4, 8]
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import DEFAULT, find
from ..errors import InputError, SetupError
from .budget import Limits
from .journal import key_of
from .options import CompileOptions, lm_label
from .parameters import model_of
from .registry import get_optimizer

_AXES = ("optimizer", "lm", "adapter", "form", "seed")
_PLAIN = {"behaviour": str, "budget": str, "golden": str, "threads": int, "test": bool, "teacher": str,
          "reflection_lm": str}  # fmt: skip
_TABLES = ("grid", "limits", "options")


class Cell(NamedTuple):
    """One compile of a grid.

    Attributes:
        key: Digest of all that the cell says; a result with the same key is not computed again.
    """

    options: CompileOptions
    lm: str
    key: str

    @property
    def axes(self) -> dict[str, Any]:
        """The cell's place in the grid."""
        o = self.options
        return {"optimizer": o.optimizer, "lm": self.lm, "adapter": o.adapter, "form": o.form, "seed": o.seed}


class Experiment(NamedTuple):
    """A grid that was read: its cells in order, and the LMs that all of them share."""

    cells: list[Cell]
    teacher: str | None
    reflection_lm: str | None


def read_experiment(path: Path, folder: Path) -> Experiment:
    """Read an experiment file.

    Args:
        path: The TOML file.
        folder: Where programs and the journal of the experiment go.

    Raises:
        InputError: Not TOML, or a name or value that cannot be used; file and field are named.
    """
    said = _toml(path)
    for name in said:
        if name not in _PLAIN and name not in _TABLES:
            raise InputError(f"{path}: field `{name}`: unknown; there is: {', '.join((*_PLAIN, *_TABLES))}")
    for name, kind in _PLAIN.items():
        if name in said and type(said[name]) is not kind:
            raise InputError(f"{path}: field `{name}`: {kind.__name__} is expected, not {said[name]!r}")
    grid, limits, options = (_table(said, name, path) for name in _TABLES)
    for name in grid:
        if name not in _AXES:
            raise InputError(f"{path}: field `grid.{name}`: unknown; there is: {', '.join(_AXES)}")
    for name, value in limits.items():
        if name not in Limits._fields or isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{path}: field `limits.{name}`: a number named {', '.join(Limits._fields)} is expected")
    behaviour = said.get("behaviour", DEFAULT)
    axes = [_axis(grid, name, path, find(behaviour).forms[0]) for name in _AXES]
    for name in options:
        if not any(_takes(optimizer, name) for optimizer in axes[0]):
            raise InputError(f"{path}: field `options.{name}`: no optimizer of the grid takes it")
    cells = []
    for values in itertools.product(*axes):
        place = dict(zip(_AXES, values, strict=True))
        lm = place.pop("lm")
        compiled = CompileOptions(
            **place,
            behaviour=behaviour,
            budget=said.get("budget", "light"),
            limits=Limits(**limits),
            golden=(path.parent / said["golden"]) if "golden" in said else None,
            threads=said.get("threads", 1),
            test=said.get("test", True),
            out=folder / "programs" / _name(place, lm),
            journal=folder / "journal.jsonl",
            parameters={name: value for name, value in options.items() if _takes(place["optimizer"], name)},
        )
        entry = compiled.validated()
        digests = [entry.digest(split, compiled.golden) for split in ("train", "dev")]
        fixed = {name: said.get(name) for name in ("behaviour", "budget", "test", "teacher", "reflection_lm")}
        cells.append(Cell(compiled, lm, key_of(place, lm, fixed, limits, options, digests)))
    return Experiment(cells, said.get("teacher"), said.get("reflection_lm"))


class Results:
    """Results of an experiment, one JSONL row a cell, each on disk before the next begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {row["key"]: row for row in self._read()}

    def add(self, row: dict[str, Any]) -> None:
        """Append the row of a cell; raises `SetupError` when it cannot be written."""
        line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                torn = file.tell() and not self.path.read_bytes().endswith(b"\n")  # a row that a crash cut short
                file.write(b"\n" + line if torn else line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SetupError(
                f"{self.path}: cannot be written ({error.strerror or type(error).__name__}); "
                "the cells before are kept, and the same command goes on with this one"
            ) from None
        self.rows[row["key"]] = row

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self.path.is_file():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and isinstance(row.get("key"), str):
                yield row


def _toml(path: Path) -> dict[str, Any]:
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        said: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: not TOML: {error}") from None
    return said


def _table(said: Mapping[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = said.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{path}: field `{name}`: a table is expected")
    return table


def _axis(grid: Mapping[str, Any], name: str, path: Path, form: str) -> list[Any]:
    default = {"optimizer": "labeled", "lm": "embedded", "adapter": "compact", "form": form, "seed": 0}[name]
    values = grid.get(name, [default])
    if not isinstance(values, list) or not values or any(type(value) is not type(default) for value in values):
        raise InputError(f"{path}: field `grid.{name}`: a list of {type(default).__name__} is expected, not {values!r}")
    return values


def _takes(optimizer: str, option: str) -> bool:
    """Whether an optimizer takes an option: a grid has one table of options for all of its optimizers."""
    model = model_of(get_optimizer(optimizer))
    return model is None or option in model.model_fields


def _name(place: Mapping[str, Any], lm: str) -> str:
    return f"{lm_label(lm)}-{place['optimizer']}-{place['adapter']}-{place['form']}-{place['seed']}"
