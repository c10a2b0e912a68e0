"""What the assistant has just shown, for "not that one" and "something other than those"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Turn
from ._analysis import _QUOTED

_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+([^\n:\u2014(]{2,80})", re.MULTILINE)
_NAME = re.compile(r"(?<![.?!:\n] )(?<!^)\b[A-Z][\w'\u2019-]*(?: (?:of |de |the )?[A-Z0-9][\w'\u2019-]*){0,4}")
_OFFER = re.compile(
    r"\b(?:try|recommend|suggest|like|is|are|about|consider|with|have|found|one)\s+(?:the |a |an )?$", re.I
)
_MOST = 10
_READ = 4000  # characters of the assistant's message


def shown_by(before: Sequence[Turn]) -> tuple[str, ...]:
    """Return what the newest message of the assistant offers: its list items, its quoted titles, else its names."""
    text = next((t.content[:_READ] for t in reversed(before) if t.role == "assistant"), "")
    if items := [m.group(1).strip(" *_.,;") for m in _ITEM.finditer(text)]:
        return tuple(dict.fromkeys(items))[:_MOST]
    if quoted := [m.group()[1:-1].strip() for m in _QUOTED.finditer(text)]:
        return tuple(dict.fromkeys(quoted))[:_MOST]
    return tuple(dict.fromkeys(m.group() for m in _NAME.finditer(text) if m.group() not in ("I", "You", "It")))[:_MOST]
