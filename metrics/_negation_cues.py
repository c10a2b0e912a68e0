"""Cues and what they rule out: each reader gets a place in a message and says what the words there mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ._negation_participles import omitting
from ._negation_phrases import Phrase, Reach, phrases_after, words_of
from ._negation_sentences import Sentence, in_condition
from ._negation_text import Message, closes, in_class


class Finding(NamedTuple):
    """What one cue rules out.

    Attributes:
        phrases: The excluded words, as written; empty when nothing is named.
        cue: The words that rule it out.
        start: Index of the construction's first word.
        end: Index after its last.
        vague: It rules out something that names nothing.
        shown: It rules out what the assistant has just shown ("not that one").
        field: Metadata field of an operator ("-status:closed").
        firm: Only an explicit word takes it back (an allergy).
    """

    phrases: tuple[str, ...]
    cue: str
    start: int
    end: int
    vague: bool = False
    shown: bool = False
    field: str | None = None
    firm: bool = False


Reader = Callable[[Message, int, int, Sentence], "Finding | None"]
"""(message, first word of the cue, first word after it, sentence) -> what it rules out, None for nothing."""

_SHOWN = frozenset("that those these this them it".split())
_AUXILIARIES = frozenset(
    "is are was were be been being am do does did has have had can could will would shall should may might must".split()
)
_RELATIVE = frozenset("that which who whose whom".split())
_FIRST = frozenset("i we i'd we'd i'll we'll".split())


def rules_out(
    m: Message, start: int, after: int, reach: Reach, *, meta: bool = False, end: int = 0, firm: bool = False
) -> Finding | None:
    """Return the finding of a cue from word `start` whose phrases begin at word `after`."""
    cue = " ".join(m.text[m.words[start].start : m.words[max(start, after - 1)].end].split())
    found = phrases_after(m, after, reach, meta=meta)
    if m.low(after) in _SHOWN and closes(m.gap(after + 1)):
        return _unnamed(m, start, after, cue)
    if not found:
        return _unnamed(m, start, after, cue)
    if vague := _vague(m, found):
        return Finding((), cue, start, found[-1].until, vague=vague)
    kept = [p for p in found if not (_is_vague(m, p) or (meta and _tells_nothing(m, p)))]
    phrases = tuple(text for p in kept if (text := words_of(m, p)))
    if found[-1].until < len(m.words) and m.low(found[-1].until) in ("aside",):
        return None
    return Finding(phrases, cue, start, max(found[-1].until, end), firm=firm) if phrases else None


def _unnamed(m: Message, start: int, after: int, cue: str) -> Finding | None:
    """ "Not that one", "other than those": what was shown."""
    i = after
    while m.low(i) in ("for", "like", "in", "with", "the", "any", "of"):
        i += 1
    if m.low(i) in _SHOWN or (m.low(i) in ("ones", "one") and i > after):
        return Finding((), cue, start, min(i + 2, len(m.words)), shown=True)
    return None


def _is_vague(m: Message, p: Phrase) -> bool:
    return all(
        in_class(m.low(n), "vague", "skip") or m.low(n) in ("too", "very", "overly", "ones", "bit", "bits", "so", "and")
        for n in range(p.start, p.end)
    ) and not any(m.words[n].quote or m.words[n].text.istitle() for n in range(p.start, p.end))


def _tells_nothing(m: Message, p: Phrase) -> bool:
    """Whether a verb of telling has no object ("without using?")."""
    return p.end - p.start == 1 and in_class(m.low(p.start), "meta_verb") and m.low(p.start).endswith("ing")


def _vague(m: Message, found: list[Phrase]) -> bool:
    return all(_is_vague(m, p) for p in found)


def except_(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Except", "other than", "with the exception of": no question turns these into content."""
    if (
        m.low(i - 1) in ("stop", "quit", "longer", "keep", "of", "start")
        and not m.opens(i)
        and m.low(i).endswith("ing")
    ):
        return None
    if in_condition(s, i) and m.low(i) not in ("except", "excluding"):
        return None
    return rules_out(m, _with_comma(m, i), after, "list", meta=True)


def gerund(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "…, avoiding X": a wish about the answer; "tips for avoiding X" and "how about skipping" are topics."""
    before = m.low(i - 1)
    free = (
        m.opens(i)
        or any(c in m.gap(i) for c in ",;:\u2014\uff0c(")
        or before in ("while", "but", "and", "by", "please", "also", "specifically", "still", "whilst")
    )
    if not free and m.low(i) in ("disregarding", "omitting", "leaving") and not s.fact:
        free = not in_class(before, "preposition", "stop", "link")
    if not free and m.low(i) in ("skipping", "avoiding", "omitting", "leaving"):
        free = omitting(m, i, s)
    return rules_out(m, i, after, "list", meta=True) if free and before != "for" else None


def others(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Besides X": only a question for others excludes X; elsewhere it adds."""
    cue = m.low(i)
    polite = not s.wh and not s.fact and _asks(m, s) and _POLITE.match(m.low(s.start)) is not None
    if m.opens(i) and not _names_others(m, s) and not polite and _goes_on(m, after, s):
        return None
    if not (s.others or polite) or (s.adds and not s.wh):
        return None
    if cue in ("in", "on", "along") and not _names_others(m, s):
        return None
    return rules_out(m, _with_comma(m, i), after, "list", meta=True)


_POLITE = re.compile(r"(?:can|could|would|will|do|are|is|have)$")


def _goes_on(m: Message, i: int, s: Sentence) -> bool:
    """Whether the main clause behind a fronted "besides X," asks for no others: then X is asked for as well."""
    if s.wh in ("which", "who", "whose", "whom"):
        return False
    if s.wh.startswith("what"):
        return any(
            m.low(n) in ("do", "must", "should") and m.low(n + 1) in ("i", "we") for n in range(i, min(s.end, i + 60))
        )
    return not any(m.low(n) in ("any", "anything", "anyone", "are") for n in range(i, min(s.end, i + 60)))


def _asks(m: Message, s: Sentence) -> bool:
    return "?" in m.text[m.words[s.end - 1].end : m.words[s.end - 1].end + 3]


def _names_others(m: Message, s: Sentence) -> bool:
    return any(m.low(n) in ("else", "other", "others", "another") for n in range(s.start, min(s.end, s.start + 120)))


def instead(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "X rather than Y": Y is not wanted, unless a fact is asked for."""
    if s.fact or in_condition(s, i):
        return None
    return rules_out(m, _with_comma(m, i), after, "or")


_LOSING = frozenset(
    "losing paying having being getting making breaking spending buying opening deleting restarting knowing calling "
    "asking telling leaving going doing waiting signing logging installing reinstalling rebooting seeing giving "
    "taking becoming changing damaging hurting harming rerunning relying removing touching".split()
)


def without(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "Without X": not where a question asks which thing lacks X, or how to do without an effect."""
    low = m.low(after)
    tells = in_class(low, "meta_verb") and low.endswith("ing") and m.words[after].text.islower()
    carries = any(in_class(m.low(n), "carrier") for n in range(after, after + 4))
    parted = any(c in m.gap(i) for c in ",\uff0c;(") or m.opens(i) or m.low(i - 1) == "but"
    if s.fact and not (tells or carries or parted):
        return None
    if s.fact and parted and not (tells or carries) and s.wh and not m.opens(i) and m.low(i - 1) != "but":
        return None
    if low in _LOSING and not carries and not (tells and (s.fact or parted)):
        return None
    if in_condition(s, i) or m.low(i - 1) in ("not", "never"):
        return None
    return rules_out(m, _with_comma(m, i), after, "or" if not carries else "list", meta=tells or carries)


def _with_comma(m: Message, i: int) -> int:
    """The construction begins with "but" or "and" before the cue."""
    return i - 1 if m.low(i - 1) in ("but", "and", "ones", "while", "all", "yet") and i and not m.opens(i) else i


def no(m: Message, i: int, after: int, s: Sentence) -> Finding | None:
    """ "No X": not as an answer, an attribute ("a no smoking policy"), a symptom or a fact about somebody."""
    before, gap = m.low(i - 1), m.gap(i + 1)
    if any(c in gap for c in ",.!?;:\n\u2026") or after >= len(m.words):
        return None
    fresh = m.opens(i)
    parted = fresh or any(c in m.gap(i) for c in ",;:(\u2014\u2013-\uff0c/+")
    if not fresh and not parted and (in_class(before, "skip") or before in ("a", "the")) and before not in ("such",):
        return None
    verb = _finite_before(m, i, s)
    if verb is not None and not parted and not _wished(m, verb, s):
        return None
    if s.fact and not parted:
        return None
    if in_condition(s, i) or s.wh == "why":
        return None
    if fresh and _symptom(m, i, s):
        return None
    start = i - 1 if before in ("with", "but", "and", "have", "has", "having") and not fresh else i
    return rules_out(m, start, after, "or")


_HAVE = frozenset("have has had is are was were be get gets got shows show see there's gives give".split())


def _finite_before(m: Message, i: int, s: Sentence) -> int | None:
    """Return the verb whose object the "no" opens ("there is no X", "has no X"), or None."""
    n = i - 1
    return (
        n
        if n >= s.start and (m.low(n) in _HAVE or (m.low(n).endswith("'s") and m.low(n) in ("there's", "it's")))
        else None
    )


def _wished(m: Message, verb: int, s: Sentence) -> bool:
    """Whether the verb states a wish ("should have no X") or restricts what is asked for ("rooms that have no X")."""
    for n in range(verb - 1, max(s.start, verb - 4) - 1, -1):
        low = m.low(n)
        if low in ("should", "must", "to", "please") or (low in _RELATIVE and not s.fact):
            return True
    return False


_FAULTY = frozenset(
    "sound signal power internet connection display picture audio response image network service wifi video output "
    "input light heat water pressure reply result results data access error errors access matches".split()
)


def _symptom(m: Message, i: int, s: Sentence) -> bool:
    """ "No sound after the update": the message opens with what is missing, and asks for nothing else."""
    return (i == 0 and m.low(i + 1) in _FAULTY) or (i == 0 and m.low(i + 2) in _FAULTY and s.end - i > 3)
