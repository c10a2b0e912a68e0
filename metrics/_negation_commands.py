"""Commands to leave something out, and cues that stand behind or within a noun phrase ("X excluded", "free of X")."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_omissions import that_omits
from ._negation_others import parted
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, in_class

_OMITTING = frozenset("exclude excludes leave skip omit omits avoid avoids rule".split())
"""What a thing asked for may do without it being a feature, as "that removes X" or "that blocks X" is."""
_FREE_OF = frozenset("charge cost fees error errors charges obligation tax duty time".split())


def command(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Exclude X", "leave out X", "I want to avoid X": a command or a wish, not a topic ("how to avoid X")."""
    low, before = m.low(i), m.low(i - 1)
    if in_condition(s, i):
        return None
    if before in ("don't", "not", "never", "stop", "longer", "n't") or before.endswith("n't"):
        return None
    if before in ("that", "which", "who") and i - 1 > s.start:
        return that_omits(m, i, after, s) if low in _OMITTING else None
    if low == "hold":
        spoken = before in ("to", "i", "we", "you", "they", "can", "will", "must") or i == 0
        return None if m.low(after) != "the" or spoken or s.fact else rules_out(m, i, after, "list")
    while before.endswith("ly") and i > s.start and not m.opens(i):
        i, before = i - 1, m.low(i - 2)
    if before == "you" and m.low(i - 2) in ("can", "could", "would", "will"):
        return rules_out(m, i, after, "list", meta=True)
    opens = parted(m, i) or (m.low(i - 1) in ("also", "then", "so", "must", "should") and not s.fact)
    wish = (
        before == "to"
        and any(
            m.low(n)
            in (
                "want",
                "like",
                "need",
                "trying",
                "prefer",
                "have",
                "love",
                "hoping",
                "wish",
                "you",
                "able",
                "got",
                "better",
                "try",
                "me",
            )
            for n in range(max(s.start, i - 4), i - 1)
        )
        and any(m.low(n) in ("i", "i'd", "we", "we'd", "i'm", "we're", "you", "me", "us") for n in range(s.start, i))
    )
    wish = wish or (before == "to" and m.low(i - 2) in ("sure", "careful"))
    asked = before in ("you", "i", "we", "you'd") and not s.fact and s.wh != "how"
    if s.wh == "how" and not (opens and not m.opens(i)):
        return None
    if not (opens or wish or asked):
        return None
    if low in ("remove", "drop", "hide", "ignore", "lose", "cut", "ditch", "hold", "forget", "hold") and i == 0:
        return None
    if low in ("lose", "cut") and m.low(after) != "the":
        return None
    return rules_out(m, i, after, "list", meta=True)


def free_of(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Free of X"; "free of charge" is a price, and a question of fact wants its pages."""
    if s.fact or m.low(after) in _FREE_OF or m.low(i - 1) in ("break", "get", "got", "sugar"):
        return None
    start = i
    while start > s.start and m.low(start - 1) in ("that", "which", "are", "is", "completely", "totally", "entirely"):
        start -= 1
    return rules_out(m, start, after, "list")


def lacking(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "X lacking Y", "that lack Y"; a bare "lacks" states a fact."""
    relative = m.low(i - 1) in ("that", "which", "who")
    if s.fact or (m.low(i) != "lacking" and not relative):
        return None
    return rules_out(m, i - 1 if relative else i, after, "or")


def steer_clear(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Steer clear of X", "sick of X", "fed up with X"."""
    return None if s.fact or s.wh == "how" or in_condition(s, i) else rules_out(m, i, after, "list", meta=True)


def minus_word(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "A salad minus the onions", not arithmetic."""
    low, before = m.low(after), m.low(i - 1)
    if s.fact or not low[:1].isalpha() or len(before) < 2 or any(c.isdigit() for c in before):
        return None
    return rules_out(m, i, after, "list")


def excluded(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Diesel excluded", "red is out", "meetings are a no-go": the cue stands behind the phrase."""
    if s.fact or in_condition(s, i):
        return None
    closed = (
        after >= s.end
        or m.gap(after).strip() != ""
        or m.low(after) in ("please", "and", "but", "for", "thanks", "too", "as")
    )
    end = i
    while end > s.start and m.low(end - 1) in (
        "is",
        "are",
        "a",
        "an",
        "also",
        "definitely",
        "absolutely",
        "strictly",
        "total",
    ):
        end -= 1
    linked = any(m.low(n) in ("is", "are") for n in range(end, i))
    if not closed or (m.low(i) != "excluded" and not linked) or (m.low(i) == "excluded" and linked and s.wh):
        return None
    start = end
    while start > s.start and end - start < 4 and not m.gap(start).strip() and not m.words[start - 1].quote:
        if in_class(m.low(start - 1), "stop", "preposition", "skip") or m.low(start - 1) in (
            "and",
            "or",
            "that",
            "this",
            "it",
        ):
            break
        start -= 1
    if start > 0 and start == end and m.words[end - 1].quote:
        return None
    if start == end:
        return None
    phrase = " ".join(m.text[m.words[start].start : m.words[end - 1].end].split())
    return Finding((phrase,), m.words[i].text, start, after)


def answered_no(m: Message, i: int, s: Sentence) -> Finding | None:
    """ "Alcohol: no." on a line of its own."""
    if ":" not in m.gap(i) or (i + 1 < s.end) or i - s.start > 4 or i == s.start:
        return None
    phrase = " ".join(m.text[m.words[s.start].start : m.words[i - 1].end].split())
    return Finding((phrase,), "no", s.start, i + 1)
