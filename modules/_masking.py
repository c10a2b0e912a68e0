"""Restricted terms leave a history before any model sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ..metrics._restricted import MASK, masked
from ..signatures.types import AccessScope, Turn
from ._window import window

__all__ = ["MASK", "mask_history", "mask_restricted", "names_mask"]

NEWEST = 200
"""Newest messages that are masked whole; of older ones only what a prompt quotes, and the rest is left out."""

_MASKED = re.compile(r"\[\s*restricted|restricted\s*\]", re.IGNORECASE)


def mask_restricted(text: str, scope: AccessScope | None) -> str:
    """Replace every restricted term of a text, in whatever spelling, by `[restricted]`."""
    return masked(text, scope.restricted_terms) if scope is not None else text


def mask_history(history: Sequence[Turn], query: str, scope: AccessScope | None) -> Sequence[Turn]:
    """Return a history in which no message holds a restricted term, at a cost that does not grow with its length.

    Messages keep their indices. One that is neither among the newest nor quoted by the prompt is empty.
    """
    if scope is None or not scope.restricted_terms:
        return history
    recent = range(max(0, len(history) - NEWEST), len(history))
    quoted = {message.place for message in window(history, query)} if recent.start else set()
    return [
        turn.model_copy(update={"content": mask_restricted(turn.content, scope) if n in recent or n in quoted else ""})
        for n, turn in enumerate(history)
    ]


def names_mask(text: str) -> bool:
    """Whether a text of a model holds `[restricted]`, or is nothing but that word."""
    return _MASKED.search(text) is not None or text.strip().strip(".\"'").lower() in ("restricted", "the restricted")


def answers_with_mask(raw: str | None) -> bool:
    """Whether a raw answer (a text, or a JSON list of referents) points at something restricted."""
    if not raw:
        return False
    try:
        parts = json.loads(raw)
    except (ValueError, RecursionError):
        parts = raw
    return any(names_mask(str(part)) for part in (parts if isinstance(parts, list) else [raw]))
