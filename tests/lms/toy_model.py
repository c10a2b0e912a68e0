"""A model of bytes whose next token the test decides: for what the engine makes of logits, without weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from dspy.lm15 import Config

from turnkeeper.lms._generation import Generation, Options, Outcome
from turnkeeper.lms._template import Prompt

MERGED = (b" of", b" for", b" It", b"It", b"He", b" He", b"th", b'"}', b'?"')
END = 256
SIZE = END + 1 + len(MERGED)
Logits = npt.NDArray[np.float32]
Mind = Callable[[bytes], Logits]
"""What the model finds likely behind a text: one logit a token."""


class ToyModel:
    """A vocabulary of the 256 bytes, an end token, and a few merged tokens as real vocabularies have them."""

    lib = vocab = None

    def tokens(self, text: str, *, special: bool) -> list[int]:
        data, found, at = text.encode(), list[int](), 0
        while at < len(data):
            merged = [m for m in MERGED if data.startswith(m, at)]
            piece = max(merged, key=len, default=data[at : at + 1])
            found.append(token_of(piece))
            at += len(piece)
        return found

    def piece(self, token: int) -> bytes:
        return b"" if token == END else bytes([token]) if token < END else MERGED[token - END - 1]

    def ends_generation(self, token: int) -> bool:
        return token == END


def token_of(piece: bytes) -> int:
    return END + 1 + MERGED.index(piece) if piece in MERGED else piece[0]


def logits(likely: Mapping[bytes, float], rest: float = -40.0) -> Logits:
    """Logits with the given values for some tokens and one value for all others."""
    row = np.full(SIZE, rest, dtype=np.float32)
    for piece, value in likely.items():
        row[END if piece == b"" else token_of(piece)] = value
    return row


class ToyContext:
    """The context of a `ToyModel`; it serves as its own pool."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.text = b""
        self._model = ToyModel()

    def get(self, prefix: Sequence[int]) -> ToyContext:
        return self

    def start(self, prompt: Sequence[int], static: int, reuse: str, check: Callable[[], None]) -> int:
        self.text = b""
        return 0

    def extend(self, tokens: Sequence[int], check: Callable[[], None]) -> None:
        self.text += b"".join(map(self._model.piece, tokens))

    def logits(self) -> Logits:
        return self.mind(self.text)

    def cut(self, length: int) -> None:
        self.text = b""


def answer(mind: Mind, skeleton: list[dict[str, Any]], *, n_ctx: int = 10_000, banned: Sequence[str] = ()) -> Outcome:
    """What the engine makes of a skeleton when the model finds likely what `mind` says."""
    config = Config(temperature=0.0, extensions={"skeleton": skeleton, "banned_words": list(banned)})
    model: Any = ToyModel()
    pool: Any = ToyContext(mind)
    generation = Generation(model, n_ctx, Options.of(config, 16), check=lambda: None)
    return generation.run(Prompt(tokens=[], static=0), pool, "exact")
