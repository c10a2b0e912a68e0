"""What a turn was asked beside its question and window, for its event: enough to ask the same thing again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..signatures.types import AccessScope
from ._masking import mask_restricted


class Recorded(NamedTuple):
    """Inputs of a turn; built when the event is written, which is never when nobody listens.

    Attributes:
        build: Gives the inputs, JSON-ready.
        scope: Of the user; what it restricts is masked in every text.
    """

    build: Callable[[], Mapping[str, Any]]
    scope: AccessScope | None

    def model_dump(self) -> dict[str, Any]:
        masked: dict[str, Any] = self._masked(dict(self.build()))
        return masked

    def _masked(self, value: Any) -> Any:
        if isinstance(value, str):
            return mask_restricted(value, self.scope)
        if isinstance(value, dict):
            return {name: self._masked(held) for name, held in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._masked(held) for held in value]
        return value
