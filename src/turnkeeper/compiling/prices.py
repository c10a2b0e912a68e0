"""What a token costs, for `--max-usd`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InputError


def usd_of(lms: Sequence[Any], price_in: float | None, price_out: float | None) -> Callable[[int, int], float]:
    """Return the dollars of a call from its prompt and completion tokens, at the dearest of the LMs: an upper bound.

    Args:
        lms: The LMs that a compile calls; one in this process costs nothing.
        price_in: Dollars for a million prompt tokens; from DSPy's price list when left out.
        price_out: The same for completion tokens.

    Raises:
        InputError: The price list does not know a model, and no price was given.
    """
    rates = [_rates(lm, price_in, price_out) for lm in lms]
    dearest_in, dearest_out = max(r[0] for r in rates), max(r[1] for r in rates)
    return lambda prompt, completion: prompt * dearest_in + completion * dearest_out


def _rates(lm: Any, price_in: float | None, price_out: float | None) -> tuple[float, float]:
    if price_in is not None and price_out is not None:
        return price_in / 1e6, price_out / 1e6
    if not isinstance(getattr(lm, "engine", "auto"), str):
        return 0.0, 0.0
    from dspy.clients.model_metadata import model_info

    provider, _, name = lm.model.partition("/")
    known = model_info(provider, name) or {}
    rates = known.get("input_cost_per_token"), known.get("output_cost_per_token")
    if rates[0] is None or rates[1] is None:
        raise InputError(f"--max-usd: no price is known for `{lm.model}`; give --price-in and --price-out")
    return float(rates[0]), float(rates[1])
