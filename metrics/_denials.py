"""How far a denial reaches over the words that follow it: "no drawers, doors or shelves, but a lamp".

One pass over the words of a text. A cue opens a reach, which ends with its noun phrase or clause; a cue that holds back
("without", "lacks") inside the reach of another gives the thing back: "not without drawers", "never skip the drawers".
The kinds are those of NegEx's terminators, turned round for search: "except" and "instead of" deny what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._clauses import Word
from ._denial_cues import Cue, Kind, cue_at, is_polar

_LIST_AHEAD = 12  # words in which a list must come to its "or"
_CONTRASTS = frozenset(
    ("instead of", "rather than", "other than", "as opposed to", "in place of", "except", "except for")
)
_STRONG_BREAKS = (";", "\u2014", " \u2013 ", " - ", "|", "\u2022")


class Reach(NamedTuple):
    """The reach in which a word stands.

    Attributes:
        kind: What opened it; see `Cue`.
        cue: The words that did.
        denies: Whether what stands here is denied, or set aside; false when two denials cancel out.
        governor: The last word of content between the cue and here, "" when there is none.
        series: Whether a comma stands in it: "no drawers, doors" before ", and shelves".
        listed: Whether an "or" has closed a list.
        tired: Whether an adjective has taken the denial for itself: "not cheap".
    """

    kind: Kind
    cue: str
    denies: bool = True
    governor: str = ""
    series: bool = False
    listed: bool = False
    tired: bool = False


def reaches(words: Sequence[Word]) -> list[Reach | None]:
    """Return for each word the reach in which it stands, or None where nothing denies."""
    found: list[Reach | None] = [None] * len(words)
    reach: Reach | None = None
    at = 0
    while at < len(words):
        if at and words[at].sentence != words[at - 1].sentence:
            reach = None
        if reach and _ends(reach, words, at):
            reach = None
        found[at] = reach
        cue = cue_at(words, at)
        if cue:
            for inside in range(at, min(at + cue.length, len(words))):
                found[inside] = reach
            reach = _opened(reach, cue, words, at)
            at += cue.length
            continue
        if reach:
            reach = _advanced(reach, words, at)
        at += 1
    return found


def _opened(outer: Reach | None, cue: Cue, words: Sequence[Word], at: int) -> Reach | None:
    if cue.kind == "asserting":
        return None
    if cue.kind == "aside" or (outer and outer.kind == "aside"):
        return Reach("aside", cue.text)
    coordinated = at > 0 and (words[at - 1].low in ("and", "or", "but", "nor") or "," in words[at].gap)
    nested = outer is not None and cue.kind == "privative" and not coordinated
    return Reach(cue.kind, cue.text, denies=not (nested and outer is not None and outer.denies))


def _advanced(reach: Reach, words: Sequence[Word], at: int) -> Reach:
    low = words[at].low
    if "," in words[at].gap:
        reach = reach._replace(series=True)
    if low in ("or", "nor"):
        return reach._replace(listed=True)
    if reach.kind == "clause" and not reach.governor and is_polar(low, "evaluative"):
        return reach._replace(tired=True)
    if is_polar(low, "definite", "adverb", "auxiliary", "preposition") or low in ("a", "an", "any", "and"):
        return reach
    return reach._replace(governor=low)


def _ends(reach: Reach, words: Sequence[Word], at: int) -> bool:
    word = words[at]
    if reach.kind == "joined":
        return "-" not in word.gap
    if reach.tired or any(mark in word.gap for mark in _STRONG_BREAKS):
        return True
    if ":" in word.gap and reach.governor and not is_polar(words[at - 1].low, "existence"):
        return True  # but "Does not contain: nuts, soy"
    if is_polar(word.low, "stop"):
        return True
    if "," in word.gap:
        return _ends_at_comma(reach, words, at)
    if word.low == "and":
        return reach.cue == "not" or _starts_afresh(words, at + 1)
    return reach.kind in ("noun", "privative") and bool(reach.governor) and _ends_phrase(reach, words, at)


def _ends_at_comma(reach: Reach, words: Sequence[Word], at: int) -> bool:
    """A comma ends an aside; it goes on in a list that comes to an "or", or to an "and" after a strong cue."""
    if reach.kind == "aside":
        return bool(reach.governor) or reach.cue not in ("if", "unless")
    if words[at].low in ("or", "nor"):
        return False
    if words[at].low == "and":
        return not reach.series or _starts_afresh(words, at + 1)
    if not reach.governor:
        return False
    if reach.listed or _starts_afresh(words, at):
        return True
    for ahead in range(at + 1, min(at + _LIST_AHEAD, len(words))):
        word = words[ahead]
        if word.sentence != words[at].sentence or any(mark in word.gap for mark in _STRONG_BREAKS):
            return True
        if word.low in ("or", "nor"):
            return False
        if word.low == "and":
            return reach.cue in ("no", "not", "zero") or _starts_afresh(words, ahead + 1)
        if "," in word.gap and _starts_afresh(words, ahead):
            return True
    return True


def _starts_afresh(words: Sequence[Word], at: int) -> bool:
    """Whether a word behind "and" or a comma begins something that the denial before it does not touch."""
    if at >= len(words):
        return True
    low = words[at].low
    return is_polar(low, "fresh") or low[:1].isdigit() or (low not in ("no", "not") and is_polar(low, "stop"))


def _ends_phrase(reach: Reach, words: Sequence[Word], at: int) -> bool:
    """Whether a word shows that the noun phrase of a cue is over: a pronoun, a verb, a second noun phrase."""
    low, before = words[at].low, words[at - 1].low
    if is_polar(low, "pronoun") or (reach.kind == "privative" and is_polar(low, "auxiliary")):
        return True
    if low in ("with", "by") and reach.kind == "privative":
        return reach.cue not in _CONTRASTS
    if is_polar(low, "definite") or low in ("a", "an"):
        leads = is_polar(before, "preposition", "auxiliary", "definite") or before in ("with", "and", "or", "as", "any")
        return not (leads or before.endswith("ing"))
    return False
