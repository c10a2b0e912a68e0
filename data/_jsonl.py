"""JSON Lines: bytes to objects and back, with what is wrong said in one sentence. No row models here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

MAX_LINE_BYTES = 16_000_000
MAX_DEPTH = 100
_BOM = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Legal inside JSON strings, yet terminals obey them (C1, DEL, bidi), line splitters split at them, and UTF-8 has none
# of the lone surrogates.
_NOT_AS_IS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class JsonError(ValueError):
    """What is wrong with a line; the reader adds file and line number."""


def lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that hold something, numbered from 1; None stands for a line over `MAX_LINE_BYTES`."""
    number = 0
    while True:
        line = file.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        number += 1
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield number, None
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
        if line.strip():
            yield number, line


def parse_object(line: bytes | None) -> dict[str, Any]:
    """Parse one line as strict JSON: an object, each field once, finite numbers, `MAX_DEPTH` levels at most.

    Raises:
        JsonError: The line is something else.
    """
    if line is None:
        raise JsonError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    if b"\0" in line:
        raise JsonError(f"NUL byte at byte {line.index(0) + 1}; is the file UTF-8 text?")
    try:
        value = json.loads(
            line.decode("utf-8"),
            parse_constant=_no_constant,
            parse_float=_finite_float,
            object_pairs_hook=_unique_fields,
        )
        too_deep = _depth(value) > MAX_DEPTH
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        hint = " (a byte order mark)" if error.doc[error.pos : error.pos + 1] == "\ufeff" else ""
        raise JsonError(f"not JSON at column {error.colno}: {error.msg}{hint}") from None
    except RecursionError:
        too_deep = True
    except JsonError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise JsonError(f"not JSON: {error}") from None
    if too_deep:
        raise JsonError(f"nested more than {MAX_DEPTH} levels deep")
    if not isinstance(value, dict):
        raise JsonError(f"a JSON object is expected, not {json_name(value)}")
    return value


def dumps(value: Any) -> str:
    """Write one line of JSON: readable, but without a character that could break the line, UTF-8 or a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _NOT_AS_IS.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


def without_surrogates(value: Any) -> Any:
    """Return the value with U+FFFD for each lone surrogate, which no model and no UTF-8 file can take."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(v) for v in value]
    if isinstance(value, dict):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    return value


def json_name(value: Any) -> str:
    """Name a value as JSON does: "a string", "an array", "null"."""
    if value is None or value == "":
        return "null" if value is None else "an empty string"
    names = {bool: "a boolean", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        children: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                children.extend(node.values())
            elif isinstance(node, list):
                children.extend(node)
        level = children
    return depth


def _no_constant(name: str) -> float:
    raise JsonError(f"not JSON: {name} is no number")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise JsonError(f"the number {digits[:40]} is out of range")
    return value


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise JsonError(f"the field {name!r} stands twice in one object")
        fields[name] = value
    return fields
