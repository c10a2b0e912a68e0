"""From a reply to values: JSON, repaired if need be; nothing is asked twice."""

from __future__ import annotations

import json
from typing import Any

import dspy
import json_repair
import pydantic
from dspy.adapters.utils import annotation_allows_none, apply_output_field_defaults, parse_value
from dspy.utils.exceptions import AdapterParseError

from ._render import label_of
from ._schema import annotation_of, is_single_string


def parse_reply(signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
    """The outputs that a reply holds.

    Raises:
        AdapterParseError: No JSON object, a missing field, or a value of another type.
    """
    found = _json_object(completion)
    if found is None and is_single_string(signature):
        found = _first_line(signature, completion)
    if found is None:
        raise _error(signature, completion, "the reply holds no JSON object")
    values = {name: found[name] for name in signature.output_fields if name in found}
    for name, value in values.items():
        try:
            values[name] = _typed(value, signature.output_fields[name])
        except (ValueError, TypeError) as problem:
            raise _error(signature, completion, f"field `{name}`: {problem}") from problem
    values = dict(apply_output_field_defaults(signature, values))
    missing = [name for name in signature.output_fields if name not in values]
    if missing:
        raise _error(signature, completion, f"the reply has no `{missing[0]}`")
    return values


def _json_object(completion: str) -> dict[str, Any] | None:
    found = _loaded(completion)
    if not isinstance(found, dict):
        begin, end = completion.find("{"), completion.rfind("}")
        found = _loaded(completion[begin : end + 1]) if 0 <= begin < end else None
    return found if isinstance(found, dict) else None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    except RecursionError:  # a flood of brackets is no answer
        return None
    try:
        return json_repair.loads(text) if "{" in text else None
    except RecursionError:
        return None


def _first_line(signature: type[dspy.Signature], completion: str) -> dict[str, Any] | None:
    name, field = next(iter(signature.output_fields.items()))
    line = next((line.strip() for line in completion.splitlines() if line.strip()), "")
    line = line.removeprefix(f"{label_of(name, field)}:").strip().strip("\"'`").strip()
    return {name: line} if line else None


def _typed(value: Any, field: Any) -> Any:
    if value is None and not annotation_allows_none(field.annotation):
        raise ValueError("null")
    if field.annotation is str:
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            raise ValueError(f"a text is expected, not {type(value).__name__}")
        value = str(value)
    else:
        value = parse_value(value, field.annotation)
    return pydantic.TypeAdapter(annotation_of(field)).validate_python(value) if field.metadata else value


def _error(signature: type[dspy.Signature], completion: str, message: str) -> AdapterParseError:
    return AdapterParseError(
        adapter_name="CompactAdapter", signature=signature, lm_response=completion, message=message
    )
