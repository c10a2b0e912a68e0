"""Behaviours by name: the one registry that loading, compiling, evaluating, the gate and tracking read.

A further behaviour is a module beside this one with an `ENTRY`, and its line in `_MODULES`; an application registers
one of its own with `register`. An entry is imported when it is asked for, since it brings its program and golden set.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..errors import InputError
from ._entry import GOOD, Behaviour, Column, Demo, GoldenRow, Shown

__all__ = [
    "DEFAULT",
    "GOOD",
    "Behaviour",
    "Column",
    "Demo",
    "GoldenRow",
    "Shown",
    "behaviour_of",
    "find",
    "names",
    "register",
]

DEFAULT = "reformulate"
"""The behaviour of a bare program that says of itself nothing else."""
_MODULES = {"reformulate": "._reformulate", "expand": "._expand", "carry_forward": "._carry_forward"}
_REGISTERED: dict[str, Callable[[], Behaviour]] = {}


def names() -> list[str]:
    """The names that `find` knows, sorted."""
    return sorted({*_MODULES, *_REGISTERED})


def find(name: str) -> Behaviour:
    """Return a behaviour; raises `InputError` that lists what there is."""
    if name in _REGISTERED:
        return _REGISTERED[name]()
    if name not in _MODULES:
        raise InputError(f"no behaviour {name!r}; there is: {', '.join(names())}")
    entry: Behaviour = import_module(_MODULES[name], __name__).ENTRY
    return entry


def behaviour_of(program: Any, named: Behaviour | str | None = None) -> Behaviour:
    """Return the behaviour of a program: the one that is named, else the one that its guard knows, else `DEFAULT`."""
    if isinstance(named, Behaviour):
        return named
    known = getattr(getattr(program, "behaviour", None), "name", None)
    return find(named or (known if isinstance(known, str) else DEFAULT))


def register(name: str, entry: Callable[[], Behaviour]) -> None:
    """Add a behaviour under a name of its own; raises `ValueError` when the name is taken."""
    if name in names():
        raise ValueError(f"a behaviour `{name}` is registered already")
    _REGISTERED[name] = entry
