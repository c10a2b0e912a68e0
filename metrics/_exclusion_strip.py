"""A query without what is ruled out: cue and phrase go together, and nothing is left dangling."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Exclusion
from ._exclusion_seams import mended
from ._leaks import leaks, same_phrase
from ._negation_reading import findings
from ._negation_text import read

_OPENING = " \t\"\u201c\u2018'(-\u2212!\u2013\u2014,"
_CLOSING = "\"\u201d\u2019')"
_BLANKS = re.compile(r"[ \t\r\n]+")
_BEFORE_MARK = re.compile(r" +([,.;:?!])")
_MARKS = re.compile(r"[,;:]\s*(?=[.?!])")
_SERIES = re.compile(r"[,;:](?:\s*[,;:])+")
_STRENGTH = ",:;"
_AFTER_END = re.compile(r"([.!?])\s*[,;:](?=\s)")
_DANGLING = frozenset(
    "and or but nor with without except for excluding besides not no than other that which who are is aren't isn't "
    "of the a an to while any anything rather instead apart aside from in on by minus neither just still though "
    "please only then free please".split()
)
_LEADING = frozenset("and or but nor , ; :".split())
_PAIRS = re.compile(r"\b(and|or|but) (?=(?:and|or|but|in|on|for|at|near|from|by|to)\b)", re.IGNORECASE)
_EMPTY_QUOTES = re.compile(
    r"\(\s*\)|\"\s*\"|\u201c\s*\u201d|\u2018\s*\u2019|\u00ab\s*\u00bb|\u201e\s*[\u201c\u201d]|(?<!\w)'\s*'(?!\w)"
)
_HOLE = "\x00"
"""Where something was cut, until the rest is tidied."""
_CLAUSE = re.compile(r"(?<=[,;:.!?])\s+|\s+(?=[\u2013\u2014]\s)")
_SUBJECTS = frozenset(
    "i we he she they you it i'm i've i'd i'll we're we've my our his her their your this that these those half some "
    "ich wir je nous yo ik jeg jag ja".split()
)
_BEFORE_A_HOLE = _DANGLING | frozenset(
    "contain contains containing need needs needing have has having include includes including use uses using hold "
    "holds involve involves require requires carry carries come comes made aber sondern mas mais pero sino ma maar men "
    "och und y e et ou oder o".split()
)
_ROUNDS = 4


def without_exclusions(text: str, exclusions: Sequence[Exclusion]) -> str:
    """Return a text without the active exclusions, their cues and every other mention of them.

    "flats without garden in Leeds" becomes "flats in Leeds". A text that names nothing excluded is returned as it is.

    Args:
        text: A query.
        exclusions: The state; revoked ones stay in the text.
    """
    active = [e for e in exclusions if e.status == "active"]
    text = text.replace(_HOLE, " ")
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
    return f" {_HOLE} ".join((*kept, text[last:]))


def _tidy(text: str) -> str:
    clauses = [kept for n, clause in enumerate(_CLAUSE.split(text)) if (kept := _clause(clause, n == 0))]
    text = _BLANKS.sub(" ", _EMPTY_QUOTES.sub(" ", " ".join(clauses)))
    text = _AFTER_END.sub(r"\1", _MARKS.sub("", _SERIES.sub(_strongest, _BEFORE_MARK.sub(r"\1", text))))
    text = _PAIRS.sub("", text).strip(" ,;:-\u2014\u2013")
    end = text[-1:] if text[-1:] in "?!." else ""
    words = _trimmed(text.rstrip("?!. ").split(" "), _DANGLING)
    while words and words[0].casefold().strip(",;:()") in _LEADING | {""}:
        words.pop(0)
    body = " ".join(words).strip(" ,;:-\u2014\u2013")
    return body + end if body else ""


def _strongest(marks: re.Match[str]) -> str:
    """Of the marks around what is gone, the one that parts most."""
    return max((c for c in marks.group() if c in _STRENGTH), key=_STRENGTH.index)


def _clause(clause: str, opening: bool) -> str:
    """Return a clause without what only led to a hole; "" for a statement that said nothing but the exclusion."""
    if _HOLE not in clause:
        return clause
    before, *after = clause.split(_HOLE)
    words = before.split()
    first = words[0].casefold() if words else ""
    if not opening and first in _SUBJECTS and "?" not in clause:
        mark = clause.rstrip()[-1:]
        return mark if mark in ".!;" else ""
    kept = _trimmed(words, _BEFORE_A_HOLE)
    for part in after:
        kept = mended(kept, words[len(kept) :], part.split())
        words = kept
    return " ".join(kept)


def _trimmed(words: list[str], dangling: frozenset[str]) -> list[str]:
    """Return the words without the ones at their end that need another word behind them."""
    left = list(words)
    while left and left[-1].casefold().strip(",;:()") in dangling:
        left.pop()
    return left
