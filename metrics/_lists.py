"""Items of an enumerated list in a message, and the pick of one by ordinal."""

from __future__ import annotations

import re
from collections.abc import Sequence


def list_items(text: str) -> list[str]:
    """Return the items of the newest list."""
    return [m.strip() for m in re.findall(r"(?:^|\s)\d{1,2}[.)]\s+([^\n]+?)(?=\s+\d{1,2}[.)]\s|\n|$)", text)]


def pick_ordinal(mention_text: str, items: Sequence[str]) -> str | None:
    """Return the item that an ordinal picks."""
    return None
