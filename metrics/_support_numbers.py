"""Numbers of a text in every form in which they may be written: "1,200", "1.2 thousand", "22:00", "10 pm", "zwei"."""

from __future__ import annotations

import re

from ._content import Term, terms

_SCALES = {
    "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "k": 1_000, "hundert": 100,
    "tausend": 1_000, "millionen": 1_000_000, "millones": 1_000_000, "mil": 1_000, "mille": 1_000, "cent": 100,
    "millions": 1_000_000,
}  # fmt: skip
_TIME = re.compile(r"(\d{1,2})[:.h](\d{2})(?::\d{2})?")
_DOTTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_FOREIGN: dict[str, dict[str, int]] = {
    language: {word: n for n, word in enumerate(words.split(), 2)}
    for language, words in {
        "de": "zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf",
        "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
        "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
        "pt": "dois tr\u00eas quatro cinco seis sete oito nove dez onze doze",
        "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "sv": "tv\u00e5 tre fyra fem sex sju \u00e5tta nio tio elva tolv",
        "da": "to tre fire fem seks syv otte ni ti elleve tolv",
        "pl": "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
    }.items()
}


def numbers(text: list[Term], language: str | None) -> list[tuple[Term, frozenset[str]]]:
    """Return the numbers among the terms of a text, each with the forms under which it compares."""
    foreign = _FOREIGN.get(language or "", {})
    found = list[tuple[Term, frozenset[str]]]()
    for n, term in enumerate(text):
        after = text[n + 1] if n + 1 < len(text) else None
        if term.kind == "word" and term.key in foreign:
            found.append((term, frozenset((str(foreign[term.key]),))))
        elif term.kind == "number" and term.text.lower() != "first":  # an order of telling more often than a count
            alternatives = _forms(term.key)
            if after is not None and after.key in _SCALES:
                alternatives |= {_plain(float(a) * _SCALES[after.key]) for a in alternatives if _is_float(a)}
            before = text[n - 1] if n else None
            if after is not None and after.kind == "number" and _tens(term) and _unit(after):
                alternatives |= {str(int(term.key) + int(after.key))}
            if before is not None and before.kind == "number" and _tens(before) and _unit(term):
                alternatives |= {str(int(before.key) + int(term.key))}
            found.append((term, frozenset(alternatives)))
    return found


def all_numbers(texts: list[str], language: str | None) -> frozenset[str]:
    """Return every form of every number of some texts."""
    return frozenset(form for text in texts for _, forms in numbers(terms(text), language) for form in forms)


def _forms(key: str) -> set[str]:
    found = {key, _canonical(key)}
    if (time := _TIME.fullmatch(key)) and int(time[1]) < 25:
        hour, minute = int(time[1]), time[2]
        hours = {hour, hour % 12, hour % 12 + 12} if hour else {0, 12, 24}
        found |= {f"{h}:{minute}" for h in hours} | ({str(h) for h in hours if h} if minute == "00" else set())
    if _DOTTED_THOUSANDS.fullmatch(key):
        found.add(key.replace(".", ""))
    return found


def _canonical(key: str) -> str:
    plain = key.replace(",", ".")
    if _is_float(plain) and len(plain) < 16:
        return _plain(float(plain))
    return plain


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(round(number, 6))


def _is_float(text: str) -> bool:
    return re.fullmatch(r"\d{1,15}(?:\.\d{1,15})?", text) is not None


def _tens(term: Term) -> bool:
    return term.text.isalpha() and term.key.isdigit() and 20 <= int(term.key) <= 90 and int(term.key) % 10 == 0


def _unit(term: Term) -> bool:
    return term.text.isalpha() and term.key.isdigit() and 0 < int(term.key) < 10
