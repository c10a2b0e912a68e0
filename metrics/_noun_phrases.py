"""The noun phrases of a text that could be antecedents: one linear pass, no model."""

from __future__ import annotations

from ._analysis import Analysis, Phrase, is_closed, split_words
from ._names import name_at
from ._reference_words import Animacy, is_a, noun_features, parts_of_speech, singular

__all__ = ["Analysis", "Phrase", "analyse"]

_ARTICLES = frozenset("the a an my your our his her its their".split())
_COPULAR_WH = frozenset(("what", "who", "which", "whose"))
_INDEFINITE = frozenset("someone somebody anyone anybody everyone everybody nobody".split())


def analyse(text: str) -> Analysis:
    """Split a text into words, sentences and clauses, and find its noun phrases."""
    doc = Analysis(text, split_words(text))
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
            wh, predicate = (
                word.low in ("what", "which", "whose", "how"),
                word.low in ("what", "who", "which") and "'s" == word.clitic,
            )
        elif is_a(word.low, "auxiliary"):
            predicate = i > 0 and doc.low(i - 1) in _COPULAR_WH and is_a(word.low, "be")
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
        while (
            end < len(doc.words) and doc.words[end].quoted and end - i < 40 and (end == i or doc.joined(end - 1, end))
        ):
            end += 1
        return Phrase(i, end, "quote", "", "sg", "thing", "any")
    return name_at(doc, i, cased) or _noun(doc, i)


def _noun(doc: Analysis, i: int) -> Phrase | None:
    word, known = doc.words[i], parts_of_speech(doc.words[i].low)
    if word.low in _INDEFINITE:
        return Phrase(i, i + 1, "noun", word.low, "sg", "person", "any")
    nxt = parts_of_speech(doc.low(i + 1)) if doc.joined(i, i + 1) and not is_closed(doc.low(i + 1)) else {}
    unknown = not known and word.low.replace("-", "").isalpha() and len(word.low) > 3
    determined = doc.low(i - 1) in _ARTICLES and "NOUN" not in nxt and "ADJ" not in known
    if is_closed(word.low) or is_a(word.low, "evaluative", "no_antecedent"):
        return None
    if not (unknown or determined or "NOUN" in known):
        return None
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
    if unknown:
        animacy = "any"
        number = "any" if word.low.endswith("s") and not word.low.endswith(("ss", "us", "is")) else number
    return Phrase(start, i + 1, "noun", singular(word.low), number, animacy, gender, word.clitic in ("'s", "'"))


def _inverted(doc: Analysis, i: int) -> bool:
    """Whether the auxiliary at word `i` stands before its subject: "why do cats"."""
    opens = i == 0 or doc.words[i].clause != doc.words[i - 1].clause
    return opens or is_a(doc.low(i - 1), "wh", "adverb", "conjunction")


def _modifies(low: str) -> bool:
    known = parts_of_speech(low)
    participle = "VERB" in known and low.endswith(("ing", "ed"))
    return not is_closed(low) and (participle or not known or not {"ADJ", "NOUN"}.isdisjoint(known))


def _pair(doc: Analysis, left: Phrase, right: Phrase) -> Phrase | None:
    between = [w.low for w in doc.words[left.end : right.start]]
    if between not in (["and"], ["&"]) and not (between == [] and doc.words[right.start].gap.strip() == "&"):
        return None
    animacy: Animacy = "person" if left.animacy == right.animacy == "person" else "any"
    return right._replace(
        start=left.start, kind="pair", number="pl", animacy=animacy, gender="any", oblique=left.oblique
    )
