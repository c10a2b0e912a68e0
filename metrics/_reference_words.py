"""Word classes, first names and parts of speech for the reference detector; read once, on first use."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

Number = Literal["sg", "pl", "any"]
Animacy = Literal["person", "thing", "any"]
Gender = Literal["m", "f", "any"]


@lru_cache(maxsize=8)
def lexicon(name: str) -> dict[str, frozenset[str]]:
    """Return the classes of `lexicons/<name>.txt`: lines `[class]`, then words split on blanks, `#` for comments."""
    classes: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in (files(__package__) / "lexicons" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            current = classes.setdefault(line[1:-1], set())
        else:
            current.update(line.split())
    return {key: frozenset(words) for key, words in classes.items()}


def is_a(word: str, *classes: str) -> bool:
    """Whether a folded English word stands in one of the classes."""
    return not _classes_of(word).isdisjoint(classes)


@lru_cache(maxsize=65536)
def _classes_of(word: str) -> frozenset[str]:
    return frozenset(name for name, words in lexicon("references_en").items() if word in words)


@lru_cache(maxsize=65536)
def parts_of_speech(word: str) -> dict[str, tuple[str, ...]]:
    """Return part of speech to lemmas for a folded English word; empty for a word the dictionary does not know."""
    if not word.isascii() or not word.replace("-", "").isalpha():
        return {}
    from lemminflect import getAllLemmas

    found = dict(getAllLemmas(word.rpartition("-")[2] or word))
    return found if "-" not in word or "NOUN" in found or "ADJ" in found else {}


def singular(word: str) -> str:
    """Return the noun lemma of a folded word, or the word itself."""
    lemmas = parts_of_speech(word).get("NOUN", ())
    return lemmas[0] if lemmas else word


@lru_cache(maxsize=65536)
def noun_features(word: str) -> tuple[Number, Animacy, Gender]:
    """Return number, animacy and gender of a common noun (folded)."""
    lemma = singular(word)
    if word in ("people", "police", "cattle", "folk", "folks", "men", "women", "children", "clergy", "troops"):
        return "pl", ("thing" if word == "cattle" else "person"), "any"
    number: Number = "sg" if lemma == word else "pl"
    if word in ("data", "media", "staff", "series", "species", "means"):
        number = "any"
    gender: Gender = "m" if is_a(lemma, "person_m") else "f" if is_a(lemma, "person_f") else "any"
    if gender != "any" or is_a(lemma, "person") or word.endswith(("woman", "women", "ologist", "ologists")):
        return number, "person", gender
    if is_a(lemma, "collective"):
        return ("any" if number == "sg" else "pl"), "any" if number == "pl" else "thing", "any"
    if word.isascii() and word.endswith(("er", "ers", "or", "ors", "ist", "ists", "ian", "ians", "eer", "eers", "ee")):
        return number, "any", "any"
    return number, "thing", "any"


@lru_cache(maxsize=1)
def _census() -> tuple[dict[str, float], dict[str, float]]:
    import names

    def table(path: str) -> dict[str, float]:
        rows = (line.split() for line in Path(path).read_text(encoding="ascii").splitlines())
        return {row[0].casefold(): float(row[1]) for row in rows if len(row) > 1}

    return table(names.FILES["first:male"]), table(names.FILES["first:female"])


@lru_cache(maxsize=1)
def surnames() -> frozenset[str]:
    """Return the folded surnames of the US Census list in the `names` package (public domain)."""
    import names

    text = Path(names.FILES["last"]).read_text(encoding="ascii")
    return frozenset(line.split(maxsplit=1)[0].casefold() for line in text.splitlines() if line)


def first_name(word: str) -> Gender | None:
    """Return the gender of a folded first name of the US Census list, "any" when both are usual, None for no name."""
    men, women = _census()
    m, f = men.get(word, 0.0), women.get(word, 0.0)
    if not m and not f:
        return None
    if max(m, f) < 0.005:  # too rare to tell
        return "any"
    return "m" if m > 5 * f else "f" if f > 5 * m else "any"
