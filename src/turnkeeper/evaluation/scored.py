"""A scored row: what evaluation makes, journals keep, comparisons and reports read."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ..behaviours import GOOD
from ..signatures.types import Frozen


class Scored(Frozen):
    """One row, scored; what a line of an evaluation's JSONL holds.

    Attributes:
        language: Of the query or question, ISO 639-1; empty in files of older versions.
        row_digest: Digest of the golden row; rows with the same id and another digest do not compare.
        score: In [0, 1]; None when the row failed: the LM did not answer, so nothing can be said of the program.
        components: Parts of the score, each in [0, 1].
        prediction: The prediction's own fields as JSON; scoring them again gives the same score.
        violations: Codes of the rules that the prediction breaks; of what was returned, after a fallback too.
        error: Class of what went wrong, never its message: messages of providers may quote keys.
        reused: Whether it comes from a journal and cost nothing now.
    """

    id: str
    kind: str
    family: str
    language: str = ""
    row_digest: str = ""
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

    @property
    def good(self) -> bool:
        """Whether the prediction breaks no rule and agrees with the gold (`behaviours.GOOD`)."""
        return self.score is not None and self.score >= GOOD and not self.violations
