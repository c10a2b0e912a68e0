"""Two questions that ask the same in nearly the same words (ruling 3 of section 7): off unless the policy turns it on.

A similarity model (rapidfuzz) only proposes. A pair is one question when, courtesies, articles and "do" aside, it has
the same words in the same order: numbers, names, negations, prepositions and question words exactly, other words but
for a plural or a slip of the pen that leaves no word. Otherwise both stay: a duplicate is a nuisance, a false merge is
a lost question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from ..errors import SetupError
from ..signatures.carry_forward import LedgerPolicy
from ..signatures.types import Exclusion, OpenQuestion
from ._text import fold, is_known, tokenize

PROPOSED = 80.0
"""Similarity (0 to 100) of two whole questions from which on a pair is looked at."""
_SLIP = 80.0
"""Similarity from which on a word that is none is a slip for one that is."""
_LONGEST = 2_000
_SHORTEST_SLIP = 5  # letters
_BESIDE = frozenset("the a an please kindly do does so well ok okay hi hello hey thanks thank you".split())
_FRAMES = re.compile(
    r"^(?:(?:so|well|ok|okay|hi|hello|hey|and|please|excuse me|sorry)[, ]+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell me|say)|do you (?:happen to )?know"
    r"|(?:i would|i'd) like to know|i want to know|please tell me|tell me)[:,]? "
)
_SHORT_FORMS = (
    (re.compile(r"\b(what|who|where|when|how|that|it|there)'s\b", re.I), r"\1 is"),
    (re.compile(r"\bcan't\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b"), " not"),
)


class _Word(NamedTuple):
    low: str
    shouted: bool  # "US" is not "us"
    name: bool  # written with a capital inside a sentence


def required(policy: LedgerPolicy) -> LedgerPolicy:
    """Return a policy whose needs are installed.

    Raises:
        SetupError: It wants near-duplicates merged, and the package that proposes them is missing.
    """
    if policy.near_duplicates:
        _ratio()
    return policy


def near(
    ledger: Iterable[OpenQuestion], question: str, standalone: str = "", exclusions: Sequence[Exclusion] = ()
) -> OpenQuestion | None:
    """Return the pending question of the ledger that asks nearly word for word the same, the oldest first.

    Args:
        ledger: Before the turn.
        question: The user's words.
        standalone: The same, for searching: "What does it cost?" asks each time for what it speaks of.
        exclusions: What is ruled out now; a question that rules out something else is another one.

    Raises:
        SetupError: rapidfuzz is missing.
    """
    ratio, now = _ratio(), ruled_out(exclusions)
    for entry in ledger:
        if entry.status != "pending" or ruled_out(entry.exclusions) != now:
            continue
        own = entry.standalone_query or entry.question
        if _one(entry.question, question, ratio) and _one(own, standalone or question, ratio):
            return entry
    return None


def ruled_out(exclusions: Iterable[Exclusion]) -> frozenset[str]:
    """Return the phrases that are ruled out now, in a form that compares."""
    return frozenset(fold(e.phrase) for e in exclusions if e.status == "active")


def _one(before: str, now: str, ratio: Callable[[str, str], float]) -> bool:
    if max(len(before), len(now)) > _LONGEST:
        return False
    first, second = _words(before), _words(now)
    if not first or len(first) != len(second):
        return False
    proposed = ratio(" ".join(w.low for w in first), " ".join(w.low for w in second)) >= PROPOSED
    return proposed and all(_alike(a, b, ratio) for a, b in zip(first, second, strict=True))


def _alike(one: _Word, other: _Word, ratio: Callable[[str, str], float]) -> bool:
    if one.shouted != other.shouted:
        return False
    if one.low == other.low:
        return True
    if one.name or other.name or not (one.low.isalpha() and other.low.isalpha()):
        return False  # names and numbers
    short, long = sorted((one.low, other.low), key=len)
    if len(short) > 2 and is_known(short) and long in (f"{short}s", f"{short}es", f"{short[:-1]}ies"):
        return True
    slip = is_known(one.low) != is_known(other.low) and len(short) >= _SHORTEST_SLIP and short[0] == long[0]
    return slip and ratio(one.low, other.low) >= _SLIP


def _words(question: str) -> list[_Word]:
    text = " ".join(re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", question).split()).replace("\u2019", "'")
    for short, whole in _SHORT_FORMS:
        text = short.sub(whole, text)
    frame = _FRAMES.match(text.lower())
    text = text[frame.end() :] if frame else text
    found: list[_Word] = []
    for token in tokenize(text):
        low = fold(token.text).strip("'.")
        shouted = len(token.text) > 1 and token.text.isalpha() and token.text.isupper()
        if low and (low not in _BESIDE or shouted):
            found.append(_Word(low, shouted, bool(found) and token.text[:1].isupper()))
    return found


@lru_cache(maxsize=1)
def _ratio() -> Callable[[str, str], float]:
    try:
        made: Callable[[str, str], float] = import_module("rapidfuzz.fuzz").ratio
    except ModuleNotFoundError:
        raise SetupError(
            "LedgerPolicy(near_duplicates=True) needs rapidfuzz: pip install 'turnkeeper[near-duplicates]'"
        ) from None
    return made
