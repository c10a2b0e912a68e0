"""What an event tells of a turn, without what its user may not see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

BESIDE = frozenset(("violations", "warnings", "usage"))
"""Fields of a result that an event has beside it."""


class DiscreetField(NamedTuple):
    """A field of an event, without what this turn's user may not see: read when the event is written, if it ever is."""

    behaviour: Any
    task: Any
    value: Any
    without: frozenset[str] = frozenset()

    def model_dump(self) -> Any:
        return self._of(self.value.model_dump(mode="json", exclude=self.without) if self.without else self.value)

    def _of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.behaviour.discreet(self.task, value)
        value = value.model_dump() if hasattr(value, "model_dump") else value
        if isinstance(value, Mapping):
            return {name: self._of(one) for name, one in value.items()}
        return [self._of(one) for one in value] if isinstance(value, (list, tuple)) else value
