"""What is said of a thing around and behind its name: "drawers are not included", "drawer-free", "Drawers: none"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ._clauses import Word
from ._denial_cues import is_polar

Said = Literal["denied", "apart", "joined", "asserted"]
_PREDICATE_AHEAD = 10  # words behind the name in which its verb is looked for
_VERB_PHRASE = 7
_BLANK_VALUE = re.compile(r"s?\s*[:=|]\s*[-\u2013\u2014\u2717\u2718\u00d7]\s*(?:[;,.|\n]|$)")
_NO_SUFFIX_BEFORE = frozenset("of for from to when with on at in during if and".split())
_HYPHENATED = frozenset("look effect like lookalike inspired esque less style free".split())
_LABEL_MARKS = (":", "=", "|", "(", " \u2013 ", " - ")
_ARTICLES = frozenset(("a", "an", "the", "to", "any"))
_NEAR: Said = "denied"
_FURTHER: Said = "apart"


def said_behind(words: Sequence[Word], first: int, last: int, text: str) -> Said | None:
    """Return what the words around a name say of it, or None when they leave it at what was said before.

    Args:
        words: The words of the text.
        first: Index of the first word of the name.
        last: Index of its last word.
        text: The folded text.

    Returns:
        "joined" for a suffix or an adjective ("drawer-free", "faux leather"), which itself may be denied; "denied" for
        a predicate; "apart" for one further on, and for an answer, which say the same whatever came before; "asserted"
        for an answer.
    """
    if _is_unlike(words, first, last):
        return "joined"
    if _BLANK_VALUE.match(text, words[last].end) or _labelled_none(words, last):
        return "apart"
    return _answered(words, first, last) or (_predicate(words, last) if _is_subject(words, first) else None)


def _is_unlike(words: Sequence[Word], first: int, last: int) -> bool:
    for back in (1, 2):
        if first >= back and words[first - back + 1].gap.strip() in ("", "-") and _same(words, first, first - back):
            if is_polar(words[first - back].low, "unlike_before"):
                return True
    if not _same(words, last, last + 1):
        return False
    behind = words[last + 1]
    if behind.gap.strip() not in ("", "-", "("):
        return False
    if behind.low == "free":
        after = words[last + 2] if _same(words, last, last + 2) else None
        return behind.gap == "-" or after is None or after.low not in _NO_SUFFIX_BEFORE
    if behind.low in _HYPHENATED:
        return behind.gap == "-" and is_polar(behind.low, "unlike_behind")
    return is_polar(behind.low, "unlike_behind")


def _labelled_none(words: Sequence[Word], last: int) -> bool:
    """ "Drawers: none", "Drawers (none)", "Fee: 0 EUR", but not "Fee: 0.5"."""
    if not _same(words, last, last + 1):
        return False
    value = words[last + 1]
    if not any(mark in value.gap for mark in (":", "=", "|", "(", " \u2013 ", " - ")) or not is_polar(
        value.low, "none"
    ):
        return False
    after = words[last + 2].gap if _same(words, last, last + 2) else ""
    return not (value.low in ("0", "zero") and after in (".", ",")) and not (value.low == "no" and after == " ")


def _answered(words: Sequence[Word], first: int, last: int) -> Said | None:
    """A question asserts nothing itself, unless it asks how or why; what follows it answers."""
    if not words[last].asks:
        return None
    begin = first
    while begin and first - begin < 40 and words[begin - 1].sentence == words[first].sentence:
        begin -= 1
    end = last
    while end - last < 40 and _same(words, last, end + 1):
        end += 1
    answer = _low(words, end + 1)
    asks_whether = is_polar(words[begin].low, "question") or end - begin < 3
    if is_polar(answer, "yes"):
        return "asserted"
    declines = any(_low(words, end + n) == "never" or _low(words, end + n).endswith("n't") for n in (2, 3))
    if is_polar(answer, "none") or (declines and end - begin < 3):
        return "apart" if asks_whether else None
    return "apart" if is_polar(words[begin].low, "question") else None


def _is_subject(words: Sequence[Word], first: int) -> bool:
    """Whether the name may be the subject of what follows: not "the key to the drawers"."""
    at = first - 1
    while at >= 0 and first - at <= 3 and (is_polar(words[at].low, "definite") or words[at].low in ("a", "an", "any")):
        at -= 1
    if at < 1 or words[at].sentence != words[first].sentence or not is_polar(words[at].low, "preposition"):
        return True
    return words[at - 1].sentence != words[at].sentence or "," in words[at].gap or words[at - 1].low == "as"


def _predicate(words: Sequence[Word], last: int) -> Said | None:
    topic, said = _is_topic(words, last), _NEAR
    for at in range(last + 1, min(last + 1 + _PREDICATE_AHEAD, len(words))):
        word = words[at]
        if word.sentence != words[last].sentence or any(mark in word.gap for mark in (";", ":", "\u2014", "(", ")")):
            return None
        if not topic and (is_polar(word.low, "stop", "pronoun") or word.low in ("that", "with", "than")):
            return _FURTHER if "none" in (_low(words, at + 1), _low(words, at + 2)) else None
        if word.low in ("and", "nor") or "," in word.gap:
            said = _FURTHER
            if word.low == "and" and _is_verbal(words, at + 1):
                return None
        if _is_verbal(words, at):
            return said if _denies(words, at) else None
        if at == last + 1 and is_polar(word.low, "absent") and "," not in word.gap:
            return said
        if word.low == "nowhere":
            return _FURTHER
        if _is_gone(words, at) or (word.low in ("cost", "costs") and _low(words, at + 1) == "extra"):
            return said
    return None


def _is_verbal(words: Sequence[Word], at: int) -> bool:
    low = _low(words, at)
    return is_polar(low, "auxiliary") or low.endswith("n't") or low in _NEGATING


_NEGATING = frozenset(("not", "never", "no", "neither", "cannot", "cant", "dont", "isnt", "arent", "doesnt"))


def _denies(words: Sequence[Word], at: int) -> bool:
    """Whether a verb phrase says that its subject is not there, not used, not allowed."""
    negated = modal = False
    sentence = words[at].sentence
    for here in range(at, min(at + _VERB_PHRASE, len(words))):
        low = words[here].low
        if words[here].sentence != sentence or any(mark in words[here].gap for mark in (",", ";", ":", "(")):
            return negated
        if low.endswith("n't") or low in _NEGATING:
            if low == "no" and not (here + 1 < len(words) and words[here + 1].low == "longer"):
                return False
            negated = True
        modal = modal or is_polar(low, "modal")
        if low in _NEGATING or low.endswith("n't") or is_polar(low, "auxiliary", "adverb") or low in _ARTICLES:
            continue
        if low == "longer":
            continue
        if negated:
            return is_polar(low, "existence")
        away = is_polar(low, "absent") or _is_gone(words, here) or (low == "out" and _low(words, here + 1) == "of")
        return (away and not modal) or _low(words, here + 1) in ("nowhere", "separately")
    return negated


def _is_gone(words: Sequence[Word], at: int) -> bool:
    return is_polar(words[at].low, "gone_verb") and is_polar(_low(words, at + 1), "gone_particle")


def _is_topic(words: Sequence[Word], last: int) -> bool:
    """ "As for a garden, there isn't one"."""
    for at in range(last, max(last - 6, 0), -1):
        if words[at].low == "for" and words[at - 1].low == "as":
            return at == 1 or words[at - 2].sentence != words[at].sentence
    return False


def _same(words: Sequence[Word], at: int, other: int) -> bool:
    return 0 <= other < len(words) and words[other].sentence == words[at].sentence


def _low(words: Sequence[Word], at: int) -> str:
    return words[at].low if 0 <= at < len(words) else ""
