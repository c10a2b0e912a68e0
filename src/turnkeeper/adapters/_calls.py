"""How one call is put to an LM: as plain options, or as a request with what only our engine understands."""

from __future__ import annotations

from typing import Any

import dspy
from dspy import lm15

from ._schema import is_single_string, response_format

_HOLE_TOKENS = 256
_CONFIG_KEYS = ("temperature", "max_tokens", "top_p", "top_k", "seed")
_EXTENSIONS = ("skeleton", "banned_words")


def plan(
    lm: dspy.BaseLM, lm_kwargs: dict[str, Any], signature: type[dspy.Signature]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that any LM takes, and what an engine of ours takes beyond them."""
    options = {name: value for name, value in lm_kwargs.items() if name not in _EXTENSIONS}
    extensions = _extensions(lm, lm_kwargs, signature)
    if "skeleton" not in extensions:
        options = {**_structured(lm, options, signature), **options}
    return options, extensions


def _extensions(lm: dspy.BaseLM, lm_kwargs: dict[str, Any], signature: type[dspy.Signature]) -> dict[str, Any]:
    """A caller's skeleton or the prefill of a single text, and banned words; nothing for other LMs."""
    candidates = lm_kwargs.get("n") or lm.kwargs.get("n") or 1
    if candidates > 1 or not getattr(getattr(lm, "engine", None), "supports_skeleton", False):
        return {}
    found = {name: lm_kwargs[name] for name in _EXTENSIONS if lm_kwargs.get(name)}
    if "skeleton" not in found and is_single_string(signature):
        name = next(iter(signature.output_fields))
        limit = lm_kwargs.get("max_tokens") or lm.kwargs.get("max_tokens") or _HOLE_TOKENS
        hole = {"max_tokens": limit, "stop": '"'}
        found["skeleton"] = [{"text": f'{{"{name}": "'}, {"hole": hole}, {"text": '"}'}]
    return found


def _structured(lm: dspy.BaseLM, options: dict[str, Any], signature: type[dspy.Signature]) -> dict[str, Any]:
    """The response format that this LM takes, if any."""
    if "response_format" in options or "response_format" not in lm.supported_params:
        return {}
    if not lm.supports_response_schema:
        return {"response_format": {"type": "json_object"}}
    return {"response_format": response_format(signature, bounded=not isinstance(getattr(lm, "engine", "auto"), str))}


def request_of(
    lm: dspy.BaseLM, options: dict[str, Any], messages: list[dict[str, Any]], extensions: dict[str, Any]
) -> lm15.Request:
    merged = {**lm.kwargs, **options}
    config: dict[str, Any] = {name: merged[name] for name in _CONFIG_KEYS if merged.get(name) is not None}
    if (merged.get("temperature") or 0) > 0 and merged.get("rollout_id") is not None:
        config.setdefault("seed", merged["rollout_id"])  # a rollout can be repeated
    if "response_format" in options:
        wanted = dict(options["response_format"])
        config["response_format"] = {**wanted.pop("json_schema", {}), **wanted}
    system, *rest = messages
    roles = {"user": lm15.Message.user, "assistant": lm15.Message.assistant}
    return lm15.Request(
        model=lm.model,
        system=system["content"],
        messages=tuple(roles[message["role"]](message["content"]) for message in rest),
        config=lm15.Config(**config, extensions=extensions),
    )


def controls_of(lm: dspy.BaseLM, options: dict[str, Any]) -> dict[str, Any]:
    """What a call with an explicit request takes beside it; the LM's own rollout counts too."""
    merged = {**lm.kwargs, **options}
    return {name: merged[name] for name in ("cache", "rollout_id") if merged.get(name) is not None}
