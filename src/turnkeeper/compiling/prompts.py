"""What a program sends, rendered through its adapter without an LM: to count demos and tokens."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import dspy
from dspy import lm15

from ..behaviours import GoldenRow
from .task import CompileTask

_TOKENS_A_WORD = 1.4
"""Tokens an English word in common vocabularies, prompt format included, where no tokenizer is at hand."""
_INCOMPLETE = ("Not supplied for this particular example", "some input or output fields are not supplied")


class _Capture:
    """An engine that keeps requests and answers none."""

    def __init__(self, like: Any) -> None:
        engine = getattr(like, "engine", None)
        self.supports_skeleton = bool(getattr(engine, "supports_skeleton", False))
        self.supports_response_schema = bool(getattr(like, "supports_response_schema", False))
        self.supported_params = frozenset({"temperature", "max_tokens", "response_format"})
        self.seen: list[lm15.Request] = []
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        with self._lock:
            self.seen.append(request)
        raise lm15.InvalidRequestError("captured")

    def __deepcopy__(self, memo: dict[int, Any]) -> _Capture:
        return self


class Prompt:
    """One request as text.

    Attributes:
        messages: (role, text), the system text first.
    """

    def __init__(self, request: lm15.Request) -> None:
        system = [("system", _text(request.system))] if request.system else []
        self.messages = [*system, *((message.role, message.text or "") for message in request.messages)]

    @property
    def demos(self) -> int:
        """How many complete demos stand in it: each is a user message with its answer."""
        text = "\n".join(said for _, said in self.messages)
        if any(mark in text for mark in _INCOMPLETE):
            return 0
        return sum(role == "assistant" for role, _ in self.messages)

    def tokens(self, lm: Any) -> int:
        """Tokens by the engine's own count, else estimated from the words."""
        text = "\n".join(said for _, said in self.messages)
        count = getattr(getattr(lm, "engine", None), "count_tokens", None)
        return int(count(text)) if count is not None else round(len(text.split()) * _TOKENS_A_WORD)


def render(task: CompileTask, state: dict[str, Any] | None, rows: Sequence[GoldenRow]) -> list[Prompt]:
    """Return the prompts that a program sends for rows; a row that rules decide sends none."""
    engine = _Capture(task.lm)
    lm = dspy.LM("capture/prompts", engine=engine, cache=False, num_retries=0)
    program = task.program(state)
    for row in rows:
        with dspy.context(lm=lm, adapter=task.adapter, disable_history=True, trace=None):
            try:
                program(**task.behaviour.inputs(row))
            except Exception:  # the capture answers nothing, so every asked row ends here
                continue
    return [Prompt(request) for request in engine.seen]


def rendered_demos(task: CompileTask, state: dict[str, Any]) -> dict[str, int]:
    """Return, by predictor, how many demos stand in the messages that it sends."""
    counts: dict[str, int] = {}
    rows: dict[str, GoldenRow] = {}
    for row in (*task.dev, *task.train):
        for demo in task.behaviour.demos(row, task.form):
            rows.setdefault(demo.predictor, row)
    for name, row in sorted(rows.items()):
        sent = render(task, state, [row])
        counts[name] = sent[0].demos if sent else 0
    return counts


def _text(system: Any) -> str:
    return system if isinstance(system, str) else "".join(getattr(part, "text", "") for part in system)
