"""What a mention could stand for: the noun phrases of the conversation that agree with it, the likeliest first.

Rules alone, after the factors of salience that pronoun resolution has used since Lappin and Leass (1994): recency,
being named, being a subject, being spoken of again. The order is a guess; agreement and novelty are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..metrics._mentions import PRONOUNS, Mention
from ..metrics._noun_phrases import Analysis, Phrase, analyse
from ..metrics._other_references import NUMBER_NAMES
from ..metrics._reference_words import is_a, parts_of_speech
from ..metrics._references import list_items
from ..metrics._text import tokenize
from ..signatures.types import Turn
from ._reformulate_doubts import fits
from ._topics import extended, written

MOST = 8
"""Candidates that are returned at most."""
_TURNS = 6
_CHARACTERS = 1500
_DECAY = 0.6
_NAMED, _SUBJECT, _USER, _AGREES, _OBLIQUE = 2.0, 1.5, 1.3, 2.0, 0.7
_SWALLOWS = 0.5  # a phrase that ends with what is rather the verb
_LONGEST = 8
_MOST_TEXT = 200  # a referent longer than this is a pasted text
_ADJECTIVAL = frozenset(
    "some any many several few more most other another each every no such all both which what whose".split()
)


def candidates(mention: Mention, query: str, history: Sequence[Turn]) -> list[str]:
    """Return at most `MOST` phrases of the newest messages that may take the mention's place, the likeliest first."""
    weights: dict[str, float] = {}
    spelled: dict[str, str] = {}
    opening = [turn for turn in history[:1] if len(history) > _TURNS and turn.role == "user"]
    for distance, turn in enumerate(reversed([*opening, *history[-_TURNS:]])):
        for text, score in _of_turn(mention, turn):
            key = _key(text)
            weights[key] = weights.get(key, 0.0) + score * _DECAY ** (distance // 2)
            spelled.setdefault(key, text)
    _merge_short_names(weights)
    ranked = sorted(weights, key=lambda key: -weights[key])
    return list(islice((spelled[key] for key in ranked if fits(mention, spelled[key], query)), MOST))


def _of_turn(mention: Mention, turn: Turn) -> list[tuple[str, float]]:
    doc = analyse(turn.content[:_CHARACTERS])
    ends = {phrase.start: phrase.end for phrase in doc.phrases if phrase.kind != "pair"}  # the last one is the longest
    found = []
    for phrase in doc.phrases:
        nested = phrase.kind == "noun" and phrase.end < ends.get(phrase.start, 0)
        if nested and not _rather_verb(doc, phrase.start, phrase.end):
            continue  # "a dust" of "a dust counter", but "the Tarn ferry" of "the Tarn ferry take"
        if not _names_something(doc, phrase):
            continue
        text = written(doc, phrase.start, extended(doc, phrase) if phrase.kind == "name" else phrase.end)
        if _is_short(text):
            found.append((text, _weight(mention, doc, phrase, turn.role)))
    if mention.number == "pl" or mention.kind in {"ordinal", "comparative", "one"}:
        found += [(item, 1.0) for item in list_items(turn.content) if _is_short(item)]
    return found


def _rather_verb(doc: Analysis, start: int, at: int) -> bool:
    """Whether the word at `at` of a phrase from `start` is rather a verb: "does the ferry take", "museum keeps"."""
    word = doc.words[at]
    if word.capital or not {"VERB", "NOUN"} <= set(parts_of_speech(word.low)):
        return False
    return word.low.endswith("s") or is_a(doc.low(start - 1), "auxiliary")


def _is_short(text: str) -> bool:
    return len(text) <= _MOST_TEXT and 1 <= len(text.split()) <= _LONGEST


def _names_something(doc: Analysis, phrase: Phrase) -> bool:
    """Whether a phrase can be read away from its sentence: no pronoun in it, no bare quantity before it."""
    lows = [w.low for w in doc.words[phrase.start : phrase.end]]
    if any(low in PRONOUNS for low in lows) or all(low.isdigit() or low in NUMBER_NAMES for low in lows):
        return False
    if lows[0] == "s":  # what is left of "[restricted]'s boats"
        return False
    return not (phrase.kind == "noun" and lows[0] in _ADJECTIVAL)


def _weight(mention: Mention, doc: Analysis, phrase: Phrase, role: str) -> float:
    weight = _NAMED if phrase.kind in {"name", "quote"} else 1.0
    weight *= _USER if role == "user" else 1.0
    opens = phrase.start == 0 or doc.words[phrase.start].clause != doc.words[phrase.start - 1].clause
    weight *= _SUBJECT if opens else _OBLIQUE if phrase.oblique else 1.0
    if mention.animacy == "person" and phrase.animacy == "person":
        weight *= _AGREES
    if mention.number == "pl" and phrase.number == "pl":
        weight *= _AGREES
    if phrase.end - phrase.start > 2 and _rather_verb(doc, phrase.start, phrase.end - 1):
        weight *= _SWALLOWS
    if phrase.kind == "noun" and is_a(phrase.head, "no_antecedent"):
        weight *= 0.1
    return weight


def _key(text: str) -> str:
    words = [t.low.removesuffix("'s") for t in tokenize(text)]
    return " ".join(words[1:] if words[:1] and words[0] in {"the", "a", "an"} and len(words) > 1 else words)


def _merge_short_names(weights: dict[str, float]) -> None:
    """Let "Abel Quist" speak for "Quist": the longer phrase takes the weight of one that ends it.

    Not the pair "Ina Brekke and Abel Quist", which is somebody else.
    """
    ending: dict[str, list[str]] = {}
    for key in weights:
        words = key.split()
        for at in range(1, words.index("and") + 1 if "and" in words else len(words)):
            ending.setdefault(" ".join(words[at:]), []).append(key)
    for short in sorted(weights, key=lambda key: len(key.split())):
        longer = [key for key in ending.get(short, ()) if key in weights]
        if longer:
            best = max(longer, key=lambda key: weights[key])
            weights[best] += weights.pop(short)
