"""How large a prompt may be, and how large the part of it is that no turn changes."""

from __future__ import annotations

from typing import Any

import dspy


def window_of(lm: Any) -> int | None:
    """Return the tokens that a prompt may have: the LM's window without the answer, or None where nobody says.

    Read from the engine (`n_ctx`, the embedded models), or from the option `num_ctx` of the call, which Ollama cuts
    prompts at without a word.
    """
    options = getattr(lm, "kwargs", None) or {}
    for found in (getattr(getattr(lm, "engine", None), "n_ctx", None), options.get("num_ctx")):
        if isinstance(found, int) and not isinstance(found, bool) and found > 0:
            answer = options.get("max_tokens")
            return max(1, found - answer) if isinstance(answer, int) else found
    return None


def static_bytes(program: dspy.Module) -> int:
    """Return the bytes of the largest predictor's instruction and demos, as they stand in every prompt of it."""
    sizes = [
        len(str(predictor.signature.instructions).encode("utf-8", "replace"))
        + sum(len(str(value).encode("utf-8", "replace")) for demo in predictor.demos for value in dict(demo).values())
        for _, predictor in program.named_predictors()
    ]
    return max(sizes, default=0)
