"""Values as prompt text. A value is data: no line break in it can begin a line that looks like another field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dspy.adapters.types import History
from dspy.adapters.utils import serialize_for_json
from pydantic import BaseModel

_INDENT = "  "
# Line ends that json.dumps leaves as they are.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x7f\x85\u2028\u2029"}


def field_line(label: str, value: Any) -> str | None:
    """`Label: value`, or None for an empty value. Several lines stand indented under the label."""
    text = _value_text(value)
    if not text.strip():
        return None
    lines = text.splitlines()
    if len(lines) == 1 and not _is_turns(value):
        return f"{label}: {lines[0].strip()}"
    return "\n".join([f"{label}:", *(_INDENT + line for line in lines)])


def json_line(value: Any) -> str:
    """Compact JSON on one line."""
    return json.dumps(serialize_for_json(value), ensure_ascii=False).translate(_LINE_ENDS)


def _value_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if _is_turns(value):
        return "\n".join(_turn_line(turn) for turn in _items(value))
    if isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, (Mapping, Sequence, set, frozenset)) and not value:
        return ""
    return json_line(sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)


def _turn_line(turn: Any) -> str:
    role, content = (turn["role"], turn["content"]) if isinstance(turn, Mapping) else (turn.role, turn.content)
    return f"{' '.join(str(role).split())}: {' '.join(str(content).split())}"


def _is_turns(value: Any) -> bool:
    """Whether a value is a conversation: messages with a role and a content and nothing else."""
    items = _items(value)
    return bool(items) and all(_is_turn(item) for item in items)


def _items(value: Any) -> Sequence[Any]:
    if isinstance(value, History):
        return list(value.messages)
    return value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else ()


def _is_turn(item: Any) -> bool:
    names = (
        set(item) if isinstance(item, Mapping) else set(type(item).model_fields) if isinstance(item, BaseModel) else ()
    )
    return set(names) == {"role", "content"}


def label_of(name: str, field: Any) -> str:
    """The label of a field: the prefix that its signature gives it."""
    prefix = (field.json_schema_extra or {}).get("prefix") or name.replace("_", " ").title()
    return str(prefix).rstrip().rstrip(":")
