"""rewrite: what the small decision behind "shorter please" and "in German" takes and gives; no behaviour of its own."""

from __future__ import annotations

from typing import NamedTuple

from .types import GuardedResult

MAX_SENTENCES = 12
"""Sentences of an answer that are rewritten in one call; a longer answer is shown as it was."""
MAX_REWRITTEN = 600
"""Characters of one rewritten sentence."""


class Cited(NamedTuple):
    """A sentence of an answer without its markers, and the ids that it cites."""

    text: str
    ids: tuple[str, ...]


class RewriteResult(GuardedResult):
    """What the guard gives.

    Attributes:
        text: The answer in the wanted form, its markers in the session's convention, without a Sources section; "" when
            no attempt passed.
    """

    text: str = ""
