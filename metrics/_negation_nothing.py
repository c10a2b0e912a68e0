"""What nothing may have or do: "nothing with X", "nothing that needs X"; "nothing boring" names nothing."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_others import parted
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, closes, in_class
from ._reference_words import parts_of_speech

_BEFORE = frozenset("want show include with like need have me so".split())
_DEGREES = frozenset("too very overly so that super".split())
_NO_EXCLUSION = frozenset("else but to is was has can will at happens works".split())
_SUBJECTS = frozenset("i we you he she they it anyone anybody people my the".split())
_DENIES = frozenset("not never no doesn't don't isn't aren't can't won't cannot wasn't hasn't".split())
_WORKS = frozenset("works work helps help happens happened worked helped matters".split())
_BEING = frozenset("is was has are were contains includes comes".split())


def nothing(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Nothing with X" rules X out, "nothing boring" names nothing, "nothing that I tried works" is a symptom."""
    low = m.low(after)
    if s.fact or in_condition(s, i) or any(c in m.gap(after) for c in ",.?!;:\n"):
        return None
    if not (parted(m, i) or m.low(i - 1) in _BEFORE):
        return None
    if low == "to" and m.low(after + 1) == "do" and m.low(after + 2) == "with":
        return rules_out(m, i, after + 3, "or", meta=True)
    if low in _NO_EXCLUSION or low.endswith("n't"):
        return None
    parts = parts_of_speech(low)
    if "VERB" in parts and low.endswith("s") and "ADJ" not in parts:
        return None
    if low in ("that", "which") and (verb := m.low(after + 1)) and not _is_degree(verb):
        return _clause(m, i, after + 1)
    if low in _DEGREES:
        return Finding((), "nothing", i, min(after + 2, len(m.words)), vague=True)
    return rules_out(m, i, after, "or", meta=True)


def _is_degree(low: str) -> bool:
    """Whether "nothing that X" says how much ("nothing that fancy")."""
    return "ADJ" in parts_of_speech(low) and not in_class(low, "light_verb")


def _clause(m: Message, i: int, verb: int) -> Finding | None:
    """ "Nothing that needs batteries": the object; "nothing that breaks easily" names none."""
    low = m.low(verb)
    if low in _SUBJECTS or low in _WORKS:
        return None
    if low in _DENIES or m.low(verb + 1) in _DENIES:
        return Finding((), "nothing", i, min(verb + 3, len(m.words)))  # two negations: the next cue is none
    if low in ("has", "have") and m.low(verb + 1) == "to":
        verb, low = verb + 2, m.low(verb + 2)
        verb += low == "be"
        return rules_out(m, i, verb, "or")
    if not (in_class(low, "light_verb") or low in _BEING or "VERB" in parts_of_speech(low)):
        return rules_out(m, i, verb, "or", meta=True)
    how = parts_of_speech(m.low(verb + 1))
    bare = "ADV" in how and "NOUN" not in how and closes(m.gap(verb + 2))
    found = None if bare else rules_out(m, i, verb + 1, "or", meta=True)
    return found or Finding((), "nothing", i, min(verb + 2, len(m.words)), vague=True)
