"""Whether a mention has its antecedent in the same text: agreement and structure, by rule.

Agreement is number, animacy and gender. Structure follows the binding conditions as far as words without a parse tree
allow: an object pronoun is not its own clause's subject, a noun phrase is not the antecedent of a pronoun inside it,
a questioned or predicative phrase is none within its clause, and the antecedent comes first, except from a fronted
adjunct. Antecedents that a rewriter brought in are trusted more than words that stood in the raw query already.
"""

from __future__ import annotations

from collections.abc import Callable

from ._mentions import Agreement, Mention
from ._noun_phrases import Analysis, Phrase
from ._reference_words import is_a, parts_of_speech, singular

LOOK_BACK = 12  # phrases; bounds the work on long texts
_SUBJECT_FORMS = frozenset(("he", "she", "they"))
_TEMPORAL = frozenset(("in", "during", "before", "after", "throughout", "since", "until", "at", "within"))
_FRONTING = frozenset(
    "besides beside other aside apart in after before when while despite since as if during although though because "
    "once until by with given following upon for".split()
)
_TOPIC_MARKERS = frozenset(("for", "about", "regarding", "concerning", "to", "of", "on"))

Introduced = Callable[[Phrase], bool]


def agrees(want: Agreement | Mention, phrase: Phrase) -> bool:
    """Whether number, animacy and gender allow the phrase; unknown features agree."""
    if want.number == "pl":
        return phrase.number != "sg" or phrase.animacy == "person" and phrase.kind == "noun" or _group(phrase)
    if want.animacy == "person":
        return (
            phrase.animacy != "thing"
            and phrase.number != "pl"
            and phrase.kind in ("name", "noun")
            and (phrase.kind == "name" or phrase.animacy == "person")
            and "any" in (want.gender, phrase.gender)
            or (phrase.gender == want.gender and phrase.animacy == "person" and phrase.number != "pl")
        )
    return phrase.animacy != "person" and phrase.number != "pl"


def _group(phrase: Phrase) -> bool:
    return phrase.kind == "noun" and is_a(phrase.head, "collective")


def find_antecedent(doc: Analysis, i: int, want: Agreement, introduced: Introduced) -> Phrase | None:
    """Return the phrase of the text that the third-person pronoun at word `i` stands for, or None.

    Args:
        doc: The analysed text.
        i: Index of the pronoun.
        want: What must agree.
        introduced: Whether a phrase is new in a rewrite, that is, not one of the raw query's own.
    """
    at = _first_after(doc.phrases, i)
    for phrase in reversed(doc.phrases[max(0, at - LOOK_BACK) : at]):
        if agrees(want, phrase) and _may_bind(doc, phrase, i, want, introduced(phrase)):
            return phrase
    for phrase in doc.phrases[at : at + LOOK_BACK]:
        if phrase.start > i and agrees(want, phrase) and _cataphoric(doc, phrase, i, introduced(phrase)):
            return phrase
    return None


def _first_after(phrases: list[Phrase], i: int) -> int:
    low, high = 0, len(phrases)
    while low < high:
        mid = (low + high) // 2
        if phrases[mid].end <= i:
            low = mid + 1
        else:
            high = mid
    return low


def _may_bind(doc: Analysis, phrase: Phrase, i: int, want: Agreement, new: bool) -> bool:
    word, last = doc.words[i], doc.words[phrase.end - 1]
    if word.sentence - last.sentence > 2:
        return False
    if last.sentence < word.sentence:
        return True
    if phrase.end == i and not phrase.possessor and not word.gap.strip():
        return phrase.kind == "name" and new and word.low not in _SUBJECT_FORMS
    if last.clause < word.clause:
        return not _relative_on(doc, phrase, i)
    between = [w.low for w in doc.words[phrase.end : i]]
    if want.kind == "possessive":
        return _binds_possessive(phrase, between, new)
    if word.low in _SUBJECT_FORMS or _is_subject_it(doc, i):
        return _binds_subject(doc, phrase, i, new)
    return _binds_object(phrase, between, new)


def _relative_on(doc: Analysis, phrase: Phrase, i: int) -> bool:
    """Whether the pronoun is subject of a relative clause on the phrase: "the songs that they wrote"."""
    between = [w.low for w in doc.words[phrase.end : i]]
    return between in (["that"], ["which"], ["who"], ["whom"], ["where"]) and phrase.kind == "noun"


def _inside(phrase: Phrase, between: list[str]) -> bool:
    """Whether only prepositions and determiners lead from the phrase to the pronoun: "the name of their"."""
    words = [w for w in between if not is_a(w, "determiner", "adverb")]
    return bool(words) and all(is_a(w, "preposition") for w in words) and not phrase.possessor


def _binds_possessive(phrase: Phrase, between: list[str], new: bool) -> bool:
    inside = _inside(phrase, between) and between[0] not in _TEMPORAL
    if phrase.kind in ("name", "quote"):
        return not (inside and between[0] == "of")
    if inside or phrase.predicate and not new:
        return False
    return not phrase.wh or new


def _is_subject_it(doc: Analysis, i: int) -> bool:
    return doc.low(i) == "it" and is_a(doc.low(i - 1), "auxiliary", "reporting", "wh")


def _binds_subject(doc: Analysis, phrase: Phrase, i: int, new: bool) -> bool:
    if phrase.wh or phrase.predicate:
        return False
    topical = doc.low(phrase.start - 1) in _TOPIC_MARKERS and "," in doc.words[phrase.end].gap
    return new or topical or (is_a(doc.low(i - 1), "reporting") and not phrase.oblique)


def _binds_object(phrase: Phrase, between: list[str], new: bool) -> bool:
    if phrase.kind == "noun" and (phrase.predicate or phrase.wh or _inside(phrase, between)):
        return False
    if phrase.possessor:
        return True
    if _inside(phrase, between):
        return False
    return phrase.oblique and (new or "," in between)


def _cataphoric(doc: Analysis, phrase: Phrase, i: int, new: bool) -> bool:
    """Whether a later phrase explains the pronoun: from a fronted adjunct, or "her … when Mara Lind …"."""
    word, first = doc.words[i], doc.words[phrase.start]
    if first.sentence != word.sentence or phrase.kind == "noun" and not new:
        return False
    start = i
    while start > 0 and doc.words[start - 1].sentence == word.sentence and i - start < 40:
        start -= 1
    comma = any("," in w.gap for w in doc.words[i + 1 : phrase.start + 1][:40])
    if doc.low(start) in _FRONTING and (comma or new):
        return not phrase.oblique or new
    return new and first.clause > word.clause and doc.low(phrase.start - 1) in ("when", "while", "because", "after")


def same_head(doc: Analysis, head: str, before: int) -> bool:
    """Whether a noun of the text before word `before` has the head of a demonstrative: "the album … that album"."""
    at = _first_after(doc.phrases, before)
    lemma = singular(head)
    seen = doc.phrases[max(0, at - LOOK_BACK) : at]
    return any(lemma in (p.head, singular(p.head)) for p in seen) or any(
        singular(w.low) == lemma for w in doc.words[max(0, before - 60) : max(0, before - 1)]
    )


def statement_before(doc: Analysis, i: int) -> bool:
    """Whether a sentence before word `i` says enough for a bare "that" to take it up."""
    sentence = doc.words[i].sentence
    earlier = [w for w in doc.words[max(0, i - 60) : i] if w.sentence < sentence]
    content = [w for w in earlier if parts_of_speech(w.low) and not is_a(w.low, "evaluative", "auxiliary", "adverb")]
    return len([w for w in content if not is_a(w.low, "pronoun", "determiner", "preposition", "conjunction")]) >= 3


def count_noun_before(doc: Analysis, i: int) -> bool:
    """Whether a common noun before word `i` can be what "one" or "ones" repeats."""
    at = _first_after(doc.phrases, i)
    return any(p.kind == "noun" and not p.possessor for p in doc.phrases[max(0, at - LOOK_BACK) : at])


def pair_before(doc: Analysis, i: int) -> bool:
    """Whether two coordinated phrases before word `i` can be what "these", "the former" or "the latter" stand for."""
    at = _first_after(doc.phrases, i)
    seen = doc.phrases[max(0, at - LOOK_BACK) : at]
    return any(p.kind == "pair" for p in seen) or any(
        w.low == "or" and w.sentence <= doc.words[i].sentence for w in doc.words[max(0, i - 40) : i]
    )
