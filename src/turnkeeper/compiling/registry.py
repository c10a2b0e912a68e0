"""Optimizers by name. A further one is a class with `propose`; for DSPy teleprompters see `teleprompter`."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .task import Optimizer

Factory = Callable[[], Optimizer]


def _labeled() -> Optimizer:
    from ._labeled import Labeled

    return Labeled()


def _bootstrap() -> Optimizer:
    from ._bootstrap import Bootstrap

    return Bootstrap()


def _bootstrap_rs() -> Optimizer:
    from ._bootstrap import BootstrapRandomSearch

    return BootstrapRandomSearch()


def _mipro() -> Optimizer:
    from ._mipro import Mipro

    return Mipro()


def _gepa() -> Optimizer:
    from ._gepa import Gepa

    return Gepa()


def _zero_shot() -> Optimizer:
    from ._zero_shot import ZeroShot

    return ZeroShot()


_OPTIMIZERS: dict[str, Factory] = {
    "bootstrap": _bootstrap,
    "bootstrap-rs": _bootstrap_rs,
    "gepa": _gepa,
    "labeled": _labeled,
    "mipro": _mipro,
    "zero-shot": _zero_shot,
}


def optimizer_names() -> list[str]:
    """The names that `get_optimizer` knows, sorted."""
    return sorted(_OPTIMIZERS)


def get_optimizer(name: str) -> Optimizer:
    """Return a new optimizer; raises `InputError` that lists what there is."""
    if name not in _OPTIMIZERS:
        raise InputError(f"unknown optimizer {name!r}; there is: {', '.join(optimizer_names())}")
    return _OPTIMIZERS[name]()


def register_optimizer(name: str, factory: Factory) -> None:
    """Add an optimizer under a name of its own; raises `ValueError` when the name is taken."""
    if name in _OPTIMIZERS:
        raise ValueError(f"an optimizer `{name}` is registered already")
    _OPTIMIZERS[name] = factory
