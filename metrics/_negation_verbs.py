"""Negated verbs: which of them state a wish of the user, and what they rule out."""

from __future__ import annotations

from ._negation_cues import Finding, rules_out
from ._negation_refusals import cannot, is_person, refused
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, in_class
from ._reference_words import parts_of_speech

_AUX = frozenset("do does did is are was were am can could will would shall should must may might has have had".split())
_TAGGED = frozenset("i we you he she it they".split())
_RELATIVE = frozenset("that which who".split())
_FIRST = frozenset("i we i'd we'd i'll we'll i'm we're".split())
_EXCLUDING = frozenset("exclude excluding avoid skip omit leave filter ignore hide remove drop restrict limit".split())
_EATING = frozenset("eat drink like tolerate stand bear stomach digest abide touch want".split())
_SUFFERED = frozenset("eat drink take wear travel tolerate stomach digest".split())
_SEEING = frozenset(
    "see hear read watch eat drink use visit fly travel drive stay go know buy get have deal be rent".split()
)
_WISHED = frozenset(
    "contain contains include have has use be involve mention cover feature come exceed show appear require".split()
)
_TOLD = frozenset("include mention involve discuss".split())
_NOT_A = (
    ("a", "fan", "of"), ("a", "big", "fan", "of"), ("a", "huge", "fan", "of"), ("fans", "of"), ("keen", "on"),
    ("into",),
    ("fond", "of"), ("interested", "in"), ("looking", "for"), ("after",), ("here", "for"), ("a", "great", "fan", "of"),
    ("big", "on"), ("crazy", "about"), ("partial", "to"), ("wild", "about"),
)  # fmt: skip


def negated_verb(m: Message, aux: int, after: int, s: Sentence) -> Finding | None:
    """Read "do not", "isn't", "can't" and so on; `after` is the first word behind the negation."""
    while m.low(after) in (
        "really",
        "even",
        "actually",
        "particularly",
        "ever",
        "necessarily",
        "currently",
        "especially",
        "please",
        "also",
    ):
        after += 1
    verb, base = m.low(after), m.low(aux).replace("n't", "")
    base = {"ca": "can", "wo": "will"}.get(base, base)
    subject = _subject(m, aux, s)
    if in_condition(s, aux) or after >= len(m.words) or _tagged(m, s):
        return None
    if subject in _RELATIVE and aux - 1 > s.start:
        return _relative(m, aux - 1, base, after, s)
    if (head := _whose(m, aux, s)) is not None:
        return rules_out(m, head, after, "or")
    if subject in _FIRST:
        return _first_person(m, aux, base, after)
    if base == "do" and _imperative(m, aux, s):
        if verb in _EXCLUDING:
            return None
        if in_class(verb, "meta_verb", "light_verb", "desire_verb", "request_verb"):
            return rules_out(m, aux, after + 1, "list", meta=True)
        return None
    if s.fact and subject in ("but", ",") and base in ("do", "does", "did") and verb in _TOLD:
        return rules_out(m, aux, after + 1, "list", meta=True)
    clipped = aux == s.start and base == "can" and verb in _SUFFERED and not _asks(m, s)  # "can't take perfume"
    if s.fact and not clipped:
        return None
    if base in ("can", "could") and verb in ("take", "wear", "travel") and (clipped or is_person(m, aux - 1)):
        return cannot(m, aux, after)
    if base in ("do", "does", "can", "wo", "will", "could") and (verb in _EATING or (verb == "have" and base == "can")):
        if verb in ("like", "want") and not _person(m, aux, s):
            return None
        return rules_out(m, aux, after + 1, "list")
    if base in ("must", "should", "can", "shall", "may") and verb in _WISHED and subject not in ("you",):
        if (verb == "be" and in_class(m.low(after + 1), "light_participle")) or verb != "be" or base != "can":
            return rules_out(m, aux, after + 1, "or")
        return None
    if subject in ("but", "and", ",") and base in ("is", "are", "do", "does", "was", "were"):
        if base in ("do", "does") and not in_class(verb, "meta_verb"):
            return None
        return _relative(m, aux - 1 if subject != "," else aux, base, after, s)
    return None


def _subject(m: Message, aux: int, s: Sentence) -> str:
    n = aux - 1
    while n > s.start and m.low(n) in (
        "really",
        "just",
        "also",
        "still",
        "actually",
        "absolutely",
        "simply",
        "honestly",
    ):
        n -= 1
    if n < s.start:
        return ""
    if any(c in m.gap(aux) for c in ",;:"):
        return ","
    return m.low(n)


def _imperative(m: Message, aux: int, s: Sentence) -> bool:
    if aux == s.start or any(c in m.gap(aux) for c in ",;:(\u2014\u2013-\uff0c"):
        return True
    before = m.low(aux - 1)
    return before in ("please", "but", "and", "so", "just", "pls", "ok", "okay") or (before == "" and aux == 0)


def _relative(m: Message, start: int, base: str, after: int, s: Sentence) -> Finding | None:
    """ "X that are not Y", "that do not use Y" restrict the thing asked for."""
    if s.fact and s.wh not in ("which", "what"):
        return None
    if s.fact and m.low(after) not in ("include", "involve", "mention", "feature", "included", "related", "connected"):
        return None
    if base in ("is", "are", "was", "were"):
        while m.low(after) in ("be", "being"):
            after += 1
        return rules_out(m, start, after, "or", meta=m.low(after) in ("about",))
    if base in ("do", "does", "did", "can", "will"):
        verb = m.low(after)
        if in_class(verb, "light_verb", "meta_verb") and after + 1 < s.end:
            return rules_out(m, start, after + 1, "or", meta=True)
        if after + 1 < s.end and (in_class(m.low(after + 1), "skip") or "NOUN" in parts_of_speech(m.low(after + 1))):
            return rules_out(m, start, after + 1, "or")
        return rules_out(m, start, after, "one")
    if base in ("has", "have", "had"):
        return rules_out(m, start, after + 1 if m.low(after) in ("been", "got") else after, "or")
    return None


def _whose(m: Message, aux: int, s: Sentence) -> int | None:
    for n in range(aux - 1, max(s.start, aux - 5), -1):
        if m.low(n) == "whose":
            return n
    return None


def _first_person(m: Message, aux: int, base: str, after: int) -> Finding | None:
    verb = m.low(after)
    start = aux - 1
    if base in ("am", "are", "i'm", "we're", "is"):
        return unwilling(m, start, after)
    if base in ("will", "would", "shall") and (verb == "use" or not in_class(verb, "desire_verb")):
        return refused(m, start, after)
    if base in ("do", "did", "would", "will", "shall"):
        if not in_class(verb, "desire_verb") or (verb == "care" and m.low(after + 1) not in ("for", "about")):
            return None
        if m.low(after + 1) == "to":
            return _wanted_to(m, start, after + 2)
        return rules_out(m, start, after + 1, "list", meta=m.low(after + 1) == "any")
    if base in ("can", "could"):
        if verb in ("eat", "drink", "have", "stand", "bear", "tolerate", "stomach", "digest", "abide", "do"):
            return rules_out(m, start, after + 1, "list")
        return cannot(m, start, after)
    return None


def _asks(m: Message, s: Sentence) -> bool:
    end = m.words[s.end - 1].end
    return "?" in m.text[end : end + 3] and not any("," in m.gap(n) for n in range(s.start + 1, s.end))


def _tagged(m: Message, s: Sentence) -> bool:
    """Whether a sentence ends in a tag ("we won't need a pass, will we?"): it asks, and rules nothing out."""
    tag = s.end - 2
    return tag > s.start and "," in m.gap(tag) and m.low(tag) in _AUX and m.low(tag + 1) in _TAGGED


def _wanted_to(m: Message, start: int, verb: int) -> Finding | None:
    """ "I don't want to see X" rules X out, "I don't want to fly" flying; "to lose my data" is what is feared."""
    low = m.low(verb)
    if low not in _SEEING and not in_class(low, "meta_verb"):
        return None
    found = rules_out(m, start, verb + 1, "list", meta=True)
    if found is None or not found.phrases:
        return (
            rules_out(m, start, verb, "one")
            if low not in ("be", "have", "go", "get", "know", "see", "use", "hear")
            else found
        )
    return found


def rather_not(m: Message, i: int, after: int) -> Finding | None:
    """ "I'd rather not go to X", "prefer not to see X"."""
    after += m.low(after) == "to"
    return _wanted_to(m, i - 1, after)


def unwilling(m: Message, start: int, after: int) -> Finding | None:
    """ "I'm not keen on X", "I'm not going to pay a fee"."""
    if m.low(after) in ("going", "willing", "prepared") and m.low(after + 1) == "to":
        return refused(m, start, after + 2)
    return liking(m, start, after)


def liking(m: Message, start: int, after: int) -> Finding | None:
    """ "I'm not a fan of X", "not keen on X", "not into X"."""
    for words in _NOT_A:
        if tuple(m.low(after + k) for k in range(len(words))) == words:
            return rules_out(m, start, after + len(words), "list", meta=True)
    return None


def _person(m: Message, aux: int, s: Sentence) -> bool:
    """Whether the subject may be somebody: a pronoun, or behind "my", "our" or a name."""
    for n in range(aux - 1, max(s.start, aux - 4) - 1, -1):
        if (
            m.low(n) in ("he", "she", "they", "my", "our", "kids", "guests", "people", "everyone", "family")
            or m.words[n].text.istitle()
        ):
            return True
    return False
