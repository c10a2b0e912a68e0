"""The best passages of an embedded engine: passages that name something excluded come lower, hidden ones not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import InputError
from ..signatures.types import Passage
from ._plan import Excluded, Plan
from ._visibility import Visibility
from .request import SearchRequest

MOST_ROWS = 20_000
"""Rows that are read for one search when most of what an engine finds names a restricted term."""

DEMOTION = 0.5
"""What is left of the score of a passage that names something excluded."""


class Row(NamedTuple):
    """A passage as an engine found it."""

    score: float
    passage: Passage


Page = Callable[[Excluded, int, int], Sequence[Row]]
"""Rows of one half of the index (`Excluded`), best first, from an offset, at most a number of them."""


def ranked(page: Page, asked: Plan, request: SearchRequest, demotion: float) -> tuple[Passage, ...]:
    """Return the best `k` passages.

    Passages that name something excluded are searched for apart and merged in at a part of their score: taking more
    rows and sorting them again would miss those further down.
    """
    if asked.is_empty:
        return ()
    visible = Visibility(request)
    rows = _gather(page, "filter", visible, request.k)
    if request.exclusion_mode == "demote" and asked.must_not:
        named = _gather(page, "only", visible, request.k)
        rows = sorted([*rows, *(Row(row.score * demotion, row.passage) for row in named)], key=lambda row: -row.score)
    return tuple(row.passage.model_copy(update={"score": row.score}) for row in rows[: request.k])


def demotion_of(given: float) -> float:
    """Return a factor of demotion, checked.

    Raises:
        InputError: It is outside 0 to 1.
    """
    if not 0.0 <= given <= 1.0:
        raise InputError(f"demotion is a factor from 0 to 1, not {given}")
    return given


def _gather(page: Page, excluded: Excluded, visible: Visibility, k: int) -> list[Row]:
    found: list[Row] = []
    offset, size = 0, k
    while len(found) < k and offset < MOST_ROWS:
        rows = page(excluded, offset, size)
        found += [row for row in rows if visible(row.passage)]
        if len(rows) < size:
            break
        offset, size = offset + size, 2 * size
    return found[:k]
