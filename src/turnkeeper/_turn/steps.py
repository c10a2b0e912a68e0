"""The steps of a conversation: programs that `turnkeeper.load` gives, callables of the application, or none."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, NamedTuple

from ..errors import InputError
from ..modules._guard import Guard
from .storable import storable_result
from .work import Work

AUTO: Final = "auto"
"""The step's compiled program for the conversation's LM, loaded when a turn first needs it."""
NAMES: Final = ("reformulate", "expand", "cite", "carry_forward", "rewrite")


class Step(NamedTuple):
    """One step, ready to be asked.

    Attributes:
        name: Its stem.
        run: A guard of `turnkeeper.load`, or a callable, async or not, with the same keyword arguments and result.
    """

    name: str
    run: Callable[..., Any]

    @property
    def own(self) -> bool:
        """Whether it is a guard of ours, whose result is composed by code; of a callable's only decisions are taken."""
        return isinstance(self.run, Guard)

    def work(self, **inputs: Any) -> Work:
        """Return the call as work."""
        # A guard has both ways; of a foreign callable only what it returns tells whether it is async.
        asynchronous = getattr(self.run, "acall", None)
        if self.own and asynchronous is not None:
            return Work(self.name, lambda: self.run(**inputs), lambda: asynchronous(**inputs))

        async def acall() -> Any:
            call = self.run if asynchronous is None else asynchronous
            return storable_result(await _awaited(call, inputs))

        return Work(self.name, lambda: storable_result(_waited(self.run(**inputs))), acall)


def _waited(value: Any) -> Any:
    """Return a value, or what comes of it, from code that may itself be called on an event loop."""
    if not inspect.isawaitable(value):
        return value
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_result(value))
    with ThreadPoolExecutor(1, thread_name_prefix="turnkeeper-step") as pool:
        return pool.submit(copy_context().run, asyncio.run, _result(value)).result()


async def _awaited(call: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """Return what a call gives: on the event loop where it is async, else from a thread."""
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None)):  # noqa: B004
        return await call(**inputs)
    value = await asyncio.to_thread(call, **inputs)
    return await value if inspect.isawaitable(value) else value


async def _result(value: Awaitable[Any]) -> Any:
    return await value


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
