"""LMs: llama.cpp in this process, or any that DSPy reaches; `resolve_lm` makes one from a short text."""

from __future__ import annotations

from .catalogue import DEFAULT_MODEL, MODELS, ModelEntry
from .resolve import probe, resolve_lm

__all__ = ["DEFAULT_MODEL", "MODELS", "ModelEntry", "probe", "resolve_lm"]
