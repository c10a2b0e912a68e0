"""The judge of hostile expansions: simple, strict, and of no code that it judges.

It undoes what hides a word (entities, escapes, invisible characters, accents, look-alike letters, marks), and looks for
a phrase as a row of words, each in a few inflections that it makes itself.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u03bf\u03b1\u03b9\u03bd\u03c1\u0131\u0142\u00f8\u0111",
    "aeopcyxijoaivpilod",
)
_WIDE = {"\u00df": "ss", "\u00e6": "ae", "\u0153": "oe"}
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_TAG = re.compile(r"<[^<>]{0,80}>")
_IRREGULAR = (
    ("mouse", "mice"), ("child", "children"), ("man", "men"), ("woman", "women"), ("foot", "feet"), ("tooth", "teeth"),
    ("goose", "geese"), ("wolf", "wolves"), ("shelf", "shelves"), ("leaf", "leaves"), ("knife", "knives"),
)  # fmt: skip
_DIGITS = "zero one two three four five six seven eight nine ten".split()
_SINGLES = re.compile(r"(?<!\w)\w(?: \w(?!\w))+")


def inflections(word: str) -> set[str]:
    """Return a small word with the regular endings of a noun, with and without, and a few irregular ones."""
    if not word.isalpha():
        return {word}
    found = {word} if word.endswith("s") else {word, f"{word}s"}
    if word.endswith(("ss", "x", "z", "ch", "sh")):
        found.add(f"{word}es")
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        found.add(f"{word[:-1]}ies")
    if word.endswith("ies") and len(word) > 4:
        found.add(f"{word[:-3]}y")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        found.add(word[:-1])
        if word.endswith(("ches", "shes", "xes", "sses")):
            found.add(word[:-2])
    for pair in _IRREGULAR:
        found |= set(pair) if word in pair else set()
    return found


def decoded(text: str) -> str:
    """Return a text without entities, escapes, tags, accents, invisible characters and look-alike letters."""
    for _ in range(3):
        text = _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), unquote(html.unescape(text)))
    folded = unicodedata.normalize("NFKD", _TAG.sub("", text))
    shown = "".join(c for c in folded if unicodedata.category(c) not in ("Mn", "Me", "Cf", "Cs")).casefold()
    shown = "".join(_WIDE.get(c, c) for c in shown.translate(_LOOKALIKES))
    return re.sub(r"['\u2019]s\b", " ", shown).replace("'", "").replace("\u2019", "")


def plain(text: str) -> str:
    """Return a text as a reader takes it in: small letters and digits, one blank for all that stands between."""
    return " ".join("".join(c if c.isalnum() else " " for c in decoded(text)).split())


def names(text: str, phrase: str) -> bool:
    """Whether a text names a phrase: its words in a row, in any inflection, or its letters run together or apart."""
    wanted = _wanted(phrase)
    if not wanted:
        return False
    spaced = plain(text)
    unmarked = ["".join(c for c in part if c.isalnum()) for part in decoded(text).split()]
    spelt = _SINGLES.sub(lambda m: m.group().replace(" ", ""), spaced).split()
    joined = {"".join(w[0] for w in _order(phrase)[:-1]) + form for form in wanted[-1]}
    n = len(wanted)
    for words in (spaced.split(), [word for word in unmarked if word], spelt):
        if not joined.isdisjoint(words):
            return True
        if any(all(words[at + k] in wanted[k] for k in range(n)) for at in range(len(words) - n + 1)):
            return True
    return False


def named(texts: Iterable[str], phrases: Sequence[str]) -> list[str]:
    """Return the phrases that one of the texts names."""
    return [phrase for phrase in phrases if any(names(text, phrase) for text in texts)]


def searched(result: Any) -> list[str]:
    """Return all texts of a result that a search engine would look for, and what is shown as added."""
    clauses = (*result.boolean.must, *result.boolean.should)
    return [result.expanded_query, *result.expansion_terms_added, *(clause.phrase for clause in clauses)]


def same(one: str, other: str) -> bool:
    """Whether two phrases have the same words, article and inflection aside."""
    return len(_order(one)) == len(_order(other)) and names(one, other)


def strange_numbers(added: Sequence[str], given: str) -> list[str]:
    """Return the numbers of added terms that occur nowhere in what was given."""
    known = {
        *re.findall(r"\d+", plain(given)),
        *(str(n) for n, word in enumerate(_DIGITS) if word in plain(given).split()),
    }
    return [number for term in added for number in re.findall(r"\d+", plain(term)) if number not in known]


@lru_cache(maxsize=4096)
def _order(phrase: str) -> tuple[list[str], ...]:
    words = plain(phrase).split()
    return tuple([w] for w in (words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words))


@lru_cache(maxsize=4096)
def _wanted(phrase: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(inflections(words[0])) for words in _order(phrase))
