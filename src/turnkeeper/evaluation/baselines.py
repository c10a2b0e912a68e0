"""Programs that every compiled one must beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy

from ..signatures.types import Turn


class CopyQuery(dspy.Module):  # type: ignore[misc]
    """Return the query as the user wrote it; asks no LM."""

    def forward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """Return a prediction with the fields of `Reformulate`."""
        return _copied(query)

    async def aforward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        """As `forward`."""
        return _copied(query)


def _copied(query: str) -> Any:
    return dspy.Prediction(
        standalone_query=query, action="unchanged", resolved_references=(), notices=(), lm_calls=0, raw=None
    )
