"""Adapters by name. The caller applies one with `dspy.context(adapter=...)`."""

from __future__ import annotations

from collections.abc import Callable

import dspy

from .compact import CompactAdapter

Factory = Callable[[], dspy.Adapter]


def _chat() -> dspy.Adapter:
    # Without the fallback an unreadable answer costs one call, not two.
    return dspy.ChatAdapter(use_json_adapter_fallback=False)


_FACTORIES: dict[str, Factory] = {
    "chat": _chat,
    "compact": CompactAdapter,
    "json": dspy.JSONAdapter,
    "xml": dspy.XMLAdapter,
}


def adapter_names() -> list[str]:
    """The names that `get_adapter` knows, sorted."""
    return sorted(_FACTORIES)


def get_adapter(name: str) -> dspy.Adapter:
    """A new adapter.

    Raises:
        KeyError: Unknown name; the message lists the names there are.
    """
    try:
        factory = _FACTORIES[name]
    except KeyError:
        raise KeyError(f"unknown adapter `{name}`; known: {', '.join(adapter_names())}") from None
    return factory()


def register_adapter(name: str, factory: Factory) -> None:
    """Add an adapter under a name of its own.

    Raises:
        ValueError: The name is taken.
    """
    if name in _FACTORIES:
        raise ValueError(f"an adapter `{name}` is registered already")
    _FACTORIES[name] = factory
