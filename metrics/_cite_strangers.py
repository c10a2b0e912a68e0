"""Addresses and file-like names in an answer's text that nothing given holds: sources that a model made up in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..signatures.types import Violation
from ._cite_reading import Reading, shown, violation

_STRANGER = re.compile(r"https?://[^\s<>\"'\[\]()]{1,300}|(?<![\w/.])\w{2,60}_\w{2,60}(?![\w/])")
_MOST = 60


def stranger_violations(reading: Reading, question: str) -> Iterator[Violation]:
    """Yield addresses and names with an underscore that stand in no source, no title, no id and not in the question.

    Targets of links count too; markers, code and links that show an address have rules of their own.
    """
    marked = [(m.start, m.end) for m in reading.markers] + [(link.start, link.end) for link in reading.text.links]
    found = [m for m in list(_STRANGER.finditer(reading.prose))[:_MOST] if not _within(m, marked)]
    texts = [m.group().rstrip(".,;:!?*_") for m in found]
    texts += [t.target for t in reading.text.links if t.target.startswith("http") and not t.label.startswith("http")]
    if not texts:
        return
    sources = reading.known.by_id.values()
    given = "\n".join((question, *(t for s in sources for t in (s.doc_id, s.source_id, s.title, *s.texts)))).casefold()
    for text in texts[:_MOST]:
        if text.casefold() not in given:
            message = (
                f"{shown(text)} stands in no source; leave it out and put the marker of the source behind the claim."
            )
            yield violation("unsupported_claim", message, text)


def _within(match: re.Match[str], places: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in places)
