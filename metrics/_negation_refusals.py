"""What the user will not or cannot do: "I refuse to pay a fee", "I won't open an account", "we can't travel by boat".

A refused act rules out a kind of thing. A thing that is there already ("the fine", "my ticket") is what the message is
about, and whoever asks for help with a refusal rules nothing out.
"""

from __future__ import annotations

import re

from ._content import MONTHS, WEEKDAYS
from ._negation_cues import Finding, rules_out
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, closes, in_class
from ._reference_words import noun_features

_FIRST = frozenset("i we i'd we'd i'll we'll i'm we're".split())
_OTHERS = frozenset("he she they".split())
_ACTS = frozenset(
    "open sign pay install create register buy subscribe join download give share hand provide enter upload accept fly "
    "drive travel use wear eat drink take rent lease book stay tolerate visit".split()
)
_MANNERS = frozenset("fly drive".split())
_CONSUMING = frozenset("eat drink wear touch".split())
_GIVING = frozenset("give share hand provide enter upload".split())
_NO_KIND = frozenset(
    "the this that these those my our his her its their your it them more over extra less much so full one ones "
    "another online no part place care long back off out down for to until till myself ourselves".split()
)
_TAKEN = frozenset(
    "photo photos picture pictures screenshot screenshots video videos call calls note notes payment payments order "
    "orders break breaks leave holiday holidays time part care place action advantage credit card cards backup backups "
    "charge message messages booking bookings reservation reservations test tests exam exams measurement measurements "
    "reading readings lesson lessons responsibility risks chances pressure shot shots input inputs deposits day days "
    "week weeks long".split()
)
"""Objects of "take" that are done, not swallowed."""
_AWAY = frozenset("off out with from back away down in into on onto at over apart up to".split())
_WAYS = frozenset("by on in at during before after through via over".split())
_HELP = re.compile(
    r"\bwhat (?:can|could|should|do|shall|must|would) (?:i|we|they)\b|\bwhat happens\b|\bwhat(?:'s| is| went) wrong\b"
    r"|\b(?:is|was) (?:that|this|it) (?:legal|allowed|normal|ok|okay|fair|serious|possible)\b|\bwhy\b"
    r"|\bcan (?:they|he|she|it|my|the)\b|\bdo (?:i|we) have to\b|\bam i (?:allowed|obliged)\b",
    re.IGNORECASE,
)
_CONDITION_NEAR = 16  # words behind a refused act among which a condition is looked for
_HELP_READ = 4000  # characters in which a call for help is looked for


def refuses(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "I refuse to pay a fee", "my kids refuse to eat mushrooms"; a machine that refuses to start has a fault."""
    subject = m.low(i - 1) if i > s.start else ""
    if s.fact or in_condition(s, i) or any(c in m.gap(i) for c in ",;:"):
        return None
    if subject in _FIRST or (subject in ("simply", "just", "absolutely", "flatly") and m.low(i - 2) in _FIRST):
        return refused(m, i - 1, after)
    if m.low(after) in _CONSUMING and is_person(m, i - 1):
        return refused(m, i - 1, after)
    return None


def refused(m: Message, start: int, verb: int) -> Finding | None:
    """Return what a refused act rules out: the kind of thing that is its object, else the manner ("fly")."""
    low = m.low(verb)
    if low not in _ACTS or _HELP.search(m.text[:_HELP_READ]) or _is_conditional(m, verb):
        return None
    n = verb + 1
    if low == "sign" and m.low(n) in ("up", "in"):
        n += 1
    if low in _GIVING:
        n += m.low(n) in ("you", "them", "anyone", "anybody", "out", "over", "in")
        n += m.low(n) in ("my", "our")
    if low in _MANNERS and (closes(m.gap(n), low) or n >= len(m.words) or in_class(m.low(n), "preposition", "stop")):
        return rules_out(m, start, verb, "one") if m.low(n) not in ("with", "by", "on") else _kind(m, start, n)
    if low in ("travel", "stay") and m.low(n) not in ("by", "in", "at", "with", "on"):
        return None
    return _kind(m, start, n)


def _is_conditional(m: Message, verb: int) -> bool:
    """Whether the refusal holds for one case only ("unless", "until")."""
    near = range(verb, min(verb + _CONDITION_NEAR, len(m.words)))
    return any(m.low(n) in ("unless", "until", "till", "if") and m.same_sentence(verb, n) for n in near)


def cannot(m: Message, start: int, verb: int) -> Finding | None:
    """ "Can't take X", "can't wear X", "can't travel in X": what somebody cannot stand or do, not what fails."""
    low, n = m.low(verb), verb + 1
    if _HELP.search(m.text[:_HELP_READ]):
        return None
    if low in ("wear", "climb"):
        return _kind(m, start, n)
    if low == "be" and m.low(n) == "around":
        return _kind(m, start, n + 1) if not in_class(m.low(n + 1), "preposition") else None
    if low == "take":
        return _taken(m, start, n)
    if low in ("travel", "go", "come", "meet", "fly") and m.low(n) in _WAYS:
        return _way(m, start, low, n)
    return None


def is_person(m: Message, i: int) -> bool:
    """Whether a word that is a subject stands for somebody."""
    word = m.low(i)
    if word in _OTHERS:
        return True
    if word in ("kids", "guests", "family", "mum", "dad", "mom", "toddler") or noun_features(word)[1] == "person":
        return m.low(i - 1) in ("my", "our", "her", "his", "their", "the", "a", "old", "young", "little", "elder")
    return False


def _kind(m: Message, start: int, after: int) -> Finding | None:
    """Return the finding of an object that names a kind of thing."""
    first = after
    while m.low(first) in ("for", "by", "with", "in", "at", "on") and first - after < 2:
        first += 1
    word = m.words[first] if first < len(m.words) else None
    if (
        word is None
        or word.low in _NO_KIND
        or (word.low == "any" and m.low(first + 1) in _NO_KIND)
        or word.low[:1].isdigit()
        or closes(word.gap)
    ):
        return None
    if first > after and m.low(after) == "for" and m.low(after - 1) == "pay":
        return None
    found = rules_out(m, start, after, "list")
    if found is None or not found.phrases or any(m.low(n) in ("one", "ones") for n in range(after, found.end)):
        return None
    return found


def _taken(m: Message, start: int, after: int) -> Finding | None:
    found = _kind(m, start, after)
    if found is None:
        return None
    last = {phrase.split()[-1].casefold() for phrase in found.phrases}
    if not last.isdisjoint(_TAKEN | _AWAY):
        return None
    beyond = m.low(found.end)
    return None if m.low(after) in ("a", "an") or (beyond in _AWAY and not closes(m.gap(found.end))) else found


def _way(m: Message, start: int, verb: str, link: int) -> Finding | None:
    """ "Travel by plane", "travel in July", "come on Sundays": a means or a time, not a place or a single occasion."""
    first = link + 1
    if m.low(link) in ("by", "through", "via", "over"):
        return _kind(m, start, link) if verb in ("travel", "go") and m.low(first) not in ("myself", "now") else None
    n = first + (m.low(first) in ("the", "a"))
    low = m.low(n)
    dated = low.rstrip("s") in (*WEEKDAYS, *MONTHS) or low in ("night", "weekends", "weekend", "evenings", "mornings")
    dated = dated or low[:1].isdigit() or low in ("winter", "summer", "spring", "autumn", "rush", "peak", "dark")
    if not dated or (verb != "travel" and not low.endswith("s") and low not in MONTHS):
        return None
    return rules_out(m, start, link, "list")
