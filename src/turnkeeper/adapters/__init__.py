"""Adapters: how a signature becomes messages, and a reply becomes values."""

from __future__ import annotations

from .compact import CompactAdapter
from .registry import adapter_names, get_adapter, register_adapter

__all__ = ["CompactAdapter", "adapter_names", "get_adapter", "register_adapter"]
