"""llama.cpp contexts over one loaded model: one a prompt kind, so that prompts do not evict each other's prefix."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._model import NativeModel

Reuse = Literal["exact", "longest"]
BATCH = (
    128  # tokens in one evaluation: no slower on a CPU than 512, less memory, and a deadline is looked at more often
)


class PromptContext:
    """One llama.cpp context and the tokens it holds."""

    def __init__(self, model: NativeModel, size: int, threads: int) -> None:
        lib = model.lib
        params = lib.llama_context_default_params()
        params.n_ctx = size
        params.n_batch = params.n_ubatch = min(BATCH, size)
        params.n_threads = params.n_threads_batch = threads
        if hasattr(params, "n_outputs_max"):  # newer builds: room for the logits of one token, not of a batch
            params.n_outputs_max = 1
        self._model = model
        self._lib: Any = lib
        self.handle = lib.llama_init_from_model(model.handle, params)
        if self.handle is None:
            raise MemoryError(f"llama.cpp cannot make a context of {size} tokens")
        self._memory = lib.llama_get_memory(self.handle)
        self.tokens: list[int] = []

    def start(self, prompt: Sequence[int], static: int, reuse: Reuse, check: Callable[[], None]) -> int:
        """Evaluate a prompt and return how many of its tokens were there already.

        In "exact" mode the context is cut back to the static prefix and the rest is evaluated anew, in the same
        batches whatever was asked before: floating-point sums depend on the batches, hence so could the answer.
        """
        if reuse == "exact":
            reused = static if self.tokens[:static] == list(prompt[:static]) else 0
        else:
            reused = min(_common(self.tokens, prompt), len(prompt) - 1)  # the last token gives the first logits
        self.cut(reused)
        reused = min(reused, len(self.tokens))  # a recurrent model forgets all
        if reused < static:
            self.extend(prompt[reused:static], check)
        self.extend(prompt[max(reused, static) :], check)
        return reused

    def extend(self, tokens: Sequence[int], check: Callable[[], None]) -> None:
        """Evaluate more tokens behind what is there."""
        for begin in range(0, len(tokens), BATCH):
            check()
            chunk = tokens[begin : begin + BATCH]
            data = (self._lib.llama_token * len(chunk))(*chunk)
            status = self._lib.llama_decode(self.handle, self._lib.llama_batch_get_one(data, len(chunk)))
            if status != 0:
                self.cut(0)
                raise RuntimeError(f"llama_decode failed with status {status}")
            self.tokens += chunk

    def cut(self, length: int) -> None:
        """Forget everything behind the first `length` tokens."""
        if length < len(self.tokens):
            if length == 0 or not self._lib.llama_memory_seq_rm(self._memory, 0, length, -1):
                self._lib.llama_memory_clear(self._memory, True)  # recurrent models cannot be cut in the middle
                length = 0
            del self.tokens[length:]

    def logits(self) -> npt.NDArray[np.float32]:
        """The logits behind the last token: a view of llama.cpp's memory, valid until the next evaluation."""
        pointer = self._lib.llama_get_logits_ith(self.handle, -1)
        typed = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(typed, shape=(self._model.vocab_size,))

    def close(self) -> None:
        if self.handle is not None:
            self._lib.llama_free(self.handle)
            self.handle = None


class ContextPool:
    """At most `limit` contexts, found by static prefix; the least recently used one takes a new prefix."""

    def __init__(self, make: Callable[[], PromptContext], limit: int) -> None:
        self._make = make
        self._limit = limit
        self._contexts: OrderedDict[tuple[int, ...], PromptContext] = OrderedDict()

    def __len__(self) -> int:
        return len(self._contexts)

    def get(self, prefix: Sequence[int]) -> PromptContext:
        key = tuple(prefix)
        context = self._contexts.pop(key, None)
        if context is None:
            full = len(self._contexts) >= self._limit
            context = self._contexts.popitem(last=False)[1] if full else self._make()
            context.cut(0)  # a prefix that begins like the old one was not read in the same batches
        self._contexts[key] = context
        return context

    def close(self) -> None:
        while self._contexts:
            self._contexts.popitem()[1].close()


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    count = 0
    for a, b in zip(left, right):  # noqa: B905
        if a != b:
            break
        count += 1
    return count
