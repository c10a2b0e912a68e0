"""Compiling: optimizers behind one interface, a search with budget and journal, and the artifact it ends with."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .budget import Budget, Limits
    from .compiler import compile_program
    from .journal import JsonlJournal
    from .options import CompileOptions
    from .outcome import Outcome
    from .registry import get_optimizer, optimizer_names, register_optimizer
    from .task import Candidate, CompileTask, Optimizer
    from .teleprompter import Teleprompter

_LAZY = {
    "Budget": ".budget",
    "Candidate": ".task",
    "CompileOptions": ".options",
    "CompileTask": ".task",
    "JsonlJournal": ".journal",
    "Limits": ".budget",
    "Optimizer": ".task",
    "Outcome": ".outcome",
    "Teleprompter": ".teleprompter",
    "compile_program": ".compiler",
    "get_optimizer": ".registry",
    "optimizer_names": ".registry",
    "register_optimizer": ".registry",
}
__all__ = [
    "Budget",
    "Candidate",
    "CompileOptions",
    "CompileTask",
    "JsonlJournal",
    "Limits",
    "Optimizer",
    "Outcome",
    "Teleprompter",
    "compile_program",
    "get_optimizer",
    "optimizer_names",
    "register_optimizer",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
