"""How many tokens a call has, told without a call: no weights are loaded to compute with and no network is used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..errors import TurnkeeperError
from . import weights
from ._model import NativeModel
from ._template import ChatMessage, ChatTemplate
from .catalogue import DEFAULT_MODEL

_COST_MAP = "LITELLM_LOCAL_MODEL_COST_MAP"


class Count(Protocol):
    """Counts the tokens of messages, and of the fixed texts of an answer that begins with them."""

    def __call__(self, messages: Sequence[tuple[str, str]], fixed: Sequence[str]) -> int: ...


class Counter(NamedTuple):
    """A way to count.

    Attributes:
        tokens: Counts them.
        estimate: Whether the LM's own count may differ.
        by: What counts, in words.
    """

    tokens: Count
    estimate: bool
    by: str


def counter_of(spec: str, model: str) -> Counter | None:
    """Return what counts for an LM: its own tokenizer where its file is here, else LiteLLM's, an estimate.

    Args:
        spec: What `resolve_lm` takes: `embedded`, `embedded:NAME`, `gguf:PATH`, or a model string.
        model: Its model string.

    Returns:
        None when nothing here can count.
    """
    try:
        path = _file(spec)
        if path is not None:
            return Counter(_Vocabulary(path), False, f"the tokenizer of {path.name}")
    except TurnkeeperError:
        pass  # no llama.cpp, or another file than it should be: an estimate is left
    return _estimate(model)


def _file(spec: str) -> Path | None:
    kind, _, rest = spec.strip().partition(":")
    if kind == "embedded":
        return weights.locate(rest or DEFAULT_MODEL)
    return Path(rest).expanduser() if kind == "gguf" else None


class _Vocabulary:
    """The vocabulary and the chat template of a GGUF file: what the engine counts, token for token."""

    def __init__(self, path: Path) -> None:
        self._model = NativeModel(path, vocabulary_only=True)
        self._template = ChatTemplate(self._model)

    def __call__(self, messages: Sequence[tuple[str, str]], fixed: Sequence[str]) -> int:
        prompt = self._template.render([ChatMessage(role, text) for role, text in messages])
        return len(prompt.tokens) + sum(len(self._model.tokens(text, special=False)) for text in fixed)


def _estimate(model: str) -> Counter | None:
    known = os.environ.get(_COST_MAP)
    os.environ[_COST_MAP] = "True"  # without it the first import asks the network for prices
    try:
        from litellm import token_counter
    except ImportError:
        return None
    finally:
        if known is None:
            del os.environ[_COST_MAP]
        else:
            os.environ[_COST_MAP] = known

    def count(messages: Sequence[tuple[str, str]], fixed: Sequence[str]) -> int:
        rows = [{"role": role, "content": text} for role, text in messages]
        rows += [{"role": "assistant", "content": "".join(fixed)}] if fixed else []
        # Named, for LiteLLM would fetch the tokenizers of some models from the hub.
        named: Any = {"type": "openai_tokenizer", "tokenizer": None}
        return int(token_counter(model, custom_tokenizer=named, messages=rows))

    return Counter(count, True, "LiteLLM")
