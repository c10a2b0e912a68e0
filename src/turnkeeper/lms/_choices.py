"""Holes with choices: which tokens may follow, and whether a model that would stop is near enough to going on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ._model import NativeModel
from ._skeleton import Hole

_MARKS = ("", "?", ".", "!")


def choose(
    model: NativeModel, hole: Hole, lead: str, pick: Callable[[set[int]], int], take: Callable[[int], None]
) -> bytes:
    """Follow the choices token by token; where one ends and another goes on, the model decides by the stop.

    Args:
        model: For its tokens.
        hole: A hole with choices.
        lead: A space that the first token carries, or "".
        pick: Returns the model's choice among tokens.
        take: Evaluates a chosen token.

    Returns:
        The chosen text with its lead, in UTF-8.
    """
    written = {text: model.tokens(lead + text, special=False) for text in hole.choices}
    stops = set(model.tokens(hole.stop, special=False)[:1])
    taken: list[int] = []
    while True:
        left = [text for text, tokens in written.items() if tokens[: len(taken)] == taken]
        ended = next((text for text in left if len(written[text]) == len(taken)), None)
        nexts = {written[text][len(taken)] for text in left if len(written[text]) > len(taken)}
        token = pick(nexts | (stops if ended is not None else set())) if nexts else None
        if token is None or token not in nexts:
            return (lead + (ended or "")).encode()
        taken.append(token)
        take(token)


def leans(model: NativeModel, logits: npt.NDArray[np.float32], hole: Hole, lead: str) -> bool:
    """Whether a model that would stop at once is near enough to going on with one of the choices."""

    def first(text: str) -> int:
        return model.tokens(text, special=False)[0]

    tails = (hole.stop, hole.stop + "}", "")
    ends = {first(mark + tail) for mark in _MARKS for tail in tails if mark + tail}
    likeliest = int(logits.argmax())
    if model.ends_generation(likeliest):
        ends.add(likeliest)
    if likeliest not in ends:
        return False
    nexts = {first(lead + text) for text in hole.choices}
    return _joint(logits, nexts) + (hole.lean or 0.0) >= _joint(logits, ends)


def prefers(model: NativeModel, logits: npt.NDArray[np.float32], offer: tuple[str, float], lead: str) -> bool:
    """Whether an offered text is near enough to all that a model would write in its place."""
    text, bias = offer
    first = model.tokens(lead + text, special=False)[0]
    own = float(logits[first])
    rest = logits.astype(np.float64)
    rest[first] = -np.inf
    return own + bias >= float(np.logaddexp.reduce(rest))


def most_tokens(hole: Hole) -> int:
    """Return how many tokens a hole may take at most."""
    longest = max((len(text.encode()) for text in hole.choices), default=0)
    offered = len(hole.offer[0].encode()) if hole.offer is not None else 0
    return max(offered, longest) + hole.max_tokens if hole.open or not hole.choices else longest


def _joint(logits: npt.NDArray[np.float32], tokens: set[int]) -> float:
    """The logarithm of the summed, unnormalised probability of some tokens."""
    return float(np.logaddexp.reduce(logits[sorted(tokens)].astype(np.float64)))
