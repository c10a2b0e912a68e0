"""Keys of a journal: a digest of all that a scored row depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..behaviours import Behaviour, GoldenRow, behaviour_of

_CODE = ("signatures", "metrics", "modules", "adapters", "lms")


class Keys:
    """Keys of the rows of one evaluation: program, metric, code, LM, adapter, temperature, guard, repetition and row.

    Args:
        program: A `dspy.Module`, or a guard around one.
        metric: The metric.
        lm: The LM of a bare program.
        adapter: The adapter of a bare program.
        bare: Whether the program runs without its guard.
        rollout: Number of the repetition.
        behaviour: As in `runner.evaluate`.
    """

    def __init__(
        self,
        program: Any,
        metric: Callable[..., Any],
        *,
        lm: Any,
        adapter: Any,
        bare: bool,
        rollout: int = 0,
        behaviour: Behaviour | str | None = None,
    ) -> None:
        module = program if bare else program.program
        lm, adapter = (lm, adapter) if bare else (program.lm, program.adapter)
        options = getattr(lm, "kwargs", {})
        self._module, self._bare, self._behaviour = module, bare, behaviour_of(program, behaviour)
        self._digests: dict[tuple[str, ...] | None, str] = {}
        self._rest = [
            f"{metric.__module__}.{getattr(metric, '__qualname__', type(metric).__name__)}",
            code_digest(),
            getattr(lm, "model", None),
            options.get("temperature"),
            options.get("max_tokens"),
            type(adapter).__qualname__,
            bare,
            None if bare else program.risk_level,
            rollout,
        ]

    def of(self, row: GoldenRow) -> str:
        """Return the key of a row, 64 hex digits.

        A bare program that can say which predictors a row asks is keyed by these alone: candidates of a search that
        share them share the row's score.
        """
        asks = getattr(self._module, "asks", None) if self._bare else None
        asked = None if asks is None else tuple(asks(**self._behaviour.inputs(row)))
        if asked not in self._digests:
            self._digests[asked] = program_digest(self._module, asked)
        return _digest([self._digests[asked], *self._rest, row.id, row_digest(row)])


def program_digest(program: Any, predictors: tuple[str, ...] | None = None) -> str:
    """Return a digest of a program's class, form, and state without its LM; of some predictors where named."""
    state = {name: {**part, "lm": None} for name, part in program.dump_state().items() if isinstance(part, dict)}
    if predictors is not None:
        state = {name: part for name, part in state.items() if name in predictors}
    kind = f"{type(program).__module__}.{type(program).__qualname__}"
    return _digest([kind, getattr(program, "form", None), {k: v for k, v in state.items() if k != "metadata"}])


def row_digest(row: GoldenRow) -> str:
    """Return a digest of everything in a row, its gold included; 16 hex digits."""
    return _digest(row.model_dump(mode="json"))[:16]


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the code and word lists that make and score predictions, as installed."""
    digest = hashlib.sha256()
    for name in _CODE:
        for path in sorted(_folder(name).rglob("*")):
            if path.suffix in {".py", ".txt", ".json"} and path.is_file():
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _folder(name: str) -> Path:
    from importlib.resources import files

    return Path(str(files(f"{__name__.split('.')[0]}.{name}")))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True, default=str).encode()).hexdigest()
