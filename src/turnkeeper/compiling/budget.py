"""Limits of a compile: calls, tokens, seconds, dollars, asked about before each row and each call.

A limit can be exceeded only by what one row, already begun, still costs: a row is never broken off, since its score
would be lost. See https://github.com/stanfordnlp/dspy/issues/397 and https://github.com/gepa-ai/gepa/issues/448.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from ..errors import InputError

_FOR_GOOD = frozenset({"ContextWindowExceededError", "ContextLengthError"})
"""Errors that asking again does not mend: the prompt is too long for the LM."""


class Limits(NamedTuple):
    """Hard limits; None is no limit. `usd` counts what the LM's provider price list says."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    usd: float | None = None


class Preset(NamedTuple):
    """How far a search goes: candidates tried, and dev rows each is scored on (None: all)."""

    candidates: int
    rows: int | None


PRESETS: dict[str, Preset] = {"light": Preset(8, 32), "medium": Preset(20, 80), "heavy": Preset(48, None)}


def preset(name: str) -> Preset:
    """Return a named preset; raises `InputError` that lists them."""
    if name not in PRESETS:
        raise InputError(f"--budget {name!r}: must be one of {', '.join(PRESETS)}")
    return PRESETS[name]


class Spent(NamedTuple):
    """What has been used so far."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0


class Budget:
    """Counts what a compile uses against its limits; thread-safe.

    Args:
        limits: The hard limits.
        clock: Seconds from a monotonic clock.
        usd_of: Dollars of a call from its prompt and completion tokens, for LMs that report no cost of their own.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        usd_of: Callable[[int, int], float] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        for name, value in self.limits._asdict().items():
            if value is not None and not value > 0:
                raise InputError(f"--max-{name} {value}: must be above 0")
        self._clock = clock
        self._started = clock()
        self._usd_of = usd_of
        self._lock = threading.Lock()
        self._calls = 0
        self._tokens = 0
        self._usd = 0.0
        self._failed = 0
        self._halted: str | None = None

    @property
    def spent(self) -> Spent:
        """What has been used so far."""
        with self._lock:
            return Spent(self._calls, self._tokens, self._clock() - self._started, self._usd)

    @property
    def stopped(self) -> str | None:
        """The limit that is reached, in words, or None."""
        with self._lock:
            return self._halted or self._reached(0)

    @property
    def failed(self) -> int:
        """Rows and calls that the LM did not answer and may answer next time: the result may be another one then."""
        with self._lock:
            return self._failed

    def fail(self, *errors: str) -> None:
        """Count rows or calls that failed, given the classes of their errors; a prompt that is too long stays so."""
        with self._lock:
            self._failed += sum(error not in _FOR_GOOD for error in errors)

    def halt(self, reason: str) -> None:
        """Stop from outside (Ctrl-C): nothing is allowed any more."""
        with self._lock:
            self._halted = reason

    def allow(self, calls: int = 1) -> bool:
        """Whether work that takes at least `calls` more LM calls may begin."""
        with self._lock:
            return self._halted is None and self._reached(calls) is None

    def spend(self, calls: int, prompt_tokens: int = 0, completion_tokens: int = 0, usd: float = 0.0) -> None:
        """Count what was used."""
        with self._lock:
            self._calls += calls
            self._tokens += prompt_tokens + completion_tokens
            self._usd += usd or (self._usd_of(prompt_tokens, completion_tokens) if self._usd_of else 0.0)

    def _reached(self, calls: int) -> str | None:
        limits = self.limits
        if limits.calls is not None and self._calls + max(calls, 1) > limits.calls:
            return f"--max-calls {limits.calls}"
        if limits.tokens is not None and self._tokens >= limits.tokens:
            return f"--max-tokens {limits.tokens}"
        if limits.usd is not None and self._usd >= limits.usd:
            return f"--max-usd {limits.usd:g}"
        if limits.seconds is not None and self._clock() - self._started >= limits.seconds:
            return f"--max-seconds {limits.seconds:g}"
        return None
