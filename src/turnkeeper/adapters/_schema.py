"""JSON schemas of a signature's outputs, for grammars and for the structured outputs of providers."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, get_args, get_origin

import pydantic
from dspy import Signature

# Bounds that a grammar needs, since an unbounded list sends a small model into a loop, but that strict modes of
# providers refuse.
_BOUNDS = frozenset(
    "minLength maxLength minItems maxItems uniqueItems pattern format minimum maximum exclusiveMinimum "
    "exclusiveMaximum multipleOf".split()
)


def annotation_of(field: Any) -> Any:
    """The type of an output field together with its constraints, such as `max_length`."""
    annotation = field.annotation
    for constraint in field.metadata:
        annotation = Annotated[annotation, constraint]
    return annotation


def is_single_string(signature: type[Signature]) -> bool:
    """Whether the answer is one unconstrained text."""
    fields = list(signature.output_fields.values())
    return len(fields) == 1 and fields[0].annotation is str


def response_format(signature: type[Signature], *, bounded: bool) -> dict[str, Any]:
    """The `json_schema` response format of all outputs; `json_object` when a type has no closed schema.

    Args:
        signature: Its output fields, in order.
        bounded: Whether length and number bounds stay in the schema.
    """
    fields: dict[str, Any] = {name: (annotation_of(field), ...) for name, field in signature.output_fields.items()}
    try:
        model = pydantic.create_model("Answer", __config__=pydantic.ConfigDict(extra="forbid"), **fields)
        schema = model.model_json_schema()
    except (pydantic.errors.PydanticUserError, ValueError):
        return {"type": "json_object"}
    if not _close(schema, bounded):
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "Answer", "schema": schema, "strict": True}}


def _close(node: Any, bounded: bool) -> bool:
    """Make every object closed and all its properties required; False if an object is open-ended (a dict type)."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return True
    closed = True
    if node.get("type") == "object":
        if not isinstance(node.get("properties"), dict):
            closed = node.get("additionalProperties") is False
        node["required"] = list(node.get("properties", {}))
        node["additionalProperties"] = False
    for key in ("title", "default", "description"):
        if not isinstance(node.get(key), dict):  # a property may have that name
            node.pop(key, None)
    if not bounded and "properties" not in node:
        for key in _BOUNDS:
            if not isinstance(node.get(key), dict):
                node.pop(key, None)
    inner = [_close(item, bounded) for item in node.values()]  # a list: every node must be visited
    return closed and all(inner)


def shape_of(annotation: Any, text: str) -> str:
    """What an answer of this type looks like, as JSON with `<...>` where values go."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return shape_of(arguments[0], text)
    if origin is Literal:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in arguments)
    if origin in (list, tuple, set, frozenset) and arguments:
        return f"[{shape_of(arguments[0], text)}, ...]"
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        rows = (
            (name, shape_of(field.annotation, _words(name, field))) for name, field in annotation.model_fields.items()
        )
        return "{" + ", ".join(f'"{name}": {shape}' for name, shape in rows) + "}"
    return f"<{text}>" if annotation in (int, float, bool) else f'"<{text}>"'


def _words(name: str, field: Any) -> str:
    return " ".join((field.description or name.replace("_", " ")).split())
