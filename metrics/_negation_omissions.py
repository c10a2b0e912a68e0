"""A thing asked for that leaves something out: "a tour that skips X"."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_sentences import Sentence
from ._negation_text import Message, in_class

_RELATIVE = frozenset("that which who".split())
_OWNED = frozenset("my our his her its their this these your".split())
_OWNING = frozenset("have got bought own ordered had".split())
_OWNERS = frozenset("i we i've we've".split())
_SEARCHING = frozenset("find get choose book plan build make write buy see search pick watch read cook".split())
_STUMBLED = frozenset(
    "beat beats frame frames track tracks gear gears stitch stitches song songs line lines page pages school work "
    "class classes ahead".split()
)
"""What a broken thing or a truant skips."""
_NEAR = 6  # words before a relative pronoun in which the thing asked for begins


def that_omits(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "A course that leaves out X" restricts what is asked for; a symptom, a topic or a question of fact does not.

    Args:
        m: The message.
        i: Index of the verb.
        after: Index of the first word after it.
        s: Its sentence.
    """
    relative = _relative(m, i, s)
    if relative is None or (s.fact and s.wh not in ("which", "what")):
        return None
    if s.wh == "how" and not any(m.low(n) in _SEARCHING for n in range(s.start, relative)):
        return None
    if (s.wh and m.low(relative) == "who") or _tells_of_one(m, relative, s):
        return None
    if m.low(after) in _STUMBLED or m.low(after + 1) in _STUMBLED:
        return None
    return rules_out(m, relative if relative == i - 1 else i - 1, after, "list", meta=True)


def _relative(m: Message, i: int, s: Sentence) -> int | None:
    """Return the relative pronoun of a verb; a verb behind "and" may share one ("that starts in X and skips Y")."""
    if m.low(i - 1) in _RELATIVE and i - 1 > s.start:
        return i - 1
    if m.low(i - 1) in ("and", "but") and not m.opens(i):
        return next((n for n in range(i - 2, max(s.start, i - 14), -1) if m.low(n) in _RELATIVE), None)
    return None


def _tells_of_one(m: Message, relative: int, s: Sentence) -> bool:
    """Whether the clause describes a thing that is there ("my player that skips …", "a book about people who …")."""
    words = range(max(s.start, relative - _NEAR), relative)
    if any(m.low(n) in _OWNED or m.low(n) == "about" for n in words):
        return True
    if any(m.low(n) == "the" for n in words) and not _asked_for(m, relative, s):
        return True
    owned = any(m.low(n) in _OWNERS and m.low(n + 1) in _OWNING for n in range(s.start, relative))
    there = any(
        m.low(n) == "there's" or (m.low(n) == "there" and m.low(n + 1) in ("is", "are"))
        for n in range(s.start, relative)
    )
    return owned or there


def _asked_for(m: Message, relative: int, s: Sentence) -> bool:
    if s.fact:
        return False
    return (
        s.wh in ("which", "what")
        or any(m.low(n) == "please" for n in (s.start, s.end - 1))
        or any(
            in_class(m.low(n), "request_verb", "desire_verb") or m.low(n) in _SEARCHING
            for n in range(s.start, relative)
        )
    )
