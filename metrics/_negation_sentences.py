"""What kind of sentence a cue stands in: a request, a question for others, a question of fact, a condition."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._negation_idioms import SOFT
from ._negation_text import Message

_WH = frozenset("who whose whom which what when where why how what's who's where's how's".split())
_OPENERS = frozenset("and but so ok okay hi hey hello please also well actually now then yes no thanks or just".split())
_PREPOSITIONS = frozenset("in on at for by from with to of under about into during through after before".split())
_OTHERS = re.compile(
    r"\b(?:else|others?|another|different|any(?:one|body|thing|where)?|alternatives?|remaining|rest)\b", re.IGNORECASE
)
_ADDS = re.compile(r"\b(?:also|too|as well|additionally)\b", re.IGNORECASE)
_LISTING = re.compile(
    r"\b(?:what|which|where)(?:'s| is| are| were)? (?:there|some|any|a good|an? \w+|the best|good|the top"
    r"|your|my options|else"
    r"|other)\b|\b(?:what|which|where|how) (?:\w+ ){0,6}?(?:can|could|do|did|should|would|shall|might|will|may)"
    r" (?:i|we|you|one|people)\b|\b(?:what|which) (?:\w+ ){0,6}?are there\b|\bhow about\b|\bwhat about\b|\bhow to\b"
    r"|\bwhat are\b",
    re.IGNORECASE,
)
_POLAR = re.compile(
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|shall)\b", re.IGNORECASE
)
_POLAR_REQUEST = re.compile(
    r"(?:(?:can|could|would|will|may) (?:you|i|we|u|someone|anyone)\b|do(?:es)? (?:you|anyone|anybody|someone|we|they)"
    r" (?:have|know|sell|stock|carry|offer|recommend)\b|have you (?:got )?|(?:are|is) there\b)",
    re.IGNORECASE,
)
_CONDITION = frozenset("if unless whether".split())


class Sentence(NamedTuple):
    """One sentence.

    Attributes:
        start: Index of its first word.
        end: Index after its last.
        wh: The question word that opens it or one of its clauses, "" for none.
        fact: It asks which thing has or lacks a property, or whether one does; a filter would lose the answer.
        others: It asks for others than what is named.
        adds: It asks for something as well.
        soft: It states a wish that is not insisted on.
        conditions: Word ranges of conditional clauses.
    """

    start: int
    end: int
    wh: str
    fact: bool
    others: bool
    adds: bool
    soft: bool
    conditions: tuple[tuple[int, int], ...]


def sentences(m: Message) -> list[Sentence]:
    """Return the sentences of a message in order."""
    found = []
    start = 0
    for end in range(1, len(m.words) + 1):
        if end == len(m.words) or m.words[end].sentence != m.words[start].sentence:
            found.append(_sentence(m, start, end))
            start = end
    return found


def _sentence(m: Message, start: int, end: int) -> Sentence:
    text = m.text[m.words[start].start : m.words[end - 1].end]
    head = text[:2000]
    wh = _question_word(m, start, end)
    first = start
    while first < end - 1 and (m.low(first) in _OPENERS):
        first += 1
    opening = m.text[m.words[first].start : m.words[end - 1].end][:200].replace("\u2019", "'")
    asks = wh not in ("", "how", "how's")
    fact = asks and (wh in ("who", "whose", "whom", "when", "why", "who's") or not _LISTING.search(head))
    polar = not wh and _POLAR.match(opening) is not None
    if polar and not _POLAR_REQUEST.match(opening):
        fact = True
    others = bool(wh and wh not in ("why", "how", "when")) or _OTHERS.search(head) is not None
    return Sentence(
        start, end, wh, fact, others, _ADDS.search(head) is not None, SOFT.search(text[:4000]) is not None,
        _conditions(m, start, end),
    )  # fmt: skip


def _question_word(m: Message, start: int, end: int) -> str:
    at_start = True
    for i in range(start, min(end, start + 200)):
        low = m.low(i)
        if (i > start and "," in m.gap(i)) or "\uff0c" in m.gap(i):
            at_start = True
        if at_start and low in _WH and not m.words[i].quote:
            follows_comma = i > start and "," in m.gap(i)
            if not (
                follows_comma and low in ("which", "who", "where", "when", "whose", "whom") and not _asks(m, i, end)
            ):
                return low
        if at_start and low in _PREPOSITIONS and m.low(i + 1) in _WH and i + 1 < end and i == start:
            return m.low(i + 1)
        at_start = at_start and low in _OPENERS
    return ""


def _asks(m: Message, i: int, end: int) -> bool:
    """Whether a question word behind a comma asks, rather than opens a relative clause ("X, who played Y")."""
    if m.low(i + 1) in ("else", "other", "others", "do", "does", "did", "can", "could", "would", "should"):
        return True
    last = m.words[end - 1].end
    later = any("," in m.gap(n) and m.low(n) in _WH for n in range(i + 1, min(end, i + 200)))
    return "?" in m.text[last : last + 3] and not later


def _conditions(m: Message, start: int, end: int) -> tuple[tuple[int, int], ...]:
    found = []
    i = start
    while i < end:
        low = m.low(i)
        fronted = low in ("when", "whenever") and i == start and m.text[m.words[end - 1].end :][:1] != "?"
        case = low == "in" and m.low(i + 1) == "case"
        if (low in _CONDITION or fronted or case) and not m.words[i].quote:
            stop = i + 1
            while stop < end and not (set(",:\uff0c\u2014") & set(m.gap(stop))) and m.low(stop) != "then":
                stop += 1
            found.append((i, stop))
            i = stop
        else:
            i += 1
    return tuple(found)


def sentence_at(found: list[Sentence], m: Message, i: int) -> Sentence:
    """Return the sentence of a word."""
    return found[m.words[i].sentence]


def in_condition(sentence: Sentence, i: int) -> bool:
    """Whether a word stands in a conditional clause."""
    return any(a <= i < b for a, b in sentence.conditions)
