"""Choosing the next token: greedy or sampled, with forbidden tokens and a grammar."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._model import NativeModel

_CANDIDATE = np.dtype([("id", np.intc), ("logit", np.single), ("p", np.single)], align=True)


class Sampler:
    """One generation's choice of tokens.

    With a grammar, the token is chosen freely first and only checked; the whole vocabulary is filtered only when the
    check fails. The choice is the same for greedy decoding, and filtering 150,000 tokens a step is saved.
    """

    def __init__(
        self,
        model: NativeModel,
        *,
        temperature: float,
        top_p: float | None,
        top_k: int | None,
        seed: int | None,
        grammar: str | None,
        banned: Iterable[int] = (),
    ) -> None:
        lib = model.lib
        self._lib: Any = lib
        self._banned = np.fromiter(banned, dtype=np.intp)
        self._grammar = None
        if grammar is not None:
            self._grammar = lib.llama_sampler_init_grammar(model.vocab, grammar.encode(), b"root")
            if self._grammar is None:
                raise ValueError("llama.cpp does not accept the grammar of this JSON schema")
        self._chain = None
        if temperature > 0:
            self._chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
            stages = [lib.llama_sampler_init_top_k(top_k)] if top_k else []
            stages += [lib.llama_sampler_init_top_p(top_p, 1)] if top_p is not None and top_p < 1 else []
            stages += [lib.llama_sampler_init_temp(temperature)]
            stages += [lib.llama_sampler_init_dist(lib.LLAMA_DEFAULT_SEED if seed is None else seed & 0xFFFFFFFF)]
            for stage in stages:
                lib.llama_sampler_chain_add(self._chain, stage)

    def next(self, logits: npt.NDArray[np.float32], allowed: Iterable[int] | None = None) -> int:
        """The next token, one of `allowed` where given, which no ban touches; the grammar moves on by it."""
        if allowed is not None:
            masked = np.full_like(logits, -np.inf)
            places = np.fromiter(allowed, dtype=np.intp)
            masked[places] = logits[places]
            logits = masked
        elif self._banned.size:
            logits = logits.copy()
            logits[self._banned] = -np.inf
        token = self._choose(logits)
        if self._grammar is not None:
            if not self._allowed(token):
                token = self._choose(self._filtered(logits))
            self._lib.llama_sampler_accept(self._grammar, token)
        return token

    def close(self) -> None:
        for sampler in (self._grammar, self._chain):
            if sampler is not None:
                self._lib.llama_sampler_free(sampler)
        self._grammar = self._chain = None

    def _choose(self, logits: npt.NDArray[np.float32]) -> int:
        if self._chain is None:
            return int(logits.argmax())
        _rows, array = self._array(logits)  # the rows must live as long as the array points at them
        self._lib.llama_sampler_apply(self._chain, ctypes.byref(array))
        return int(ctypes.cast(array.data, ctypes.POINTER(self._lib.llama_token_data))[array.selected].id)

    def _allowed(self, token: int) -> bool:
        rows, array = self._array(np.zeros(1, dtype=np.float32), np.array([token], dtype=np.intc))
        self._lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        return bool(np.isfinite(rows["logit"][0]))

    def _filtered(self, logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        rows, array = self._array(logits)
        self._lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        filtered: npt.NDArray[np.float32] = rows["logit"].copy()  # the grammar keeps the order of the rows
        return filtered

    def _array(self, logits: npt.NDArray[np.float32], ids: npt.NDArray[np.intc] | None = None) -> tuple[Any, Any]:
        rows = np.zeros(len(logits), dtype=_CANDIDATE)
        rows["id"] = np.arange(len(logits), dtype=np.intc) if ids is None else ids
        rows["logit"] = logits
        array = self._lib.llama_token_data_array(
            data=rows.ctypes.data_as(self._lib.llama_token_data_p), size=len(logits), selected=-1, sorted=False
        )
        return rows, array


def banned_tokens(model: NativeModel, words: Iterable[str]) -> set[int]:
    """Tokens that are one of these words as a whole: lower, capitalised or upper case, with or without a space before.

    A spelling of several tokens is left alone: its first token may begin other words.
    """
    banned = set()
    for word in words:
        for spelling in {word, word.lower(), word.capitalize(), word.upper()}:
            for text in (spelling, " " + spelling):
                tokens = model.tokens(text, special=False)
                if len(tokens) == 1:
                    banned.add(tokens[0])
    return banned
