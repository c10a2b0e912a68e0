"""turnkeeper: what a conversational RAG turn owes to the turns before it.

The package is lazy: importing it costs no DSPy, no model and no MLflow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conversation import Conversation
    from .lms import resolve_lm
    from .loading import load

__version__ = "0.1.0"
__all__ = ["Conversation", "__version__", "load", "resolve_lm"]

_LAZY = {"Conversation": ".conversation", "load": ".loading", "resolve_lm": ".lms"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    if name == "data":  # so that `import turnkeeper` is enough for `turnkeeper.data.load(...)`
        return import_module(".data", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
