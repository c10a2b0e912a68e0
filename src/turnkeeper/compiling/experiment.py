"""Experiments: a grid of compiles, described in a YAML or TOML file, one row of results a cell.

A cell's limits hold for its search and its test split together: where one is reached, what was found so far is the
cell's result, and a test split that it cut short gives no figures (`untested` says so).

budget: light
candidates: 3              # the budget's number without it
test: true
guarded: true              # the test split, bare and guarded, with fallbacks and costs
grid:
  behaviour: [reformulate, expand]
  optimizer: [zero-shot, labeled, bootstrap-rs]
  lm: [embedded]
  adapter: [compact, chat]
  form: [auto]
  demos: [4, 8]            # a predictor; without it, what the optimizer tries by itself
  train_rows: [50, 100]    # for a learning curve; all without it
  seed: [0, 1, 2]
forms: {cite: claims}      # of a behaviour, where the grid has no form; its first without it
limits: {calls: 400}       # of each cell, its test split too
options: {threshold: 0.9}  # of the optimizers
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import DEFAULT, find, names
from ..errors import InputError
from ._cell_key import cell_key
from ._experiment_fields import check_names, check_numbers, validated
from .budget import Limits
from .options import CompileOptions, lm_label, train_rows
from .parameters import model_of
from .registry import get_optimizer

_AXES = ("behaviour", "optimizer", "lm", "adapter", "form", "demos", "train_rows", "seed")
_LATER = ("behaviour", "demos", "train_rows")
"""Axes that earlier versions did not have: the folders of a file without them are named without them."""
_PLAIN = {"behaviour": str, "budget": str, "golden": str, "threads": int, "test": bool, "teacher": str,
          "reflection_lm": str, "candidates": int, "guarded": bool}  # fmt: skip
_TABLES = ("grid", "limits", "options", "forms")


class Cell(NamedTuple):
    """One compile of a grid.

    Attributes:
        key: Digest of all that the result depends on: what the file says of the cell, the golden splits that are
            asked, weights in GGUF files, the code. A result with the same key is not computed again. Its first digits
            end the names of the cell's folder and files, so that no two results share one.
    """

    options: CompileOptions
    lm: str
    key: str
    demos: int | None = None
    train: int = 0

    @property
    def remote(self) -> bool:
        """Whether the LM answers from elsewhere, so that several cells may ask it at a time."""
        return self.lm.partition(":")[0] not in ("embedded", "gguf")

    @property
    def axes(self) -> dict[str, Any]:
        """The cell's place in the grid."""
        o = self.options
        return {
            "behaviour": o.behaviour, "optimizer": o.optimizer, "lm": self.lm, "adapter": o.adapter, "form": o.form,
            "demos": self.demos, "train_rows": o.train_rows or self.train, "seed": o.seed,
        }  # fmt: skip


class Experiment(NamedTuple):
    """A grid that was read: its cells in order, and the LMs that all of them share.

    Attributes:
        guarded: Whether each cell's program answers the test split bare and guarded (`tested.on_test`).
    """

    cells: list[Cell]
    teacher: str | None
    reflection_lm: str | None
    guarded: bool = False


def read_experiment(path: Path, folder: Path) -> Experiment:
    """Read an experiment file.

    Args:
        path: The YAML (`.yaml`, `.yml`) or TOML file.
        folder: Where programs and the journal of the experiment go.

    Raises:
        InputError: Not YAML or TOML, or a name or value that cannot be used; file and field are named.
    """
    said = _parsed(path)
    for name in said:
        if name not in _PLAIN and name not in _TABLES:
            raise InputError(f"{path}: field `{name}`: unknown; there is: {', '.join((*_PLAIN, *_TABLES))}")
    for name, kind in _PLAIN.items():
        if name in said and type(said[name]) is not kind:
            raise InputError(f"{path}: field `{name}`: {kind.__name__} is expected, not {said[name]!r}")
    grid, limits, options, forms = (_table(said, name, path) for name in _TABLES)
    for name in grid:
        if name not in _AXES:
            raise InputError(f"{path}: field `grid.{name}`: unknown; there is: {', '.join(_AXES)}")
    check_numbers(path, said.get("threads", 1), limits)
    named = said.get("behaviour", DEFAULT)
    axes = [_axis(grid, name, path, named) for name in _AXES]
    check_names(path, said, dict(zip(_AXES, axes, strict=True)))
    for name in options:
        if not any(_takes(optimizer, name) for optimizer in axes[_AXES.index("optimizer")]):
            raise InputError(f"{path}: field `options.{name}`: no optimizer of the grid takes it")
    for name in forms:
        if name not in names():
            raise InputError(f"{path}: field `forms.{name}`: unknown; there is: {', '.join(names())}")
    guarded = said.get("guarded", False)
    cells = []
    for values in itertools.product(*axes):
        place = dict(zip(_AXES, values, strict=True))
        behaviour, lm, demos, train = (place.pop(name) for name in ("behaviour", "lm", "demos", "train_rows"))
        place["form"] = place["form"] or forms.get(behaviour) or find(behaviour).forms[0]
        given = {name: value for name, value in options.items() if _takes(place["optimizer"], name)}
        later = {"behaviour": behaviour, "demos": demos, "train_rows": train}
        later = {name: value for name, value in later.items() if name in grid}
        compiled = CompileOptions(
            **place,
            behaviour=behaviour,
            budget=said.get("budget", "light"),
            candidates=said.get("candidates"),
            limits=Limits(**limits),
            golden=_golden(said, behaviour, path),
            threads=said.get("threads", 1),
            test=said.get("test", True) and not guarded,
            out=folder / "programs",
            journal=folder / "journal.jsonl",
            parameters=given if demos is None else {**given, **_demos(place["optimizer"], demos, path)},
            train_rows=train,
            replace=True,  # the folder is the cell's own
        )
        entry = validated(path, compiled, "grid.form" if "form" in grid else f"forms.{behaviour}")
        key = cell_key(said, {**place, **later}, lm, entry, compiled.golden)
        name = f"{_name({**place, **later}, lm)}-{key[:8]}"
        compiled = replace(compiled, out=compiled.out / name)
        rows = entry.load("train", compiled.golden)
        try:
            train_rows(rows, compiled)
        except InputError as error:
            raise InputError(f"{path}: field `grid.train_rows`: {error}") from None
        cells.append(Cell(compiled, lm, key, demos, len(rows)))
    return Experiment(cells, said.get("teacher"), said.get("reflection_lm"), guarded)


def _parsed(path: Path) -> dict[str, Any]:
    kind = "YAML" if path.suffix.lower() in (".yaml", ".yml") else "TOML"
    try:
        text = path.read_text(encoding="utf-8")
        said = _yaml(text) if kind == "YAML" else _toml(text)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: not {kind}: {error}") from None
    if not isinstance(said, dict):
        raise InputError(f"{path}: not {kind} with fields: {type(said).__name__}")
    return said


def _toml(text: str) -> Any:
    toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return toml.loads(text)


def _yaml(text: str) -> Any:
    yaml: Any = import_module("yaml")  # DSPy brings it
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


def _table(said: Mapping[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = said.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{path}: field `{name}`: a table is expected")
    return table


_DEFAULTS: dict[str, Any] = {
    "behaviour": DEFAULT, "optimizer": "labeled", "lm": "embedded", "adapter": "compact", "form": "", "demos": 0,
    "train_rows": 0, "seed": 0,
}  # fmt: skip


def _axis(grid: Mapping[str, Any], name: str, path: Path, behaviour: str) -> list[Any]:
    """Return the values of an axis; one that is left out has one value, None where that means all or any."""
    kind = type(_DEFAULTS[name])
    if name not in grid:
        plain = {"behaviour": behaviour, "form": None, "demos": None, "train_rows": None}
        return [plain.get(name, _DEFAULTS[name])]
    values = grid[name]
    if not isinstance(values, list) or not values or any(type(value) is not kind for value in values):
        raise InputError(f"{path}: field `grid.{name}`: a list of {kind.__name__} is expected, not {values!r}")
    if name in ("demos", "train_rows") and any(value < 1 for value in values):
        raise InputError(f"{path}: field `grid.{name}`: 1 or more is expected, not {values!r}")
    return values


def _demos(optimizer: str, demos: int, path: Path) -> dict[str, Any]:
    """Return the option by which an optimizer is told how many demos a predictor gets."""
    model = model_of(get_optimizer(optimizer))
    for name, value in (("sizes", [demos]), ("demos", demos)):
        if model is not None and name in model.model_fields:
            return {name: value}
    raise InputError(f"{path}: field `grid.demos`: {optimizer} cannot be told how many; give it a file of its own")


def _golden(said: Mapping[str, Any], behaviour: str, path: Path) -> Path | None:
    """Return the folder of an own golden set; with several behaviours, each has a folder of its name in it."""
    if "golden" not in said:
        return None
    folder = path.parent / str(said["golden"])
    return folder / behaviour if (folder / behaviour).is_dir() else folder


def _takes(optimizer: str, option: str) -> bool:
    """Whether an optimizer takes an option: a grid has one table of options for all of its optimizers."""
    model = model_of(get_optimizer(optimizer))
    return model is None or option in model.model_fields


def _name(place: Mapping[str, Any], lm: str) -> str:
    name = f"{lm_label(lm)}-{place['optimizer']}-{place['adapter']}-{place['form']}-{place['seed']}"
    return "-".join([name, *(f"{axis.partition('_')[0]}-{place[axis]}" for axis in _LATER if axis in place)])
