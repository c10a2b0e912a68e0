"""A participle that restricts a thing asked for: "a route avoiding X"."""

from __future__ import annotations

from ._negation_sentences import Sentence
from ._negation_text import Message, in_class
from ._reference_words import noun_features, parts_of_speech


def omitting(m: Message, i: int, s: Sentence) -> bool:
    """Whether a participle right behind a noun restricts it ("a route avoiding X"), rather than names an activity.

    "Tips for avoiding X" and "children avoiding X" are topics: the noun must be a thing, asked for as one of a kind.
    """
    before = m.low(i - 1)
    if i <= s.start or s.fact or s.wh or m.gap(i).strip() or "NOUN" not in parts_of_speech(before):
        return False
    if in_class(before, "preposition", "stop", "link", "skip", "request_verb", "desire_verb"):
        return False
    if noun_features(before)[1] == "person":
        return False
    return any(m.low(n) in ("a", "an", "any") for n in range(max(s.start, i - 4), i - 1))
