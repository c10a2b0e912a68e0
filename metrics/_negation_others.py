"""The remaining cues: bare "not", "neither … nor", "nothing", "anything but", commands to leave out, "free of"."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, in_class
from ._negation_verbs import liking, rather_not, unwilling
from ._reference_words import parts_of_speech

_PARTING = frozenset(",;:(\u2014\u2013-\uff0c/+")


def parted(m: Message, i: int) -> bool:
    return m.opens(i) or not _PARTING.isdisjoint(m.gap(i)) or m.low(i - 1) in (
        "but", "and", "please", "though", "although", "just", "definitely", "absolutely", "only", "however",
        "yet", "still", "let's",
    )  # fmt: skip


def bare_not(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "X, not Y", "not from Y", "not set in Y"; not a symptom ("not working") nor a question of fact."""
    low = m.low(after)
    if after >= s.end or in_condition(s, i):
        return None
    start = i - 1 if m.low(i - 1) in ("but", "and", "though", "although", "yet", "ones") and not m.opens(i) else i
    if m.low(i - 1) in ("i'm", "we're"):
        return unwilling(m, i - 1, after)
    if found := liking(m, start, after):
        return found if low not in ("after", "into") or parted(m, i) else None
    if m.low(i - 1) in ("rather", "prefer") and not s.fact:
        return rather_not(m, i, after)
    tells = in_class(low, "meta_verb") and (low.endswith("ing") or parted(m, i))
    if tells and (low.endswith("ing") or _takes_object(m, after)):
        return rules_out(m, start, after, "list", meta=True)
    contrast = (
        m.low(start) == "but" and "," in m.gap(start) and (in_class(low, "skip", "link") or m.words[after].capital)
    )
    if (s.fact and not contrast) or low in ("to", "that's", "it", "if", "when", "because", "so"):
        if low == "to" and m.low(after + 1) in ("include", "show", "mention", "use", "contain") and not s.fact:
            return rules_out(m, start, after + 2, "list", meta=True)
        return None
    apart = parted(m, i)
    parts = parts_of_speech(low)
    if low in ("too", "very", "so", "overly", "super", "that"):
        return _degree(m, start, after) if low != "that" else rules_out(m, start, after, "or")
    if not apart and low.endswith(("ing", "ed")) and not in_class(low, "light_participle"):
        return None  # "wifi not connecting", "payment not received"
    if not apart and in_class(low, "light_participle") and not in_class(m.low(after + 1), "link", "skip"):
        return None
    if (
        "VERB" in parts
        and not {"NOUN", "ADJ"} & set(parts)
        and not low.endswith(("ing", "ed", "en"))
        and not in_class(low, "light_participle")
    ):
        return None
    return rules_out(m, start, after, "or")


def _takes_object(m: Message, verb: int) -> bool:
    """Whether a word that may be a verb has an object ("but not mention any details")."""
    after = m.low(verb + 1)
    return in_class(after, "skip", "carrier") or (
        m.words[verb].sentence == m.words[min(verb + 1, len(m.words) - 1)].sentence
        and (m.words[min(verb + 1, len(m.words) - 1)].capital or "NOUN" not in parts_of_speech(m.low(verb)))
    )


def _degree(m: Message, i: int, after: int) -> Finding | None:
    """ "Not too spicy" bounds a degree and names nothing."""
    return Finding((), "not", i, min(after + 2, len(m.words)), vague=True)


def neither(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Neither A nor B": both, without the head that they share ("neither oak nor pine tables")."""
    if s.fact or m.low(after) in ("of", "do", "did", "does", "am", "is", "are") or not _has_nor(m, after, s):
        return None
    while in_class(m.low(after), "light_verb") and m.low(after) in (
        "has",
        "have",
        "uses",
        "use",
        "contains",
        "contain",
        "include",
        "includes",
    ):
        after += 1
    found = rules_out(m, i, after, "or")
    if found is None or len(found.phrases) != 2:
        return found
    first, second = (p.split() for p in found.phrases)
    if len(first) == 1 and len(second) == 2 and _shared_head(first[0], second[0], second[1]):
        return found._replace(phrases=(first[0], second[0]), end=found.end - 1)
    return found


def _has_nor(m: Message, i: int, s: Sentence) -> bool:
    return any(m.low(n) in ("nor", "or") for n in range(i, min(s.end, i + 16)))


def _shared_head(first: str, second: str, head: str) -> bool:
    """Whether "A nor B H" means "A H nor B H": a plural head behind two singulars of one kind."""
    one, two = (parts_of_speech(w.casefold()) for w in (first, second))
    plural = head.endswith("s") and not head.endswith("ss")
    same = "NOUN" in one and "NOUN" in two and not first.endswith("s") and not second.endswith("s")
    return plural and (same or ("ADJ" in one and "ADJ" in two))


def nor(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ ", nor X" goes on with an exclusion."""
    if s.fact or in_class(m.low(after), "stop", "light_verb") or m.low(after) in ("do", "does", "did"):
        return None
    return rules_out(m, i, after, "or")


def anything_but(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Anything but a cruise" rules cruises out; "was anything but simple" is an idiom."""
    low = m.low(after)
    if m.low(i - 1) in _SEEMING:
        return None
    parts = parts_of_speech(low)
    asked = (
        parted(m, i) or m.low(i - 1) == "me" or in_class(m.low(i - 1), "request_verb", "desire_verb", "link", "skip")
    )
    if (
        "ADJ" in parts
        and ("NOUN" not in parts or not asked)
        and (after + 1 >= s.end or m.gap(after + 1).strip() or in_class(m.low(after + 1), "stop", "preposition"))
    ):
        return None
    if s.fact:
        return None
    return rules_out(m, i, after, "list")


_BUT_HEADS = frozenset("anything everything anyone everyone anywhere everywhere all".split())
_SEEMING = frozenset(
    "is are was were be been being it's that's sounds looks seems felt feels seemed sounded looked".split()
)
_ALL = frozenset("any every all each everything anything everyone anyone anywhere everywhere no".split())


def but(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Any hotel but the Ritz": "but" behind "any", without a comma, before a noun phrase."""
    low = m.low(after)
    if (
        s.fact
        or m.gap(i).strip()
        or m.gap(after).strip()
        or in_class(low, "stop", "request_verb")
        or low in ("with", "for", "to", "if", "in", "on", "at", "from")
    ):
        return None
    if m.low(i - 1) in _BUT_HEADS:
        return None  # read as "anything but" already
    first = next((n for n in range(i - 1, max(s.start, i - 5) - 1, -1) if m.low(n) in _ALL), None)
    if first is None or any(m.low(n) in ("is", "are", "was", "were", "has", "have") for n in range(first, i)):
        return None
    if "VERB" in parts_of_speech(low) and "NOUN" not in parts_of_speech(low) and not m.words[after].capital:
        return None
    return rules_out(m, i, after, "list")


def than(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "I'd rather have X than Y"."""
    if s.fact or any(c in m.gap(i) for c in ",;:"):
        return None
    if not any(m.low(n) in ("rather", "sooner") for n in range(max(s.start, i - 8), i - 1)):
        return None
    return rules_out(m, i, after, "or")
