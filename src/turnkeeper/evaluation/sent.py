"""What a program sends: the exact messages, taken where the LM would read them. No LM is called."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import dspy
from dspy import lm15

from ..behaviours import Behaviour, GoldenRow
from ..lms.counting import Counter


class CaptureEngine:
    """An engine that keeps every request and answers none.

    Args:
        skeletons: Whether it takes skeletons, as the embedded engine does: the answer's fixed text is part of what is
            sent then.
    """

    supports_response_schema = True
    supported_params = frozenset({"temperature", "max_tokens", "response_format"})

    def __init__(self, *, skeletons: bool = False) -> None:
        self.supports_skeleton = skeletons
        self.requests: list[lm15.Request] = []
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Keep the request and raise: a capture has nothing to say."""
        with self._lock:
            self.requests.append(request)
        raise lm15.InvalidRequestError("captured")

    def __deepcopy__(self, memo: dict[int, Any]) -> CaptureEngine:
        return self


class Sent(NamedTuple):
    """One call as it leaves the adapter.

    Attributes:
        predictor: Name of the predictor that asked.
        messages: (role, text), the system text first.
        answer: The fixed text of the answer, with an ellipsis where the LM writes; None when it is free.
        tokens: Of the call: messages and fixed text of the answer; None when nothing here can count them.
        tokens_estimated: Whether the LM's own count may differ.
    """

    row: str
    predictor: str
    messages: tuple[tuple[str, str], ...]
    answer: str | None
    tokens: int | None = None
    tokens_estimated: bool = False

    @property
    def size(self) -> str:
        """Return the number of tokens in words, "" when it is not known."""
        if self.tokens is None:
            return ""
        return f"about {self.tokens} tokens (estimate)" if self.tokens_estimated else f"{self.tokens} tokens"

    def lines(self) -> list[str]:
        """Return the call as lines of text."""
        found = [", ".join(filter(None, (f"row {self.row}", f"predictor {self.predictor}", self.size)))]
        for role, text in self.messages:
            found += [f"[{role}]", *text.splitlines()]
        return found + ([] if self.answer is None else ["[assistant, prefilled]", self.answer])


def capture_lm(model: str) -> dspy.LM:
    """Return an LM that answers nothing, under the model string that an artifact is looked up by."""
    engine = CaptureEngine(skeletons=model.startswith("llama-cpp/"))
    return dspy.LM(model, engine=engine, cache=False, num_retries=0)


def sent(
    behaviour: Behaviour, program: dspy.Module, lm: Any, adapter: Any, row: GoldenRow, counter: Counter | None = None
) -> Sent | None:
    """Return the first call that a bare program makes for a row, or None when rules suffice.

    Args:
        behaviour: What the program is of.
        program: A bare program.
        lm: From `capture_lm`, or a copy of it.
        adapter: The adapter of the program.
        row: A golden row; its gold is not read.
        counter: Counts the tokens of the call.
    """
    inputs = behaviour.inputs(row)
    engine: CaptureEngine = lm.engine
    before = len(engine.requests)
    with dspy.context(lm=lm, adapter=adapter, disable_history=True, trace=None):
        try:
            program(**inputs)
        except Exception:  # a capture answers nothing, so a program that asks ends here
            if len(engine.requests) == before:
                raise
    if len(engine.requests) == before:
        return None
    request = engine.requests[before]
    system = request.system if isinstance(request.system, str) else "".join(p.text for p in request.system or ())
    spoken = [(message.role, message.text or "") for message in request.messages]
    messages = tuple([("system", system), *spoken] if system else spoken)
    parts = _parts((request.config.extensions or {}).get("skeleton"))
    return Sent(
        row.id,
        _predictor(program, system),
        messages,
        "".join("…" if text is None else text for text in parts) if parts else None,
        counter.tokens(messages, [text for text in parts if text is not None]) if counter else None,
        counter is not None and counter.estimate,
    )


def first_calls(
    behaviour: Behaviour,
    program: dspy.Module,
    lm: Any,
    adapter: Any,
    rows: Sequence[GoldenRow],
    counter: Counter | None = None,
) -> list[Sent]:
    """Return one call a predictor: that of the first row that asks it; otherwise as `sent`."""
    found: dict[str, Sent] = {}
    wanted = len(program.predictors())
    for row in rows:
        call = sent(behaviour, program, lm, adapter, row, counter)
        if call is not None:
            found.setdefault(call.predictor, call)
        if len(found) == wanted:
            break
    return list(found.values())


def _predictor(program: dspy.Module, system: str) -> str:
    """Tell the predictor by its instruction; adapters indent it."""
    said = " ".join(system.split())
    matches = [n for n, p in program.named_predictors() if " ".join(p.signature.instructions.split()) in said]
    return str(matches[0]) if matches else "?"


def _parts(skeleton: Any) -> list[str | None]:
    """Return the fixed texts of an answer, with None where the LM writes; nothing when all of it is free."""
    if not skeleton:
        return []
    parts = skeleton if isinstance(skeleton, (list, tuple)) else json.loads(skeleton)
    return [str(part["text"]) if "text" in part else None for part in parts]
