"""A scored row: what evaluation makes, journals keep, comparisons and reports read."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ..signatures.types import Frozen


class Scored(Frozen):
    """One row, scored; what a line of an evaluation's JSONL holds.

    Attributes:
        score: In [0, 1]; None when the row failed: the LM did not answer, so nothing can be said of the program.
        components: Parts of the score, each in [0, 1].
        prediction: The prediction's own fields as JSON; scoring them again gives the same score.
        violations: Codes of the broken rules, of the last attempt when the result is a fallback.
        error: Class of what went wrong, never its message: messages of providers may quote keys.
        reused: Whether it comes from a journal and cost nothing now.
    """

    id: str
    kind: str
    family: str
    score: float | None = None
    components: dict[str, float] = Field(default_factory=dict)
    feedback: str = ""
    prediction: dict[str, Any] = Field(default_factory=dict)
    violations: tuple[str, ...] = ()
    error: str | None = None
    fallback: bool = False
    lm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ms: float = 0.0
    reused: bool = False
