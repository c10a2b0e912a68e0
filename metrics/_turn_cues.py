"""The phrases that speak of the conversation itself, read from `lexicons/turns_*.txt`.

Each rule must be all of a sentence, so a further word is content: "what is still open on Sundays" asks about Sundays,
and "what is the source of the river" about a river. A rule allows only words that refer to the exchange ("that", "your
answer", "my questions", "so far") beside its own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_PART = re.compile(r"\{([A-Z_]+)\}")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_HEADING = re.compile(r"\[(\w\w) (\w+)(?: (\w+))?\]")
_DEFINITION = re.compile(r"([A-Z_]+) = (.+)")


class Cue(NamedTuple):
    """A rule: what a sentence that it matches is about, more closely, and in which language.

    `pattern` matches a whole sentence of plain words; its groups, if it has any, hold what the user names.
    """

    kind: str
    aspect: str
    language: str
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def cues() -> tuple[Cue, ...]:
    """Return all rules, the English ones first; read and compiled with the first message."""
    return tuple(cue for name in ("turns_en", "turns_other") for cue in _read(name))


def _read(name: str) -> Iterator[Cue]:
    parts: dict[str, str] = {}
    language = kind = aspect = ""
    for line in (files(__package__) / "lexicons" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if heading := _HEADING.fullmatch(line):
            language, kind, aspect = heading[1], heading[2], heading[3] or ""
        elif definition := _DEFINITION.fullmatch(line):
            parts[definition[1]] = _PART.sub(lambda m: parts[m[1]], definition[2])
        else:
            yield Cue(kind, aspect, language, _compiled(_PART.sub(lambda m: parts[m[1]], line)))


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a rule that may use a group name twice; a number makes each name its own."""
    count = itertools.count()
    return re.compile(_GROUP.sub(lambda m: f"(?P<{m[1]}_{next(count)}>", pattern))
