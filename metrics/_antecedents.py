"""Whether a mention has its antecedent in the same text: agreement and structure, by rule.

Agreement is number, animacy and gender. Structure follows the binding conditions as far as words without a parse tree
allow: an object pronoun is not its own clause's subject, a noun phrase is not the antecedent of a pronoun inside it,
a questioned or predicative phrase is none within its clause, and the antecedent comes first, except from a fronted
adjunct. Antecedents that a rewriter brought in are trusted more than words that stood in the raw query already.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from ._analysis import Analysis, Phrase, is_closed
from ._mentions import Agreement, Mention
from ._reference_words import is_a, parts_of_speech, singular

_SUBJECT_FORMS = frozenset(("he", "she", "they"))
_TEMPORAL = frozenset(("in", "during", "before", "after", "throughout", "since", "until", "at", "within"))
_FRONTING = frozenset(
    "besides beside other aside apart in after before when while despite since as if during although though because "
    "once until by with given following upon for excluding without not regardless beyond".split()
)
_ADJUNCT = frozenset(("aside", "besides", "beside", "apart", "than", "except"))
_GOAL = frozenset(("to", "into", "from", "with"))
_TOPIC_MARKERS = frozenset(("for", "about", "regarding", "concerning", "to", "of", "on"))
Introduced = Callable[[Phrase], bool]


def agrees(want: Agreement | Mention, phrase: Phrase) -> bool:
    """Whether number, animacy and gender allow the phrase; unknown features agree."""
    if want.number == "pl":
        return phrase.number != "sg" or (phrase.animacy == "person" and phrase.kind == "noun") or _group(phrase)
    if want.animacy == "person":
        return (
            (phrase.animacy != "thing" or is_a(phrase.head, "animal"))
            and phrase.number != "pl"
            and phrase.kind in ("name", "noun")
            and (
                phrase.kind == "name"
                or phrase.animacy == "person"
                or _agentive(phrase.head)
                or not parts_of_speech(phrase.head)
            )
            and (want.gender == phrase.gender or "any" in (want.gender, phrase.gender))
        )
    return phrase.number != "pl" and (phrase.animacy != "person" or is_a(phrase.head, "firm_role"))


def _agentive(head: str) -> bool:
    """Whether a noun names a person by what they do ("treasurer", "hiker") or is an animal."""
    if is_a(head, "animal"):
        return True
    stem = head[:-2] if head.endswith(("er", "or")) else ""
    stems = (stem, stem + "e", stem[:-1]) if stem else ()
    return not is_a(head, "instrument") and any("VERB" in parts_of_speech(s) for s in stems if len(s) > 2)


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
    for phrase in reversed(doc.phrases_before(i)):
        if agrees(want, phrase) and _may_bind(doc, phrase, i, want, introduced(phrase)):
            return phrase
    if want.number == "pl" and (_two_names(doc, i) or _many_before(doc, i)):
        return Phrase(i, i, "pair", "", "pl", "any", "any")
    if want.animacy == "person" and _who_before(doc, i):
        return Phrase(i, i, "clause", "", "sg", "person", "any")
    if want.animacy == "thing" and _gerund_before(doc, i):
        return Phrase(i, i, "clause", "", "sg", "thing", "any")
    for phrase in doc.phrases_after(i):
        if agrees(want, phrase) and _cataphoric(doc, phrase, i, introduced(phrase)):
            return phrase
    return None


def _who_before(doc: Analysis, i: int) -> bool:
    """Whether an earlier clause of the sentence asks for its subject by "who": "Who found it and how did she …"."""
    for k in range(i - 1, max(-1, i - 30), -1):
        if doc.words[k].sentence != doc.words[i].sentence:
            return False
        if doc.low(k) == "who" and doc.words[k].clause < doc.words[i].clause:
            nxt = doc.low(k + 1)
            return "VERB" in parts_of_speech(nxt) and not is_closed(nxt)
    return False


def _two_names(doc: Analysis, i: int) -> bool:
    """Whether two names stand in clauses before word `i`: "Mara Lind sang with Ole Vik, was it their …"."""
    clause = doc.words[i].clause
    named = [p for p in doc.phrases_before(i) if p.kind == "name" and p.animacy != "thing"]
    return sum(doc.words[p.end - 1].clause < clause for p in named) > 1


def _many_before(doc: Analysis, i: int) -> bool:
    """Whether an earlier clause holds a bare quantity: "There are so many I like. Are they …"."""
    for k in range(max(0, i - 30), i):
        if doc.low(k) in ("many", "several", "few") and doc.words[k].clause < doc.words[i].clause:
            nxt = doc.low(k + 1)
            if doc.words[k + 1].gap.strip() or is_a(nxt, "nominative", "auxiliary", "subordinator"):
                return True
    return False


def _gerund_before(doc: Analysis, i: int) -> bool:
    """Whether a gerund is the subject of an earlier clause: "Having a degree is less use than it was"."""
    be = False
    for k in range(i - 1, max(-1, i - 40), -1):
        word = doc.words[k]
        if word.sentence != doc.words[i].sentence:
            return False
        be = be or is_a(word.low, "be")
        opens = k == 0 or word.clause != doc.words[k - 1].clause or doc.low(k - 1) == "that"
        if be and opens and word.low.endswith("ing") and "VERB" in parts_of_speech(word.low):
            return True
    return False


def _may_bind(doc: Analysis, phrase: Phrase, i: int, want: Agreement, new: bool) -> bool:
    word, last = doc.words[i], doc.words[phrase.end - 1]
    if word.sentence - last.sentence > 2:
        return False
    if last.sentence < word.sentence:
        return True
    if want.number == "pl" and phrase.kind == "name" and phrase.number == "sg":
        return False
    if phrase.end == i and not phrase.possessor and not word.gap.strip():
        return phrase.kind == "name" and new and word.low not in _SUBJECT_FORMS
    if last.clause < word.clause:
        return not _relative_on(doc, phrase, i)
    between = [w.low for w in doc.words[phrase.end : i]]
    if want.kind == "possessive":
        return _binds_possessive(doc, phrase, between, new)
    if word.low in _SUBJECT_FORMS or _is_subject_it(doc, i):
        return _binds_subject(doc, phrase, i, new)
    return _binds_object(doc, phrase, between, new)


def _relative_on(doc: Analysis, phrase: Phrase, i: int) -> bool:
    """Whether the pronoun is subject of a relative clause on the phrase: "the songs that they wrote"."""
    if phrase.kind not in ("noun", "pair") or phrase.possessor or i - phrase.end > 8:
        return False
    end = i
    while end > phrase.end and doc.low(end - 1) in ("that", "which", "who", "whom", "where"):
        end -= 1
    if end == phrase.end:
        return not doc.words[i].gap.strip()
    head = next((p for p in reversed(doc.phrases_before(i)) if p.end == end), None)
    chain = [w.low for w in doc.words[phrase.end : head.start]] if head else ["?"]
    return chain in (["and"], ["or"]) or _inside(phrase, chain)


def _inside(phrase: Phrase, between: list[str]) -> bool:
    """Whether only prepositions and determiners lead from the phrase to the pronoun: "the name of their"."""
    words = [w for w in between if not is_a(w, "determiner", "adverb")]
    if not _ADJUNCT.isdisjoint(between):
        return False
    return bool(words) and all(is_a(w, "preposition") for w in words) and not phrase.possessor


def _questioned_subject(doc: Analysis, phrase: Phrase) -> bool:
    """Whether the questioned phrase is the subject, "which airline changed its": a verb, no inversion, follows it."""
    at = phrase.end
    while is_a(doc.low(at), "adverb") or doc.low(at).endswith("ly"):
        at += 1
    nxt, after = doc.low(at), doc.low(at + 1)
    if phrase.possessor:
        return True
    if nxt in ("do", "does", "did"):
        return after == "not"
    known = parts_of_speech(nxt)
    return (
        nxt in ("has", "have", "had", "doesn't", "don't", "didn't") and not is_a(after, "pronoun", "determiner")
    ) or ("VERB" in known and ("NOUN" not in known or singular(nxt) != nxt) and not is_closed(nxt))


def _binds_possessive(doc: Analysis, phrase: Phrase, between: list[str], new: bool) -> bool:
    inside = _inside(phrase, between) and between[0] not in _TEMPORAL
    if inside and between[0] in _GOAL and not (phrase.predicate or phrase.wh or phrase.oblique):
        inside = False  # "take the toy to its limits"
    if phrase.kind in ("name", "quote"):
        return not (inside and between[0] == "of")
    if between == ["and"]:
        return True
    if inside or (phrase.predicate and not new):
        return False
    return not phrase.wh or new or _questioned_subject(doc, phrase)


def _is_subject_it(doc: Analysis, i: int) -> bool:
    nxt = doc.low(i + 1)
    if doc.low(i) != "it" or is_a(doc.low(i - 1), "auxiliary", "wh"):
        return doc.low(i) == "it"
    return is_a(doc.low(i - 1), "reporting") and (is_a(nxt, "auxiliary") or "VERB" in parts_of_speech(nxt))


def _binds_subject(doc: Analysis, phrase: Phrase, i: int, new: bool) -> bool:
    if phrase.wh or phrase.predicate:
        return False
    topical = doc.low(phrase.start - 1) in _TOPIC_MARKERS and "," in doc.words[phrase.end].gap
    return new or topical or (is_a(doc.low(i - 1), "reporting") and not phrase.oblique)


def _binds_object(doc: Analysis, phrase: Phrase, between: list[str], new: bool) -> bool:
    if phrase.kind == "noun" and (phrase.predicate or phrase.wh or _inside(phrase, between)):
        return False
    if phrase.possessor:
        return True
    if _inside(phrase, between):
        return False
    gerund = any(w.endswith("ing") and "VERB" in parts_of_speech(w) for w in between)
    infinitive = any(a == "to" and "VERB" in parts_of_speech(b) for a, b in pairwise(between))
    if between[:1] in (["and"], ["or"]) and phrase.kind == "noun" and is_a(between[-1], "preposition"):
        return True  # "the church or the tower next to it"
    before = doc.low(phrase.start - 1)
    is_object = ("VERB" in parts_of_speech(before) and not is_closed(before)) or before in ("me", "us")
    steps = pairwise(between)
    if (is_object or phrase.oblique) and any(
        a in ("and", "or", "then") and "VERB" in parts_of_speech(b) for a, b in steps
    ):
        return True  # "install the router and connect it"
    if is_object and any("VERB" in parts_of_speech(w) and not is_closed(w) for w in between):
        return True  # "did the man who found the ring keep it"
    if phrase.oblique:
        return new or infinitive
    return new and gerund


def _cataphoric(doc: Analysis, phrase: Phrase, i: int, new: bool) -> bool:
    """Whether a later phrase explains the pronoun: from a fronted adjunct, or "her … when Mara Lind …"."""
    word, first = doc.words[i], doc.words[phrase.start]
    if first.sentence != word.sentence or (phrase.kind == "noun" and not new):
        return False
    start = i
    while start > 0 and doc.words[start - 1].sentence == word.sentence and i - start < 40:
        start -= 1
    comma = any("," in w.gap for w in doc.words[i + 1 : phrase.start + 1][:40])
    if doc.low(start) in _FRONTING and (comma or new):
        return True
    return new and first.clause > word.clause and doc.low(phrase.start - 1) in ("when", "while", "because", "after")
