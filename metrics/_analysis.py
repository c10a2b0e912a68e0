"""A text as words with sentence and clause, and its noun phrases: the types, and the split into clauses."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ._reference_words import Animacy, Gender, Number, is_a, parts_of_speech
from ._text import Token, tokenize

LOOK_BACK = 12
_CLITIC = re.compile(r"('s|'re|'ll|'d|'ve|'m|s')$")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|`[^`\n]{1,200}`")
_SENTENCE_GAP = re.compile(r"[.?!;\n\u3002\uff1f\uff01](?![\"\u201d'\u2019)]{0,3},)")
_ABBREVIATION = re.compile(
    r"(?:[a-z]|(?:[a-z]\.)+[a-z]|mr|mrs|ms|dr|st|vs|jr|sr|no|vol|prof|gen|col|sgt|lt|rev|inc|corp|ltd|co|etc)$"
)
_SUBJECTS = frozenset("he she they it we i you".split())


class Word(NamedTuple):
    """A word without its clitic, and where it stands."""

    low: str
    clitic: str
    token: Token
    gap: str  # what stands between it and the word before
    sentence: int
    clause: int
    quoted: bool

    @property
    def capital(self) -> bool:
        """Whether the word is written like a name: an upper-case letter anywhere."""
        return self.token.text != self.token.text.lower()


class Phrase(NamedTuple):
    """A noun phrase: word indices `start` to `end` (exclusive), its features and its place in the clause."""

    start: int
    end: int
    kind: Literal["name", "quote", "noun", "pair", "clause"]
    head: str
    number: Number
    animacy: Animacy
    gender: Gender
    possessor: bool = False
    oblique: bool = False  # complement of a preposition
    wh: bool = False  # part of the questioned phrase, "which albums"
    predicate: bool = False  # predicate of a copular question, "what is the name"


@dataclass(frozen=True)
class Analysis:
    """A text as words and noun phrases, both in order."""

    text: str
    words: list[Word]
    phrases: list[Phrase] = field(default_factory=list)

    def low(self, index: int) -> str:
        """Return the folded word at an index, "" beyond the text."""
        return self.words[index].low if 0 <= index < len(self.words) else ""

    def phrases_before(self, index: int) -> list[Phrase]:
        """Return the last phrases (twelve at most) that end before a word, in order; the bound keeps time linear."""
        at = bisect_right(self.phrases, index, key=lambda phrase: phrase.end)
        return self.phrases[max(0, at - LOOK_BACK) : at]

    def phrases_after(self, index: int) -> list[Phrase]:
        """Return the next phrases (twelve at most) that begin after a word."""
        at = bisect_right(self.phrases, index, key=lambda phrase: phrase.end)
        return [phrase for phrase in self.phrases[at : at + LOOK_BACK] if phrase.start > index]

    def joined(self, left: int, right: int) -> bool:
        """Whether nothing but blanks stands between two neighbouring words of one sentence."""
        return 0 <= left and right < len(self.words) and not self.words[right].gap.strip()


def is_closed(low: str) -> bool:
    """Whether an English word belongs to a closed class (no noun, name, adjective or full verb)."""
    return is_a(low, "determiner", "preposition", "auxiliary", "wh", "conjunction", "pronoun", "adverb", "subordinator")


def split_words(text: str) -> list[Word]:
    quotes = [(m.start(), m.end()) for m in _QUOTED.finditer(text)]
    tokens, out = tokenize(text), list[Word]()
    sentence = clause = at = 0
    lows = [_CLITIC.sub(lambda m: "s" if m.group() == "s'" else "", t.low) or t.low for t in tokens]
    for i, token in enumerate(tokens):
        while at < len(quotes) and quotes[at][1] <= token.start:
            at += 1
        quoted = at < len(quotes) and quotes[at][0] <= token.start
        gap = text[tokens[i - 1].end if i else 0 : token.start]
        low, before, after = lows[i], lows[i - 1] if i else "", lows[i + 1] if i + 1 < len(tokens) else ""
        if i and _SENTENCE_GAP.search(gap) and not (gap.lstrip(")").startswith(".") and _ABBREVIATION.match(before)):
            sentence, clause = sentence + 1, clause + 1
        elif i and _opens_clause(low, before, after, gap):
            clause += 1
        out.append(Word(low, token.low[len(low) :] or "", token, gap, sentence, clause, quoted))
    return out


def _opens_clause(low: str, before: str, after: str, gap: str) -> bool:
    if any(mark in gap for mark in "():\u2014\u2013"):
        return True
    if is_a(low, "conjunction"):
        return ("," in gap and low == "but") or is_a(after, "wh", "auxiliary", "nominative")
    if is_a(before, "conjunction") and is_a(low, "wh", "auxiliary", "nominative"):
        return False  # the conjunction has opened it
    if is_a(low, "subordinator"):
        return (
            (low == "that" and is_a(after, "nominative"))
            or is_a(low, "wh")
            or not is_a(before, "preposition", "subordinator")
        )
    if (is_a(low, "adjunct") and before) or (low == "than" and before == "other"):
        return True
    if low in _SUBJECTS and not is_a(before, "auxiliary", "preposition", "conjunction", "wh", "adverb", "subordinator"):
        verbal = "VERB" in parts_of_speech(after) or is_a(after, "auxiliary", "adverb")
        return low not in ("it", "you") or (("NOUN" in parts_of_speech(before) or "," in gap) and verbal)
    if "," in gap and low in ("but", "so", "yet"):
        return True
    if "," in gap:
        return is_a(low, "wh", "auxiliary", "nominative", "conjunction")
    return is_a(low, "nominative") and is_a(before, "reporting")
