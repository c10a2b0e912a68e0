"""What an earlier part of the same text offers to demonstratives, "one", "these" and "the latter"."""

from __future__ import annotations

from ._analysis import Analysis, Phrase
from ._reference_words import is_a, parts_of_speech, singular


def same_head(doc: Analysis, head: str, before: int) -> bool:
    """Whether a noun of the text before word `before` has the head of a demonstrative: "the album … that album"."""
    lemma = singular(head)
    seen = doc.phrases_before(before)
    return any(lemma in (p.head, singular(p.head)) for p in seen) or any(
        singular(w.low) == lemma for w in doc.words[max(0, before - 60) : max(0, before - 1)]
    )


def statement_before(doc: Analysis, i: int) -> bool:
    """Whether a sentence or clause before word `i` says enough for a bare "that" to take it up."""
    here = doc.words[i]
    at = i
    while at > 0 and doc.words[at - 1].sentence == here.sentence and i - at < 12:
        if "," in doc.words[at].gap or (
            is_a(doc.low(at), "conjunction") and doc.words[at].clause > doc.words[at - 1].clause
        ):
            break
        at -= 1
    earlier = doc.words[max(0, at - 60) : at]
    content = [
        w
        for w in earlier
        if (parts_of_speech(w.low) or w.capital) and not is_a(w.low, "evaluative", "auxiliary", "adverb")
    ]
    return len([w for w in content if not is_a(w.low, "pronoun", "determiner", "preposition", "conjunction")]) >= 3


def hypernym_before(doc: Analysis, i: int, person: bool) -> bool:
    """Whether a name or title in an earlier clause can be what "this track" or "that person" stands for."""
    clause = doc.words[i].clause
    return any(
        p.kind in ("name", "quote") and doc.words[p.end - 1].clause < clause and (p.animacy != "person" or person)
        for p in doc.phrases_before(i)
    )


def count_noun_before(doc: Analysis, i: int, *, picks: bool = False) -> bool:
    """Whether a noun before word `i` can be what "one" or "ones" repeats: any common noun, or a name that holds one.

    Args:
        doc: The text.
        i: The first word of the phrase of "one".
        picks: Whether that phrase picks by a modifier ("the third one", "the 1887 one"): then the questioned phrase of
            the same clause and the noun that it belongs to ("pages of the 1887 one") are none.
    """
    words = doc.words[max(0, i - 30) : i]
    if picks and i < len(doc.words):
        words = [w for w in words if w.clause < doc.words[i].clause]
    if any(is_a(singular(w.low), "no_antecedent") and "NOUN" in parts_of_speech(w.low) for w in words):
        return True
    return any(
        (p.kind == "noun" or _repeatable(doc, p, i)) and not (picks and _governs(doc, p, i))
        for p in doc.phrases_before(i)
    )


def _governs(doc: Analysis, phrase: Phrase, i: int) -> bool:
    same = i < len(doc.words) and doc.words[phrase.end - 1].clause == doc.words[i].clause
    asked = phrase.wh and not any(is_a(doc.low(k), "be") for k in range(phrase.end, i))
    return same and (asked or (phrase.end == i - 1 and doc.low(i - 1) == "of"))


def _repeatable(doc: Analysis, phrase: Phrase, i: int) -> bool:
    """Whether a name can be taken up by "one": "a Grammy … ones", "a Boating Permit … one", "I use Alder 2. … one"."""
    plural = phrase.possessor or phrase.head.endswith("s")
    earlier = i < len(doc.words) and doc.words[phrase.start].sentence < doc.words[i].sentence
    return phrase.kind == "name" and (plural or earlier or "NOUN" in parts_of_speech(phrase.head))


def pair_before(doc: Analysis, i: int) -> bool:
    """Whether two coordinated phrases before word `i` can be what "these", "the former" or "the latter" stand for."""
    return any(p.kind == "pair" for p in doc.phrases_before(i)) or any(
        w.low == "or" and w.sentence <= doc.words[i].sentence for w in doc.words[max(0, i - 40) : i]
    )
