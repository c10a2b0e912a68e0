"""Dislikes, allergies and what nobody eats: stated without asking for anything, they rule out all the same."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, in_class

_FIRST = frozenset("i we i'd we'd i'll we'll i'm we're".split())


def hates(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "I hate X", "my kids dislike X"."""
    if s.fact or in_condition(s, i) or (m.opens(i) and m.low(i) not in ("hate", "hates", "dislike")):
        return None
    before = m.low(i - 1)
    if before in ("the", "a", "of", "about", "to") or before.endswith("n't") or before == "not":
        return None
    if m.low(after).endswith("ing") and in_class(m.low(after + 1), "skip"):
        after += 1
    if m.low(after) in ("to", "when", "how", "that", "it", "the"):
        if m.low(after) != "the":
            return None
    return rules_out(m, i, after, "list")


def allergic(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Allergic to X", "intolerant of X": a firm exclusion."""
    if s.fact or m.low(i - 1) in ("not", "longer") or m.low(i - 1).endswith("n't"):
        return None
    if m.low(after) in ("to", "of", "against"):
        return rules_out(m, i, after + 1, "list", firm=True)
    return None


def allergy(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "I have a nut allergy", "an allergy to X"; "nut allergy symptoms" is a topic."""
    if s.fact or m.low(i - 1) in ("no",):
        return None
    if m.low(after) == "to":
        return rules_out(m, i, after + 1, "list", firm=True)
    n = i - 1
    owners = ("a", "an", "my", "her", "his", "our", "their", "severe", "bad", "with", "have", "has", "got", "and")
    while n > s.start and n > i - 4 and m.low(n) not in owners and not any(c in m.gap(n) for c in ",;:"):
        n -= 1
    if m.low(n) not in owners or n + 1 >= i:
        return None
    follows = after < s.end and not m.gap(after).strip() and not in_class(m.low(after), "stop", "preposition")
    if follows and m.low(after) not in ("and", "or"):
        return None
    phrase = " ".join(m.text[m.words[n + 1].start : m.words[i - 1].end].split())
    return Finding((phrase,), m.words[i].text, n + 1, i + 1, firm=True)


def nobody(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Nobody eats X", "none of us like X"."""
    n = after
    if m.low(n) in ("of", "in", "here", "at"):
        n += 2 if m.low(n) != "here" else 1
        if m.low(n - 1) in ("the", "my", "our", "this"):
            n += 1
    if m.low(n) in ("can", "will", "really", "ever"):
        n += 1
    if s.fact or not in_class(m.low(n), "consume_verb"):
        return None
    return rules_out(m, i, n + 1, "list")


def never(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "I never eat X", "never show X"."""
    verb = m.low(after)
    if s.fact or in_condition(s, i):
        return None
    mine = m.low(i - 1) in _FIRST and in_class(verb, "desire_verb")
    order = (m.opens(i) or m.low(i - 1) in ("and", "please", "but")) and in_class(verb, "meta_verb")
    return rules_out(m, i, after + 1, "list", meta=True) if mine or order else None
