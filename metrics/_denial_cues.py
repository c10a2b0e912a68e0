"""Cues of denial in a passage: which words deny, hold back or set aside what follows them, and which only look so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from ._clauses import Word
from ._reference_words import lexicon

Kind = Literal["clause", "noun", "privative", "aside", "joined", "asserting"]
_LONGEST_CUE = 4
_DETERMINERS = frozenset(("a", "an", "the", "its", "their", "our", "your", "my", "his", "her"))
_AFTER_NOUN = frozenset("of in on off by to at into up down over".split())


class Cue(NamedTuple):
    """A cue and the number of its words."""

    kind: Kind
    text: str
    length: int


def is_polar(low: str, *classes: str) -> bool:
    """Whether a folded word stands in one of the classes of `lexicons/polarity.txt`."""
    return not _classes_of(low).isdisjoint(classes)


@lru_cache(maxsize=65536)
def _classes_of(low: str) -> frozenset[str]:
    return frozenset(name for name, words in lexicon("polarity").items() if low in words)


@lru_cache(maxsize=1)
def _long_cues() -> dict[str, Kind]:
    kinds: tuple[Kind, ...] = ("clause", "noun", "privative", "aside", "asserting")
    return {cue.replace("_", " "): kind for kind in kinds for cue in lexicon("polarity")[kind] if "_" in cue}


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return frozenset(cue.partition(" ")[0] for cue in _long_cues())


@lru_cache(maxsize=1)
def _distances() -> frozenset[str]:
    return frozenset(cue.replace("_", " ") for cue in lexicon("polarity")["distance"])


def cue_at(words: Sequence[Word], at: int) -> Cue | None:
    """Return the cue that begins at a word, or None."""
    low = words[at].low
    if low in _first_words():
        for length in range(_LONGEST_CUE, 1, -1):
            text = _joined(words, at, length)
            kind = _long_cues().get(text)
            if kind and not (text == "used to" and is_polar(_low(words, at - 1), "auxiliary")):
                return Cue(kind, text, length)
    return _negation(words, at) or _holding_back(words, at) or _comparison(words, at)


def _negation(words: Sequence[Word], at: int) -> Cue | None:
    low, before, after = words[at].low, _low(words, at - 1), _low(words, at + 1)
    if before == "why":
        return None
    if low in ("no", "zero", "0", "non"):
        if at + 1 < len(words) and words[at + 1].gap == "-" and low != "0":
            return Cue("joined", low, 1)
        if low == "non" or is_polar(after, "harmless_after_no") or is_polar(before, "nearly") or before == "to":
            return None
        return Cue("noun", low, 1) if low != "0" or _is_nought(words, at) else None
    if low == "not" and (is_polar(after, "harmless_after_not") or before == "if"):
        return None
    if low.endswith("n't") or is_polar(low, "clause"):
        return Cue("clause", low, 1)
    if is_polar(low, "noun"):
        return Cue("noun", low, 1)
    return Cue("noun", low, 1) if is_polar(low, "foreign") and not _speaks_english(words, at) else None


def _is_nought(words: Sequence[Word], at: int) -> bool:
    """Whether "0" is a whole number: "0 g", "0 %", and not the end of "1.0" or the start of "0.5"."""
    after = words[at + 1].gap if at + 1 < len(words) else ""
    return words[at].gap not in (".", ",") and after not in (".", ",")


def _holding_back(words: Sequence[Word], at: int) -> Cue | None:
    low, before, after = words[at].low, _low(words, at - 1), _low(words, at + 1)
    if is_polar(low, "ceasing"):
        return Cue("privative", low, 1) if after.endswith("ing") else None
    if low == "from" and any(is_polar(_low(words, at - back), "keeping") for back in (1, 2, 3, 4)):
        return Cue("privative", low, 1)
    if not is_polar(low, "privative"):
        return None
    if low not in ("without", "except", "excluding", "minus"):
        passive = low.endswith("ed") and is_polar(before, "auxiliary") and before not in ("has", "have", "had")
        if passive or before in _DETERMINERS or after in _AFTER_NOUN:
            return None
        if is_polar(low, "handling") and (not before or before in ("to", "when", "before") or _opens(words, at)):
            return None
    return Cue("privative", low, 1)


def _comparison(words: Sequence[Word], at: int) -> Cue | None:
    low, before = words[at].low, _low(words, at - 1)
    name = at + 1 < len(words) and words[at + 1].capital
    if low == "as" and _low(words, at - 2) == "as":
        return Cue("aside", "as", 1)
    if low == "like":
        compares = _opens(words, at) or "," in words[at].gap or is_polar(before, "auxiliary")
        named = name and before not in ("i", "we", "you", "they", "would", "who")
        return Cue("aside", low, 1) if compares or named else None
    if (low == "other" and before not in _DETERMINERS) or (low == "most" and _opens(words, at)):
        return Cue("aside", low, 2)
    if low == "more" and _low(words, at + 1) == "than" and _low(words, at + 2)[:1].isdigit():
        return Cue("asserting", low, 2)
    for length in (4, 2, 1):
        if _joined(words, at, length) in _distances() and at + length < len(words) and words[at + length].capital:
            return Cue("aside", _joined(words, at, length), length)
    if is_polar(low, "aside"):
        return Cue("aside", low, 1)
    return None


def _opens(words: Sequence[Word], at: int) -> bool:
    return at == 0 or words[at - 1].sentence != words[at].sentence


def _speaks_english(words: Sequence[Word], at: int) -> bool:
    near = words[max(0, at - 20) : at + 20]
    return any(is_polar(word.low, "english") for word in near if word.sentence == words[at].sentence)


def _low(words: Sequence[Word], at: int) -> str:
    return words[at].low if 0 <= at < len(words) else ""


def _joined(words: Sequence[Word], at: int, length: int) -> str:
    return " ".join(word.low for word in words[at : at + length])
