"""What trails an excluded phrase and says how far it is ruled out: "anywhere", "of any kind", "at all", "in it"."""

from __future__ import annotations

from ._negation_text import Message, closes

_KINDS = frozenset("kind kinds sort sorts type types description form".split())
_PLACES = frozenset("anywhere everywhere whatsoever".split())
_PREPOSITIONS = frozenset("on in with about to of for around inside near at from by".split())
_ONES = frozenset("it them there these those here".split())


def end_without_tail(m: Message, start: int, end: int) -> int:
    """Return where a phrase from word `start` ends when what trails it within `end` is left out."""
    if end - start > 3 and m.low(end - 3) == "of" and m.low(end - 2) == "any" and m.low(end - 1) in _KINDS:
        end -= 3
    return end


def past_tail(m: Message, end: int) -> int:
    """Return the index after what trails a phrase that ends before word `end`, so that it goes with the phrase."""
    while step := _tail(m, end):
        end += step
    return end


def _tail(m: Message, i: int) -> int:
    """Return how many words from an index on are a tail; 0 for none."""
    if i >= len(m.words) or i == 0 or closes(m.gap(i), m.low(i - 1)) or m.words[i].quote:
        return 0
    low, after = m.low(i), m.low(i + 1)
    if low in _PLACES:
        return 1
    if i + 1 >= len(m.words) or closes(m.gap(i + 1), low):
        return 0
    if low == "at" and after == "all":
        return 2
    if low in ("in", "on") and after == "there":
        return 2
    if low in _PREPOSITIONS and after in _ONES and m.words[i + 1].text != "IT":
        # "on these" may go on ("on these lakes"); a pronoun for a thing that was named ends the clause.
        whole = after in ("it", "them") or closes(m.gap(i + 2), after) or i + 2 >= len(m.words)
        return 2 if whole else 0
    if low == "of" and after == "any" and m.low(i + 2) in _KINDS:
        return 3
    return 0
