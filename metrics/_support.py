"""Whether a claim shares its numbers, names and words with the text that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from ._content import MONTHS, WEEKDAYS, Term, Vocabulary, is_function_word, terms
from ._function_words import NEGATIONS, OTHERS
from ._language import identify, unspaced
from ._support_numbers import all_numbers, numbers
from ._text import is_known

# Where words are not spaced, a number is part of what tokens see as one word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff"
_BESIDE_DIGIT = re.compile(rf"(?<=[{_UNSPACED}])(?=\d)|(?<=\d)(?=[{_UNSPACED}])")
_LONGEST = 4_000  # characters of one claim that are compared
_FOREIGN_WORDS = frozenset[str]().union(*OTHERS.values())
_CASELESS = frozenset(("de", "lb"))  # languages that write every noun with a capital


class Needs(NamedTuple):
    """What the cited text must hold of a claim.

    Attributes:
        numbers: Each with the forms under which it compares.
        names: Capitalised words and identifiers.
        words: Other content words, each once.
        language: Of the claim, as far as it shows.
    """

    numbers: tuple[tuple[Term, frozenset[str]], ...]
    names: tuple[Term, ...]
    words: tuple[Term, ...]
    language: str | None


class Fit(NamedTuple):
    """How a text fits a claim: the numbers and names it lacks, and the share of content words that it holds."""

    missing: tuple[str, ...]
    share: float

    def holds(self, share: float) -> bool:
        """Whether nothing that must stand there is missing and this share of the words is there."""
        return not self.missing and self.share >= share


class Evidence:
    """Texts that a claim is held against, read once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = [_spaced(text) for text in texts if text.strip()]

    @cached_property
    def language(self) -> str | None:
        """The language of the texts, as far as it shows."""
        return identify(" ".join(self.texts)[:2_000])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Their words."""
        return Vocabulary(self.texts)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every form of every number in them."""
        return all_numbers(self.texts, self.language)

    @cached_property
    def joined(self) -> str:
        """The texts in one, case folded, for scripts without spaces."""
        return "\n".join(self.texts).casefold()


def needs(claim: str, language: str | None, given: Evidence) -> Needs:
    """Read what a claim must share with its source; what the user's question holds needs no source.

    Args:
        claim: The text up to its markers.
        language: Of the answer.
        given: The question.
    """
    claim = _spaced(claim[:_LONGEST])
    read = terms(claim)
    counted = numbers(read, language)
    is_number = {term.start for term, _ in counted}
    names, words, seen = list[Term](), list[Term](), set[str]()
    for n, term in enumerate(read):
        if term.key in seen or term.start in is_number or term.kind in ("negation", "number", "url"):
            continue
        seen.add(term.key)
        if term.kind == "identifier" or _is_name(term, claim, first=n == 0, language=language):
            names.append(term)
        elif not is_function_word(term.key, language) and len(term.key) > 1:
            words.append(term)
    return Needs(
        tuple((term, forms) for term, forms in counted if not forms & given.numbers),
        tuple(term for term in names if not given.vocabulary.has(term, english=False)),
        tuple(words),
        language,
    )


def fit(need: Needs, evidence: Evidence) -> Fit:
    """Hold a claim against a text."""
    vocabulary, foreign = evidence.vocabulary, _foreign(need.language, evidence.language)
    english = need.language in (None, "en")
    missing = [
        term.text for term, forms in need.numbers
        if not forms & evidence.numbers and not (foreign and not any(c.isdigit() for c in term.text))
    ]  # fmt: skip
    missing += [term.text for term in need.names if not _has_name(term, evidence, english)]
    if foreign:
        return Fit(tuple(missing), 1.0)  # a translation shares no words
    held = sum(vocabulary.has(term, english=english) or _within(term, evidence) for term in need.words)
    return Fit(tuple(missing), held / len(need.words) if need.words else 1.0)


def _spaced(text: str) -> str:
    return text if text.isascii() else _BESIDE_DIGIT.sub(" ", text)


def _foreign(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _is_name(term: Term, claim: str, *, first: bool, language: str | None) -> bool:
    text = term.text
    if text == text.lower() or len(text) < 2 or term.key in NEGATIONS or is_function_word(term.key, "en"):
        return False
    acronym = sum(c.isupper() for c in text) > 1
    if language in _CASELESS:
        return acronym and text.upper() == text
    if term.key in WEEKDAYS:
        return False  # "Monday to Friday" is "weekdays" to another writer
    if term.key in MONTHS:
        return term.key != "may" or not first
    opens = first or claim[: term.start].rstrip(" *_\"'\u201c(")[-1:] in (".", "!", "?", ":", "\n", "\u2022", "-")
    if is_known(term.key) and acronym and text.upper() == text:
        return False  # a word for emphasis
    if opens and term.key in _FOREIGN_WORDS:
        return False
    return not opens or (not is_known(term.key) and language in (None, "en"))


def _has_name(term: Term, evidence: Evidence, english: bool) -> bool:
    if evidence.vocabulary.has(term, english=english) or evidence.vocabulary.has(term, english=False):
        return True
    if term.kind != "identifier":
        return _within(term, evidence)
    parts = [p for p in terms(term.key.replace("-", " ").replace("/", " ").replace("_", " ")) if p.key != term.key]
    if not parts or any(p.kind == "identifier" for p in parts) or term.text != term.text.lower():
        return term.key in evidence.joined
    return all(
        p.key in evidence.numbers if p.kind == "number" else evidence.vocabulary.has(p, english=True) for p in parts
    )


def _within(term: Term, evidence: Evidence) -> bool:
    """Whether a word of a script without spaces stands in the text, or most pairs of its letters do."""
    if term.key.isascii() or not unspaced(term.key):
        return False
    pairs = {term.key[i : i + 2] for i in range(len(term.key) - 1)}
    return term.key in evidence.joined or 2 * sum(pair in evidence.joined for pair in pairs) >= len(pairs)
