"""An LM whose own calls are counted: for optimizers that call one themselves, outside of the evaluation runner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
        key = self._key(prompt, messages, options)
        known = self._known(key)
        if known is not None:
            return known
        with self._counted():
            reply = super().__call__(prompt, messages=messages, **options)  # type: ignore[misc]
        return self._kept(key, reply)

    async def acall(self, prompt: Any = None, *, messages: Any = None, **options: Any) -> Any:
        key = self._key(prompt, messages, options)
        known = self._known(key)
        if known is not None:
            return known
        with self._counted():
            reply = await super().acall(prompt, messages=messages, **options)  # type: ignore[misc]
        return self._kept(key, reply)

    def _key(self, prompt: Any, messages: Any, options: dict[str, Any]) -> str | None:
        """A request object has no key: only what optimizers send, texts and messages, is remembered."""
        if messages is None and not isinstance(prompt, str):
            return None
        model, fixed = self.model, self.kwargs  # type: ignore[attr-defined]
        said = {name: value for name, value in fixed.items() if not name.startswith("api_")}
        return key_of("reply", model, prompt, _plain(messages), _plain({**said, **options}))

    def _known(self, key: str | None) -> Any:
        journal = self._meter.journal
        return journal.get_reply(key) if journal is not None and key is not None else None

    def _kept(self, key: str | None, reply: Any) -> Any:
        journal = self._meter.journal
        if journal is not None and key is not None and _is_json(reply):
            journal.put_reply(key, reply)
        return reply

    @contextmanager
    def _counted(self) -> Iterator[None]:
        budget = self._meter.budget
        if not budget.allow(1):
            raise BudgetSpentError(budget.stopped or "the budget is spent")
        with track_usage() as tracker:
            try:
                yield
            except Exception as error:
                budget.fail(type(error).__name__)
                raise
            finally:  # a failed call is a call too
                entries = [entry for listed in tracker.usage_data.values() for entry in listed] or [{}]
                for entry in entries:
                    prompt, completion = (int(entry.get(f"{part}_tokens") or 0) for part in ("prompt", "completion"))
                    budget.spend(1, prompt, completion)


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
