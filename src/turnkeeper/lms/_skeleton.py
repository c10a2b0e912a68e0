"""Skeletons: an answer whose fixed text is given and of which the model writes only the holes.

A skeleton is a list of `{"text": str}` and `{"hole": {"max_tokens": int, "stop": str}}`. It forces JSON without a
grammar, and fills several values in one call. A hole that stops at `"` is the inside of a JSON string: it ends at the
first unescaped quote, and what the model wrote is made valid string content. With `choices`, the hole takes one of
these texts, the one that the model finds likeliest token by token; no banned word forbids them, and where the hole
stops at `"` they are escaped already. With an `offer`, {"text": str, "bias": float}, the model begins with that text
where it finds it nearly as likely as all else, and goes on freely.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

QUOTE = '"'
_MAX_HOLES = 64
_MAX_CHOICES = 64
_LONGEST_CHOICE = 400
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_CONTROL = re.compile(r"[\x00-\x1f]")


class Text(NamedTuple):
    """Fixed text."""

    text: str


class Hole(NamedTuple):
    """Text that the model writes: at most `max_tokens` tokens, up to `stop`, which is not part of it.

    With `choices` it is one of these texts, or begins with one of them when `open` is set. With `lean` the model writes
    freely; only where it would stop at once does it take a choice, if the probability of all choices together, times
    e to the power of `lean`, is at least that of stopping. With `offer`, a text and a bias, the hole begins with the
    text if the probability of its first token, times e to the power of the bias, is at least that of all others.
    """

    max_tokens: int
    stop: str
    choices: tuple[str, ...] = ()
    open: bool = False
    lean: float | None = None
    offer: tuple[str, float] | None = None


def parse(raw: Any) -> list[Text | Hole]:
    """Read a skeleton.

    Raises:
        ValueError: Not a skeleton; the message names the element.
    """
    if not isinstance(raw, Sequence) or isinstance(raw, str) or not raw:
        raise ValueError("a skeleton is a list of {'text': ...} and {'hole': {...}}")
    elements = [_element(index, row) for index, row in enumerate(raw)]
    if sum(isinstance(element, Hole) for element in elements) > _MAX_HOLES:
        raise ValueError(f"a skeleton has at most {_MAX_HOLES} holes")
    return elements


def _element(index: int, row: Any) -> Text | Hole:
    if isinstance(row, Mapping) and set(row) == {"text"} and isinstance(row["text"], str):
        return Text(row["text"])
    hole = row.get("hole") if isinstance(row, Mapping) and set(row) == {"hole"} else None
    if isinstance(hole, Mapping) and set(hole) <= set(Hole._fields):
        limit, stop, choices = hole.get("max_tokens", 32), hole.get("stop", QUOTE), hole.get("choices", ())
        whole = isinstance(limit, int) and not isinstance(limit, bool) and limit > 0
        lean, offer = hole.get("lean"), hole.get("offer")
        numbers = (lean is None or _is_number(lean)) and (offer is None or _is_offer(offer))
        if whole and isinstance(stop, str) and stop and _texts(choices) and numbers:
            begins = (*choices, *([offer["text"]] if offer else ()))
            if stop == QUOTE and not all(map(_is_inside, begins)):
                raise ValueError(f"skeleton element {index}: each of the choices must be the inside of a JSON string")
            offered = (offer["text"], float(offer["bias"])) if offer else None
            return Hole(limit, stop, tuple(choices), hole.get("open") is True, lean, offered)
    shape = "{'hole': {'max_tokens', 'stop', 'choices', 'open', 'lean', 'offer'}}"
    raise ValueError(f"skeleton element {index}: expected {{'text': str}} or {shape}")


def _texts(choices: Any) -> bool:
    sized = isinstance(choices, Sequence) and not isinstance(choices, str) and len(choices) <= _MAX_CHOICES
    return sized and all(isinstance(text, str) and text and len(text) <= _LONGEST_CHOICE for text in choices)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_offer(offer: Any) -> bool:
    fields = isinstance(offer, Mapping) and set(offer) == {"text", "bias"}
    return fields and _texts([offer["text"]]) and _is_number(offer["bias"])


def _is_inside(text: str) -> bool:
    try:
        return isinstance(json.loads(f'"{text}"'), str)
    except ValueError:
        return False


def find_stop(text: bytes, stop: str) -> int:
    """Where the stop string begins, or -1. A quote that a backslash escapes does not stop."""
    if stop != QUOTE:
        return text.find(stop.encode())
    index = 0
    while index < len(text):
        if text[index] == 0x5C:  # backslash: the next byte is part of the escape
            index += 2
        elif text[index] == 0x22:
            return index
        else:
            index += 1
    return -1


def string_content(text: str) -> str:
    """Valid content of a JSON string that keeps as much of what the model wrote as can be kept."""
    try:
        value = json.loads(f'"{text}"', strict=False)
    except ValueError:
        kept = _ESCAPE.sub(
            lambda match: match.group() if len(match.group()) > 1 else "\\\\", _open_escape_dropped(text)
        )
        value = json.loads(f'"{_CONTROL.sub(_escaped, kept)}"')
    # A lone surrogate cannot be encoded, by us or by anyone after us.
    clean = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(clean, ensure_ascii=False)[1:-1]


def _open_escape_dropped(text: str) -> str:
    """Without the escape that the end of the text cuts off."""
    tail = re.search(r"\\(?:u[0-9a-fA-F]{0,3})?$", text)
    if tail is None or _backslashes_before(text, tail.start()) % 2:
        return text
    return text[: tail.start()]


def _backslashes_before(text: str, end: int) -> int:
    return end - len(text[:end].rstrip("\\"))


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]
