"""A loaded GGUF file: vocabulary, tokens and text, over llama.cpp's C interface."""

from __future__ import annotations

import ctypes
import logging
import threading
from pathlib import Path
from typing import Any

from ..errors import SetupError

_MAGIC = b"GGUF"
_backend_lock = threading.Lock()
_backend_ready = False


def native() -> Any:
    """The ctypes bindings of llama.cpp, started once.

    Raises:
        SetupError: llama-cpp-python is not installed or does not load.
    """
    global _backend_ready
    with _backend_lock:
        try:
            import llama_cpp
        except ImportError as problem:
            raise SetupError(
                f"the embedded LM needs llama-cpp-python ({problem}): pip install 'turnkeeper[embedded]'"
            ) from problem
        except (OSError, RuntimeError) as problem:  # what the bindings raise for a library that does not load
            raise SetupError(f"llama-cpp-python is installed but does not load: {problem}") from problem
        if not _backend_ready:
            log = logging.getLogger("llama-cpp-python")
            if log.level == logging.NOTSET:  # its callback prints to stderr, and takes warnings for errors
                log.setLevel(logging.CRITICAL)
            llama_cpp.llama_backend_init()
            _backend_ready = True
        return llama_cpp


def require_gguf(path: Path) -> None:
    """Raise `SetupError` unless the file is there, can be read, and begins as a GGUF file does."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or type(problem).__name__
        raise SetupError(f"{path}: cannot be read: {reason}") from None
    if magic != _MAGIC:
        raise SetupError(f"{path}: not a GGUF file")


class NativeModel:
    """Weights mapped once; contexts are made over it. Not thread-safe: the engine holds the lock.

    With `vocabulary_only` no weights are read: enough for tokens and text, and nothing can be computed.
    """

    def __init__(self, path: Path, *, vocabulary_only: bool = False) -> None:
        self.lib = native()
        require_gguf(path)
        self.path = path
        params = self.lib.llama_model_default_params()
        params.vocab_only = vocabulary_only
        self.handle = self.lib.llama_model_load_from_file(str(path).encode(), params)
        if self.handle is None:
            raise SetupError(f"{path}: llama.cpp cannot load this file (damaged, or an architecture it does not know)")
        self.vocab = self.lib.llama_model_get_vocab(self.handle)
        self.vocab_size = int(self.lib.llama_vocab_n_tokens(self.vocab))
        self.trained_context = int(self.lib.llama_model_n_ctx_train(self.handle))
        self._pieces: dict[int, bytes] = {}

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text; with `special=False` the text of a control token stays ordinary text."""
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        room = len(data) + 8  # no tokenizer gives more tokens than bytes, but for a possible space in front
        buffer = (self.lib.llama_token * room)()
        count = self.lib.llama_tokenize(self.vocab, data, len(data), buffer, room, False, special)
        if count < 0:
            raise RuntimeError(f"llama.cpp cannot tokenize {len(data)} bytes of text")
        return list(buffer[:count])

    def piece(self, token: int) -> bytes:
        """The bytes a token stands for; empty for a control token. May end inside a UTF-8 sequence."""
        known = self._pieces.get(token)
        if known is None:
            room = 256
            buffer = ctypes.create_string_buffer(room)
            count = self.lib.llama_token_to_piece(self.vocab, token, buffer, room, 0, False)
            known = self._pieces[token] = buffer.raw[: max(count, 0)]
        return known

    def ends_generation(self, token: int) -> bool:
        return bool(self.lib.llama_vocab_is_eog(self.vocab, token))

    @property
    def leading_token(self) -> int | None:
        """The token that every prompt must start with, or None."""
        return int(self.lib.llama_vocab_bos(self.vocab)) if self.lib.llama_vocab_get_add_bos(self.vocab) else None

    def control_text(self, token: int) -> str:
        """The text of a control token, as chat templates spell it."""
        text = self.lib.llama_vocab_get_text(self.vocab, token) if token >= 0 else None
        return text.decode("utf-8", "replace") if text else ""

    @property
    def begin_text(self) -> str:
        return self.control_text(int(self.lib.llama_vocab_bos(self.vocab)))

    @property
    def end_text(self) -> str:
        return self.control_text(int(self.lib.llama_vocab_eos(self.vocab)))

    def metadata(self, key: str) -> str | None:
        """A string of the file's header, or None."""
        room = 1 << 16
        buffer = ctypes.create_string_buffer(room)
        count = self.lib.llama_model_meta_val_str(self.handle, key.encode(), buffer, room)
        return buffer.value.decode("utf-8", "replace") if count >= 0 else None

    def close(self) -> None:
        if self.handle is not None:
            self.lib.llama_model_free(self.handle)
            self.handle = None
