"""The steps of a conversation: programs that `turnkeeper.load` gives, callables of the application, or none."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ..errors import InputError
from .work import Work

AUTO: Final = "auto"
"""The step's compiled program for the conversation's LM, loaded when a turn first needs it."""
NAMES: Final = ("reformulate", "expand", "cite", "carry_forward")


class Step(NamedTuple):
    """One step, ready to be asked.

    Attributes:
        name: Its stem.
        run: A guard of `turnkeeper.load`, or a callable with the same keyword arguments and the same result.
    """

    name: str
    run: Callable[..., Any]

    def work(self, **inputs: Any) -> Work:
        """Return the call as work."""
        call = self.run
        if inspect.iscoroutinefunction(call):
            return Work(self.name, lambda: asyncio.run(call(**inputs)), lambda: call(**inputs))
        asynchronous = getattr(call, "acall", None)
        return Work(self.name, lambda: call(**inputs), asynchronous and (lambda: asynchronous(**inputs)))


class Steps:
    """The steps by name; programs are loaded once, by whichever turn needs one first."""

    def __init__(self, given: Mapping[str, Any], load: Callable[[str], Any]) -> None:
        """Take what the application said of each step.

        Args:
            given: Name to "auto", a guard, a callable, or None for a step that is switched off.
            load: Makes the guard of an "auto" step.

        Raises:
            InputError: A step that is unknown, or given as something that cannot be called.
        """
        unknown = sorted(set(given) - set(NAMES))
        if unknown:
            raise InputError(f"no step {unknown[0]!r}; there is: {', '.join(NAMES)}")
        for name, one in given.items():
            if one is not None and one != AUTO and not callable(one):
                raise InputError(f"step {name!r} must be 'auto', None or callable, not {type(one).__name__}")
        self._given = dict(given)
        self._load = load

    def get(self, name: str) -> Step | None:
        """Return a step, or None when it is switched off. Raises what loading raises."""
        one = self._given.get(name, AUTO)
        if one is None:
            return None
        if isinstance(one, str):
            one = self._given[name] = self._load(name)
        return Step(name, one)
