"""Exclusions written as signs: a leading minus, an upper-case NOT, and "non-"."""

from __future__ import annotations

import re

from ._negation_cues import Finding
from ._negation_phrases import phrases_after
from ._negation_sentences import Sentence
from ._negation_text import Message, in_class

_SIGN = re.compile(r"(?:^|[\s(,])[-\u2212\u2013!]\"?\u201c?$")
_FIELD = re.compile(r"([a-z][a-z_]{1,30}):(?!//)(\S+)$")
_NON = re.compile(r"non-(\w[\w'-]*)$")


def minus(m: Message, i: int, s: Sentence) -> Finding | None:
    """ "deploy notes -staging": a minus before a term, behind a blank; not a number, a flag, nor a dash."""
    word = m.words[i]
    gap = word.gap if i else m.text[: word.start]
    if i and word.quote and m.words[i - 1].quote == word.quote:
        return None
    if not _SIGN.search(gap) or (i == 0 and not gap):
        return None
    low = word.low
    if not any(c.isalpha() for c in low) or len(low) < 2 or s.wh or (i == 0 and s.end - s.start > 2 and not word.quote):
        return None
    if "\u2013" in gap and not gap[:-1].isspace():
        return None
    end = i + 1
    while word.quote and end < len(m.words) and m.words[end].quote == word.quote:
        end += 1
    if found := _FIELD.match(low) if not word.quote else None:
        value = word.text[len(found.group(1)) + 1 :].strip("\"'")
        return Finding((value,), "-", i, end, field=found.group(1))
    text = m.text[word.start : m.words[end - 1].end]
    return Finding((" ".join(text.split()),), gap.strip('"\u201c (,')[-1:] or "-", i, end)


def upper_not(m: Message, i: int) -> Finding | None:
    """ "jaguar NOT car": the next term alone, when the message is not all in capitals."""
    if m.text.isupper() or i == 0 or i + 1 >= len(m.words):
        return None
    start = i - 1 if m.words[i - 1].text == "AND" else i
    found = phrases_after(m, i + 1, "one")
    if not found or found[0].start != i + 1:
        return None
    word = m.words[i + 1]
    end = found[0].end if word.quote else i + 2
    text = m.text[word.start : m.words[end - 1].end]
    return Finding((" ".join(text.split()),), "NOT", start, end)


def non(m: Message, i: int, s: Sentence) -> Finding | None:
    """ "Non-animated films" rules animated ones out; "non-fiction" is a word of its own, and a fact is only asked."""
    word = m.words[i]
    if s.fact:
        return None
    if found := _NON.match(word.low):
        rest = found.group(1)
        if in_class(rest, "non_attribute") or in_class(rest.split("-")[0], "non_attribute") or len(rest) < 3:
            return None
        return Finding((word.text[4:],), word.text[:4], i, i + 1)
    if word.low != "non" or i + 1 >= len(m.words) or in_class(m.low(i + 1), "non_attribute", "stop"):
        return None
    if m.gap(i + 1).strip() not in ("", "-"):
        return None
    return _split_non(m, i)


def _split_non(m: Message, i: int) -> Finding | None:
    """ "Non war and conflict novels", "Non- animated films": the next word, and what "and" ties to it."""
    end = i + 2
    if m.low(end) in ("and", "or") and end + 1 < len(m.words) and not m.low(end + 1).startswith("non"):
        parts = (m.words[i + 1].text, m.words[end + 1].text)
        return Finding(parts, "non", i, end + 2)
    return Finding((m.words[i + 1].text,), "non", i, end)
