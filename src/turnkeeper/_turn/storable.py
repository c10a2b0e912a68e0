"""Texts that a store can hold: half a surrogate pair (an emoji that somebody has cut) is none of Unicode's text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..signatures.types import Frozen, Passage

SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 20


def storable(passage: Passage) -> Passage:
    """Return a passage with U+FFFD for every lone surrogate, so that one bad passage does not cost the turn."""
    fields = {name: getattr(passage, name) for name in ("doc_id", "title", "text", "metadata")}
    changed = {name: told for name, value in fields.items() if (told := _whole(value)) != value}
    return passage.model_copy(update=changed) if changed else passage


def storable_result(value: Any) -> Any:
    """Return what a callable gave, a text or a result of ours, with U+FFFD for every lone surrogate in it."""
    return _whole(value) if isinstance(value, (str, Frozen)) else value


def _whole(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {_whole(key): _whole(one, depth + 1) for key, one in value.items()}
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        return type(value)(_whole(one, depth + 1) for one in value)
    if depth < _DEEPEST and isinstance(value, Frozen):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        changed = {name: told for name, one in fields.items() if (told := _whole(one, depth + 1)) != one}
        return value.model_copy(update=changed) if changed else value
    return value
