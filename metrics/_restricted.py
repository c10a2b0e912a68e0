"""Restricted terms in a text, in whatever spelling: the one matcher of masking, checks and scope warnings.

A term is found by its pieces (runs of letters or digits, split at camel-case and digit borders), inflected, joined
("LarkspurPlan"), split ("lark-spur") or in look-alike letters; see `_spelling`. In scripts without spaces every
character is a piece. A term inside a longer word of small letters ("ferranite") is another word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ._spelling import Spelling, spelling
from ._text import is_known, lemmas

MASK = "[restricted]"
"""What stands in a text in a restricted term's place."""
UNNAMED = "a restricted term"
"""How a message speaks of one."""

_PIECE = re.compile(r"A+(?=Aa)|(?<=A)A(?=a)|A?a+|A+|0+|[xy]")
_POSSESSIVE = re.compile(r"['\u2019\u02bc\uff07][sS](?!\w)")
_APOSTROPHES = ("'", "\u2019")
_SPLIT_BY_HYPHEN = 4  # letters of a term that is found split by hyphens, dots and the like
_SPLIT_BY_SPACE = 6  # the same for blanks; shorter ones would be found in plain prose ("in tel")
_PART = 3  # letters that each part then has, unless the word is spelt letter by letter
_SHORT = 3  # letters up to which a term is not looked for inside a camel-case word


class Found(NamedTuple):
    """A restricted term in a text: where it stands (characters), and its number among the terms."""

    start: int
    end: int
    number: int


class _Border(NamedTuple):
    offset: int  # letters of the term before it
    gap: str  # what stands there


class _Index(NamedTuple):
    """Terms by their folded letters, so that a text is read once however many there are."""

    keys: dict[str, list[tuple[int, frozenset[int]]]]  # letters -> number of the term, borders between its own pieces
    prefixes: frozenset[str]
    starts: frozenset[str]
    longest: int
    literals: tuple[tuple[int, str], ...]  # terms that are mostly signs: "C++", "!!!"


def find_restricted(text: str, terms: Sequence[str]) -> list[Found]:
    """Return where a text names restricted terms, in order; linear in the text, whatever the number of terms."""
    if not terms or not text:
        return []
    index, spelt = _index(tuple(terms)), spelling(text)
    pieces = [m.span() for m in _PIECE.finditer(spelt.shape)] if index.keys else []
    found = [hit for first in range(len(pieces)) for hit in _at(first, pieces, spelt, index)]
    found += [hit for number, literal in index.literals for hit in _literally(literal, number, spelt)]
    return sorted(_placed(hit, spelt, text) for hit in found)


def named_terms(text: str, restricted: Sequence[str]) -> list[str]:
    """Return the restricted terms that a text names, in the order of the list."""
    return [restricted[number] for number in sorted({hit.number for hit in find_restricted(text, restricted)})]


def masked(text: str, restricted: Sequence[str], mask: str = MASK) -> str:
    """Replace every restricted term of a text, its possessive ending included; a mask in it stays one mask."""
    parts, end = [], 0
    for start, stop, _ in find_restricted(text, restricted):
        if text[max(0, start - 1) : stop + 1] == mask or text[start:stop] == mask:
            continue
        if start >= end:
            parts += [text[end:start], mask]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


def _at(first: int, pieces: Sequence[tuple[int, int]], spelt: Spelling, index: _Index) -> list[Found]:
    """Return the terms that begin with a piece: grow the letters piece by piece as long as some term begins so."""
    start = pieces[first][0]
    if spelt.text[start : min(start + 2, pieces[first][1])] not in index.starts:
        return []
    grown: dict[str, tuple[_Border, ...]] = {"": ()}
    found, before = [], start
    for n in range(first, len(pieces)):  # no slice: that would copy the rest of the text for every piece
        begin, end = pieces[n]
        if end - begin > index.longest + 3:
            break
        word, longer = spelt.text[begin:end], dict[str, tuple[_Border, ...]]()
        if word == "s" and n > first and spelt.text[before:begin] in _APOSTROPHES:
            before = end
            continue  # "Acme's Inc"
        for letters, borders in grown.items():
            crossed = (*borders, _Border(len(letters), spelt.text[before:begin])) if letters else ()
            for form in _forms(word) if letters + word[:1] in index.prefixes else ():
                known = letters + form
                if known in index.prefixes:
                    longer[known] = crossed
                for number, own in index.keys.get(known, ()):
                    if _fits(known, crossed, own) and _stands_apart(known, start, end, spelt):
                        found.append(Found(start, end, number))
        if not longer:
            break
        grown, before = longer, end
    return found


def _fits(letters: str, borders: Sequence[_Border], own: frozenset[int]) -> bool:
    """Whether a term may be written with these borders: its own at will, others by its length."""
    offsets = {border.offset for border in borders}
    if not own <= offsets and len(letters) < _SPLIT_BY_SPACE and (len(letters) < _SPLIT_BY_HYPHEN or is_known(letters)):
        return False  # "in tel" is not "Intel"
    gaps = [border.gap for border in borders if border.offset not in own]
    if not any(gaps):
        return True
    if letters.isdigit():
        return False
    if not any(character.isspace() for gap in gaps for character in gap):
        return len(letters) >= _SPLIT_BY_HYPHEN and all(len(gap) <= 3 for gap in gaps)
    edges = sorted({0, len(letters), *offsets})
    lengths = [edges[n + 1] - edges[n] for n in range(len(edges) - 1)]
    unspaced = spelling(letters).shape.count("x") == len(letters)
    apart = len(letters) >= _SPLIT_BY_SPACE and (min(lengths) >= _PART or max(lengths) == 1)
    return (apart or unspaced) and all(gap.strip() in ("", "-") and len(gap) <= 3 for gap in gaps)


def _stands_apart(letters: str, start: int, end: int, spelt: Spelling) -> bool:
    """Whether a very short term is a word of its own: "OS" is not in "iOS", nor "S" in "it's"."""
    if len(letters) > _SHORT:
        return True
    sides = spelt.shape[start - 1 : start] + spelt.shape[end : end + 1]
    apostrophe = start > 0 and spelt.text[start - 1] in _APOSTROPHES
    return not any(side in "Aay" for side in sides) and (len(letters) > 1 or not apostrophe)


def _literally(literal: str, number: int, spelt: Spelling) -> list[Found]:
    found, at = [], spelt.text.find(literal)
    while at >= 0:
        end = at + len(literal)
        inside = literal[0].isalnum() and spelt.text[at - 1 : at].isalnum() and at > 0
        if not inside and not (literal[-1].isalnum() and spelt.text[end : end + 1].isalnum()):
            found.append(Found(at, end, number))
        at = spelt.text.find(literal, end)
    return found


def _placed(hit: Found, spelt: Spelling, text: str) -> Found:
    """Return a hit with its place in the original: invisible characters and accents at its end belong to it."""
    last = spelt.at[hit.end - 1] + 1
    end = max(last, spelt.at[hit.end] if hit.end < len(spelt.at) else len(text))
    possessive = _POSSESSIVE.match(text, end)
    return Found(spelt.at[hit.start], possessive.end() if possessive else end, hit.number)


@lru_cache(maxsize=16)
def _index(terms: tuple[str, ...]) -> _Index:
    keys: dict[str, list[tuple[int, frozenset[int]]]] = {}
    literals = []
    for number, term in enumerate(terms):
        spelt = spelling(term.strip())
        pieces = [spelt.text[m.start() : m.end()] for m in _PIECE.finditer(spelt.shape)]
        letters = "".join(pieces)
        if len(letters) <= 2 and "-" in spelt.shape.strip(" ")[:1] + spelt.shape.strip(" ")[-1:]:
            literals.append((number, spelt.text.strip()))
            continue
        for forms in (pieces, [*pieces[:-1], *map(_base, pieces[-1:])], [_base(piece) for piece in pieces]):
            ends = [sum(map(len, forms[:n])) for n in range(1, len(forms))]
            entry = (number, frozenset(ends))
            if forms and entry not in keys.setdefault("".join(forms), []):
                keys["".join(forms)].append(entry)
    prefixes = frozenset(key[:length] for key in keys for length in range(1, len(key) + 1))
    starts = frozenset(prefix for prefix in prefixes if len(prefix) <= 2)
    return _Index(keys, prefixes, starts, max(map(len, keys), default=0), tuple(literals))


def _base(word: str) -> str:
    forms = [form for form in _forms(word) if is_known(form)] or _forms(word)
    return min(forms, key=lambda form: (len(form), form))


@lru_cache(maxsize=16384)
def _forms(word: str) -> tuple[str, ...]:
    """Return a word and what it may be an inflection of."""
    if not word.isascii() or not word.isalpha():
        return (word,)
    bare = {word[: -len(ending)] for ending in ("s", "es") if word.endswith(ending) and len(word) > len(ending) + 2}
    return tuple(dict.fromkeys((word, *sorted(bare | (lemmas(word) if is_known(word) else set())))))
