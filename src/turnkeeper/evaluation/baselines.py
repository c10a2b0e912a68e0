"""Programs that every compiled one must beat."""

from __future__ import annotations

from typing import Any

import dspy

from ..behaviours import DEFAULT, Behaviour, behaviour_of


class CopyQuery(dspy.Module):  # type: ignore[misc]
    """Answer with what stands in the input, the query as the user wrote it; asks no LM.

    Args:
        behaviour: Says what copying is (`Behaviour.copied`).
    """

    def __init__(self, behaviour: Behaviour | str = DEFAULT) -> None:
        super().__init__()
        self.behaviour = behaviour_of(None, behaviour)

    def forward(self, *, correction_feedback: str = "", **inputs: Any) -> dspy.Prediction:
        """Return a prediction with the fields of the behaviour's own programs."""
        return dspy.Prediction(**self.behaviour.copied(inputs), notices=(), lm_calls=0, raw=None)

    async def aforward(self, *, correction_feedback: str = "", **inputs: Any) -> dspy.Prediction:
        """As `forward`."""
        return self.forward(correction_feedback=correction_feedback, **inputs)
