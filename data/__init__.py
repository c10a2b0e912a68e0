"""Data of turnkeeper: golden sets and the demo; `load` is the datasets view, `public` reads public sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .huggingface import load

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    if name == "load":
        from .huggingface import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
