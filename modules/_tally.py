"""What the attempts of one turn cost, calls, tokens, milliseconds, and who hears them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from dspy.utils.usage_tracker import UsageTracker

from ..signatures.types import Usage, Violation
from ._heard import Heard


class Tally:
    """Adds up DSPy's usage entries; the clock runs from the start of the turn."""

    def __init__(self) -> None:
        self.attempts = 0
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.reused_tokens = 0
        self.started = time.perf_counter()
        self.heard: Heard | None = None

    def add(self, tracker: UsageTracker) -> None:
        for entries in tracker.usage_data.values():
            for entry in entries:
                self.calls += 1
                self.prompt_tokens += int(entry.get("prompt_tokens") or 0)
                self.completion_tokens += int(entry.get("completion_tokens") or 0)
                details = entry.get("prompt_tokens_details") or {}
                self.reused_tokens += int(details.get("cached_tokens") or 0)

    def usage(self) -> Usage:
        return Usage(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            reused_tokens=self.reused_tokens,
            latency_ms=round((time.perf_counter() - self.started) * 1000, 3),
        )

    def retract(self, violations: Sequence[Violation]) -> None:
        """Take back what was drafted of an answer that failed."""
        if self.heard is not None:
            self.heard.retract(tuple(dict.fromkeys(v.code for v in violations)) or ("lm_error",))

    def unheard(self) -> None:
        """Take back what was drafted, and let nobody hear the next call."""
        self.retract(())
        self.heard = None
