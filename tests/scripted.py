"""A fake engine that answers from a queue, for tests of everything above the LM."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, Usage

Reply = str | Exception | Callable[[Request], str]

_serial = itertools.count(1)


class ScriptedEngine:
    """Answers each call with the next reply of its queue and records every request.

    A reply is a text, an exception to raise, or a function of the request. An empty queue fails the test.
    """

    supports_response_schema = True
    supported_params = ("temperature", "max_tokens", "stop", "response_format", "seed")

    def __init__(self, replies: Iterable[Reply] = (), *, supports_skeleton: bool = False) -> None:
        self.replies: deque[Reply] = deque(replies)
        self.requests: list[Request] = []
        self.supports_skeleton = supports_skeleton

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        if not self.replies:
            raise AssertionError(
                f"the script is over, but call {len(self.requests)} came: {request.messages[-1].text!r}"
            )
        reply = self.replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        text = reply(request) if callable(reply) else reply
        return Response(
            id=f"scripted-{len(self.requests)}",
            model=request.model,
            message=Message.assistant(text),
            finish_reason="stop",
            usage=Usage(input_tokens=len(prompt_of(request).split()), output_tokens=len(text.split())),
        )

    @property
    def calls(self) -> int:
        """How many calls reached the engine, failed ones included."""
        return len(self.requests)

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedEngine:
        return self


class AsyncScriptedEngine:
    """The async counterpart, over the same queue."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self.engine = engine
        self.supports_response_schema = engine.supports_response_schema
        self.supported_params = engine.supported_params
        self.supports_skeleton = engine.supports_skeleton

    async def complete(self, request: Request) -> Response:
        return self.engine.complete(request)

    def __deepcopy__(self, memo: dict[int, Any]) -> AsyncScriptedEngine:
        return self


def prompt_of(request: Request) -> str:
    """The whole prompt as text: the system message and every message after it."""
    system = request.system if isinstance(request.system, str) else ""
    return "\n".join([system, *(message.text or "" for message in request.messages)])


def scripted(*replies: Reply, supports_skeleton: bool = False, **options: Any) -> dspy.LM:
    """An LM over a queue; the engine is `lm.engine`. No two LMs share a model string, hence no cache entry."""
    engine = ScriptedEngine(replies, supports_skeleton=supports_skeleton)
    options = {"temperature": 0.0, "max_tokens": 200, "num_retries": 0, **options}
    return dspy.LM(
        f"scripted/script-{next(_serial)}", engine=engine, async_engine=AsyncScriptedEngine(engine), **options
    )
