"""A query without what is ruled out: cue and phrase go together, and nothing is left dangling."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Exclusion
from ._leaks import leaks, same_phrase
from ._negation_reading import findings
from ._negation_text import read

_OPENING = " \t\"\u201c\u2018'(-\u2212!\u2013\u2014,"
_CLOSING = "\"\u201d\u2019')"
_BLANKS = re.compile(r"[ \t\r\n]+")
_BEFORE_MARK = re.compile(r" +([,.;:?!])")
_MARKS = re.compile(r"[,;:]\s*(?=[,;:.?!])")
_DANGLING = frozenset(
    "and or but nor with without except for excluding besides not no than other that which who are is aren't isn't "
    "of the a an to while any anything rather instead apart aside from in on by minus neither just still though "
    "please only then free please".split()
)
_LEADING = frozenset("and or but nor , ; :".split())
_PAIRS = re.compile(r"\b(and|or|but) (?=(?:and|or|but|in|on|for|at|near|from|by|to)\b)", re.IGNORECASE)
_ROUNDS = 4


def without_exclusions(text: str, exclusions: Sequence[Exclusion]) -> str:
    """Return a text without the active exclusions, their cues and every other mention of them.

    "flats without garden in Leeds" becomes "flats in Leeds". A text that names nothing excluded is returned as it is.

    Args:
        text: A query.
        exclusions: The state; revoked ones stay in the text.
    """
    active = [e for e in exclusions if e.status == "active"]
    if not active or not text.strip():
        return text
    spans = _constructions(text, active)
    rest = text if spans is None else spans
    for _ in range(_ROUNDS):
        found = leaks(rest, active)
        if not found:
            break
        rest = _cut(rest, [(hit.start, hit.end) for hit in found])
    return text if rest == text else _tidy(rest)


def _constructions(text: str, active: list[Exclusion]) -> str | None:
    m = read(text)
    spans = []
    for f in findings(m):
        if f.phrases and all(any(same_phrase(p, e.phrase) for e in active) or leaks(p, active) for p in f.phrases):
            start, end = m.words[f.start].start, m.words[min(f.end, len(m.words)) - 1].end
            while start > 0 and m.text[start - 1] in '-\u2212!"\u201c':
                start -= 1
            while end < len(m.text) and m.text[end] in _CLOSING:
                end += 1
            spans.append((start, end))
    return _cut(m.text, spans) if spans else None


def _cut(text: str, spans: list[tuple[int, int]]) -> str:
    kept, last = [], 0
    for start, end in sorted(spans):
        if start >= last:
            kept.append(text[last:start])
        last = max(last, end)
    return " ".join((*kept, text[last:]))


def _tidy(text: str) -> str:
    text = _BLANKS.sub(" ", text)
    text = re.sub(r"\(\s*\)|\"\s*\"|\u201c\s*\u201d", " ", text)
    text = _MARKS.sub("", _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)))
    text = _PAIRS.sub("", text).strip(" ,;:-\u2014\u2013")
    end = text[-1:] if text[-1:] in "?!." else ""
    words = text.rstrip("?!. ").split(" ")
    while words and words[-1].casefold().strip(",;:()") in _DANGLING:
        words.pop()
    while words and words[0].casefold().strip(",;:()") in _LEADING | {""}:
        words.pop(0)
    body = " ".join(words).strip(" ,;:-\u2014\u2013")
    return body + end if body else ""
