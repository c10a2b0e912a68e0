"""Names in a text and what is known of them: person or thing, gender, number."""

from __future__ import annotations

from ._analysis import Analysis, Phrase, is_closed
from ._reference_words import Animacy, Gender, Number, first_name, is_a, parts_of_speech, surnames

_NAME_LINKS = frozenset("of de van der von la le di da del bin al el &".split())


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


def name_at(doc: Analysis, i: int, cased: bool) -> Phrase | None:
    """Return the name that begins at word `i`; `cased` tells whether the text uses capitals at all."""
    end = _name_end(doc, i, cased)
    return _name(doc, i, end) if end > i else None


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
        while (
            doc.low(link) in _NAME_LINKS
            and not (titled and doc.low(link) == "of")
            and doc.joined(link - 1, link)
            and link - end < 3
        ):
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
