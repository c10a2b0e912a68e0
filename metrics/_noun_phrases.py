"""Words with sentence and clause, and the noun phrases that could be antecedents: one linear pass, no model."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ._reference_words import (
    Animacy,
    Gender,
    Number,
    first_name,
    is_a,
    noun_features,
    parts_of_speech,
    singular,
    surnames,
)
from ._text import Token, tokenize

_CLITIC = re.compile(r"('s|'re|'ll|'d|'ve|'m|s')$")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|`[^`\n]{1,200}`")
_SENTENCE_GAP = re.compile(r"[.?!;\n。？！](?![\"”'’)]{0,3},)")
_ABBREVIATION = re.compile(r"(?:[a-z]|(?:[a-z]\.)+[a-z]|mr|mrs|ms|dr|st|vs|jr|sr|no|vol|prof|gen|col|sgt|lt|rev|inc|corp|ltd|co|etc)$")
_SUBJECTS = frozenset("he she they it we i you".split())
_INDEFINITE = frozenset("someone somebody anyone anybody everyone everybody nobody".split())
_NAME_LINKS = frozenset("of de van der von la le di da del bin al el &".split())


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

    def joined(self, left: int, right: int) -> bool:
        """Whether nothing but blanks stands between two neighbouring words of one sentence."""
        return 0 <= left and right < len(self.words) and not self.words[right].gap.strip()


def is_closed(low: str) -> bool:
    """Whether an English word belongs to a closed class (no noun, name, adjective or full verb)."""
    return is_a(low, "determiner", "preposition", "auxiliary", "wh", "conjunction", "pronoun", "adverb", "subordinator")


def _words(text: str) -> list[Word]:
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
    if any(mark in gap for mark in "():—–"):
        return True
    if is_a(low, "conjunction"):
        return is_a(after, "wh", "auxiliary", "nominative")
    if is_a(before, "conjunction") and is_a(low, "wh", "auxiliary", "nominative"):
        return False  # the conjunction has opened it
    if is_a(low, "subordinator"):
        return low == "that" and is_a(after, "nominative") or is_a(low, "wh") or not is_a(before, "preposition", "subordinator")
    if is_a(low, "adjunct") and before or (low == "than" and before == "other"):
        return True
    if low in _SUBJECTS and not is_a(before, "auxiliary", "preposition", "conjunction", "wh", "adverb", "subordinator"):
        verbal = "VERB" in parts_of_speech(after) or is_a(after, "auxiliary", "adverb")
        return low not in ("it", "you") or ("NOUN" in parts_of_speech(before) and verbal)
    if "," in gap:
        return is_a(low, "wh", "auxiliary", "nominative", "conjunction")
    return is_a(low, "nominative") and is_a(before, "reporting")


def analyse(text: str) -> Analysis:
    """Split a text into words, sentences and clauses, and find its noun phrases."""
    doc = Analysis(text, _words(text))
    doc.phrases.extend(_find_phrases(doc))
    return doc


def _find_phrases(doc: Analysis) -> list[Phrase]:
    words, phrases = doc.words, list[Phrase]()
    cased = any(w.capital and w.low != "i" and w.gap.strip() == "" for w in words[1:])
    wh = predicate = False
    i = 0
    while i < len(words):
        word = words[i]
        if i == 0 or word.clause != words[i - 1].clause:
            wh = predicate = False
        if is_a(word.low, "wh"):
            wh, predicate = word.low in ("what", "which", "whose", "how"), word.low in ("what", "who", "which") and "'s" == word.clitic
        elif is_a(word.low, "auxiliary"):
            predicate = i > 0 and is_a(doc.low(i - 1), "wh") and is_a(word.low, "be")
            wh = False
        elif is_a(word.low, "preposition") or set(parts_of_speech(word.low)) == {"VERB"}:
            wh = False
        found = _phrase_at(doc, i, cased)
        if found is None:
            i += 1
            continue
        opener = doc.low(found.start - 1) if doc.joined(found.start - 1, found.start) else ""
        found = found._replace(wh=wh, predicate=predicate, oblique=is_a(opener, "preposition"))
        phrases.append(found)
        if len(phrases) > 1 and (pair := _pair(doc, phrases[-2], found)):
            phrases.append(pair)
        i = found.end
    return phrases


def _phrase_at(doc: Analysis, i: int, cased: bool) -> Phrase | None:
    word = doc.words[i]
    if word.quoted:
        end = i
        while end < len(doc.words) and doc.words[end].quoted and end - i < 40 and (end == i or doc.joined(end - 1, end)):
            end += 1
        return Phrase(i, end, "quote", "", "sg", "thing", "any")
    end = _name_end(doc, i, cased)
    if end > i:
        return _name(doc, i, end)
    return _noun(doc, i)


def _is_name_word(doc: Analysis, i: int, cased: bool) -> bool:
    if i >= len(doc.words) or doc.words[i].quoted:
        return False
    word = doc.words[i]
    if is_closed(word.low) and not (word.token.text.isupper() and len(word.low) > 1):
        return False
    opens = i == 0 or word.sentence != doc.words[i - 1].sentence
    if word.capital and not opens:
        return word.low != "i"
    known = parts_of_speech(word.low)
    if not cased and not word.capital:  # a text without capitals: the census lists and unknown words are all there is
        return not known and word.low.isalpha() and (first_name(word.low) is not None or word.low in surnames())
    if opens and not known and _alone(doc, i) and first_name(word.low) is None:
        return False  # an interjection
    follows = i + 1 < len(doc.words) and doc.words[i + 1].capital and doc.joined(i, i + 1)
    return word.capital and (follows or not known or (first_name(word.low) is not None and "VERB" not in known))


def _alone(doc: Analysis, i: int) -> bool:
    last = i + 1 == len(doc.words) or doc.words[i + 1].sentence != doc.words[i].sentence
    return last or doc.words[i + 1].gap.strip() == ","


def _name_end(doc: Analysis, i: int, cased: bool) -> int:
    end = i
    while end - i < 12 and _is_name_word(doc, end, cased) and (end == i or doc.joined(end - 1, end)):
        end += 1
        if doc.words[end - 1].clitic:
            return end
        link = end
        titled = is_a(doc.low(end - 1), "person", "person_m", "person_f")
        while doc.low(link) in _NAME_LINKS and not (titled and doc.low(link) == "of") and doc.joined(link - 1, link) and link - end < 3:
            link += 1
        if link > end and _is_name_word(doc, link, cased) and doc.joined(link - 1, link) and doc.words[link].capital:
            end = link
    return end


def _name(doc: Analysis, start: int, end: int) -> Phrase:
    lows = [w.low for w in doc.words[start:end]]
    number, animacy, gender = name_features(lows, [w.token.text for w in doc.words[start:end]], doc.low(start - 1))
    if animacy == "any" and doc.low(start - 1) in ("in", "at", "near"):
        animacy = "thing"
    begin = start - 1 if is_a(doc.low(start - 1), "determiner") else start
    return Phrase(begin, end, "name", lows[-1], number, animacy, gender, doc.words[end - 1].clitic in ("'s", "'"))


def name_features(lows: list[str], written: list[str], before: str) -> tuple[Number, Animacy, Gender]:
    """Return number, animacy and gender of a name given its folded and written words and the word before it."""
    title = before if is_a(before, "person", "person_m", "person_f") else lows[0]
    if is_a(title, "person", "person_m", "person_f") and (len(lows) > 1 or title == before):
        return "sg", "person", "m" if is_a(title, "person_m") else "f" if is_a(title, "person_f") else "any"
    if any(is_a(low, "organisation_word") for low in lows) or any(c.isdigit() for low in lows for c in low):
        return "any", "thing", "any"
    if any(len(w) > 1 and w.isupper() and "." not in w and not set(w) <= set("IVX") for w in written):
        return "any", "thing", "any"
    if before == "the":
        return ("pl" if lows[-1].endswith("s") and not lows[-1].endswith("ss") else "any"), "any", "any"
    gender = first_name(lows[0])
    if gender is not None and (len(lows) > 1 or not is_a(lows[0], "place_name")):
        if len(lows) > 1 and lows[-1] not in surnames():
            return "sg", "any", "any"
        plain = parts_of_speech(lows[-1])
        return "sg", "any" if "NOUN" in plain else "person", gender
    if len(lows) == 1 and is_a(lows[0], "place_name"):
        return "sg", "thing", "any"
    return "any", "any", "any"


def _inverted(doc: Analysis, i: int) -> bool:
    """Whether the auxiliary at word `i` stands before its subject: "why do cats"."""
    opens = i == 0 or doc.words[i].clause != doc.words[i - 1].clause
    return opens or is_a(doc.low(i - 1), "wh", "adverb", "conjunction")


def _modifies(low: str) -> bool:
    known = parts_of_speech(low)
    participle = "VERB" in known and low.endswith(("ing", "ed"))
    return not is_closed(low) and (participle or not known or not {"ADJ", "NOUN"}.isdisjoint(known))


def _noun(doc: Analysis, i: int) -> Phrase | None:
    word, known = doc.words[i], parts_of_speech(doc.words[i].low)
    if word.low in _INDEFINITE:
        return Phrase(i, i + 1, "noun", word.low, "sg", "person", "any")
    unknown = not known and word.low.isalpha() and len(word.low) > 3
    if is_closed(word.low) or is_a(word.low, "evaluative", "no_antecedent") or not (unknown or "NOUN" in known):
        return None
    nxt = parts_of_speech(doc.low(i + 1)) if doc.joined(i, i + 1) and not is_closed(doc.low(i + 1)) else {}
    if not word.clitic and "NOUN" in nxt and "VERB" not in nxt:
        return None  # modifies the noun that follows
    start = i
    while start > 0 and i - start < 6 and doc.joined(start - 1, start) and not doc.words[start - 1].clitic:
        before = doc.words[start - 1].low
        if is_a(before, "determiner", "quantity") or before.isdigit():
            start -= 1
            if is_a(before, "determiner"):
                break
        elif _modifies(before):
            start -= 1
        else:
            break
    subject = is_a(doc.low(i - 1), "auxiliary") and (is_a(word.low, "person") or _inverted(doc, i - 1))
    if "VERB" in known and start == i and not subject and not is_a(doc.low(i - 1), "preposition"):
        return None  # bare, so rather the verb
    number, animacy, gender = noun_features(word.low)
    if number == "pl" and any(doc.low(k) == "one" and doc.low(k + 1) == "of" for k in range(max(0, i - 7), i)):
        number = "any"  # "one of her novels … it"
    return Phrase(start, i + 1, "noun", singular(word.low), number, animacy, gender, word.clitic in ("'s", "'"))


def _pair(doc: Analysis, left: Phrase, right: Phrase) -> Phrase | None:
    between = [w.low for w in doc.words[left.end : right.start]]
    if between not in (["and"], ["&"]) and not (between == [] and doc.words[right.start].gap.strip() == "&"):
        return None
    animacy: Animacy = "person" if left.animacy == right.animacy == "person" else "any"
    return right._replace(start=left.start, kind="pair", number="pl", animacy=animacy, gender="any", oblique=left.oblique)
