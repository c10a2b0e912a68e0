"""An LM whose own calls are counted: for optimizers that call one themselves, outside of the evaluation runner."""

from __future__ import annotations

from typing import Any, NamedTuple

import dspy
from dspy.utils.usage_tracker import track_usage

from ..errors import TurnkeeperError
from .budget import Budget
from .journal import JsonlJournal, key_of


class BudgetSpentError(TurnkeeperError):
    """A limit is reached; raised at the next call of a metered LM, and caught by the search."""


class _Meter(NamedTuple):
    budget: Budget
    journal: JsonlJournal | None


class _Metered:
    """Mixed into a copy of an LM: each call is allowed, counted, and answered from the journal when it stands there."""

    _meter: _Meter

    def __call__(self, prompt: Any = None, *, messages: Any = None, **options: Any) -> Any:
        meter, key = self._meter, None
        if (meter.journal is not None and messages is not None) or isinstance(prompt, str):
            said = {name: value for name, value in self.kwargs.items() if not name.startswith("api_")}  # type: ignore[attr-defined]
            key = key_of("reply", self.model, prompt, _plain(messages), _plain({**said, **options}))  # type: ignore[attr-defined]
            known = meter.journal.get_reply(key) if meter.journal is not None else None
            if known is not None:
                return known
        if not meter.budget.allow(1):
            raise BudgetSpentError(meter.budget.stopped or "the budget is spent")
        with track_usage() as tracker:
            try:
                reply = super().__call__(prompt, messages=messages, **options)  # type: ignore[misc]
            finally:
                for entries in tracker.usage_data.values() or [[{}]]:
                    for entry in entries:
                        meter.budget.spend(
                            1, int(entry.get("prompt_tokens") or 0), int(entry.get("completion_tokens") or 0)
                        )
        if key is not None and meter.journal is not None and _is_json(reply):
            meter.journal.put_reply(key, reply)
        return reply


def metered(lm: Any, budget: Budget, journal: JsonlJournal | None = None) -> Any:
    """Return a copy of an LM that counts its calls, refuses them once a limit is reached, and remembers its replies.

    Raises, when called: `BudgetSpentError`.
    """
    counted = lm.copy()
    kind = type(lm)
    if not issubclass(kind, _Metered):
        counted.__class__ = type(f"Metered{kind.__name__}", (_Metered, kind), {"__module__": kind.__module__})
    counted.cache = False
    counted._meter = _Meter(budget, journal)
    return counted


def ask_text(lm: Any, prompt: Any) -> str:
    """Return the text that a metered LM replies to a prompt (a text, or chat messages)."""
    if not isinstance(prompt, str):
        prompt = "\n\n".join(str(message.get("content", "")) for message in prompt)
    with dspy.context(disable_history=True, trace=None):
        reply = lm(prompt)[0]
    return str(reply.get("text", "") if isinstance(reply, dict) else reply)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _is_json(reply: Any) -> bool:
    return isinstance(reply, list) and all(isinstance(item, (str, dict)) for item in reply)
