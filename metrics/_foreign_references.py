"""References outside English: few forms, each clear, and only where nothing before them could explain them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from ._language import identify
from ._mentions import Kind, Mention
from ._reference_words import lexicon
from ._text import Token, tokenize

_UNSPACED = frozenset(("zh", "ja"))
_MOST_BEFORE = 3  # words of four letters or more; beyond, one of them may well be the antecedent
_IDIOMS = {"y": (("il", "a"), ("", "a-t-il"), ("", "avait-il"), ("n", "a"), ("il", "avait"), ("il", "aura"))}
_COMPOUND = frozenset(("其", "吉", "利", "维"))
_QUOTED = re.compile(r"[\"“«„「『][^\"”»“」』\n]{1,200}[\"”»“」』]")


def guess_language(text: str) -> str:
    """Return the language whose rules apply: by script and function words, English when these do not decide."""
    return identify(text[:400]) or "en"


@lru_cache(maxsize=64)
def _forms(language: str) -> dict[str, Kind]:
    table = lexicon("references_other")
    kinds = ("pronoun", "locative", "demonstrative")
    return {form: cast(Kind, kind) for kind in kinds for form in table.get(f"{language} {kind}", ())}


def find_foreign(text: str, language: str) -> list[Mention]:
    """Return the references of a text in another language than English, in order; none for an unknown language."""
    forms = _forms(language)
    if not forms:
        return []
    quoted = [m.span() for m in _QUOTED.finditer(text)]
    found = list(_unspaced(text, forms) if language in _UNSPACED else _spaced(text, language, forms))
    return [m for m in found if not any(a <= m.start < b for a, b in quoted[:50])]


def _unspaced(text: str, forms: dict[str, Kind]) -> Iterator[Mention]:
    pattern = re.compile("|".join(sorted(map(re.escape, forms), key=len, reverse=True)))
    for hit in pattern.finditer(text):
        if hit.start() <= _MOST_BEFORE * 4 and text[max(0, hit.start() - 1) : hit.start()] not in _COMPOUND:
            yield Mention(hit.group(), hit.start(), hit.end(), forms[hit.group()])


def _spaced(text: str, language: str, forms: dict[str, Kind]) -> Iterator[Mention]:
    tokens = tokenize(text)
    openers = lexicon("references_other").get(f"{language} opener", frozenset())
    if tokens and 1 < len(tokens) <= 5 and tokens[0].low in openers:
        yield Mention(tokens[0].text, tokens[0].start, tokens[0].end, "ellipsis")
    before = 0
    for i, token in enumerate(tokens):
        low = token.low.rpartition("'")[2] if language == "fr" else token.low
        if low in forms and not _idiom(tokens, i) and not _relative(text, tokens, i, language):
            yield Mention(token.text[-len(low) :], token.end - len(low), token.end, forms[low])
        named = i > 0 and token.text[:1].isupper()
        before += _MOST_BEFORE + 1 if named else len(token.low) > 3
        if before > _MOST_BEFORE:
            return


def _idiom(tokens: list[Token], i: int) -> bool:
    left, right = tokens[i - 1].low if i else "", tokens[i + 1].low if i + 1 < len(tokens) else ""
    return any(a in ("", left) and b == right for a, b in _IDIOMS.get(tokens[i].low, ()))


def _relative(text: str, tokens: list[Token], i: int, language: str) -> bool:
    """Whether a German form is a relative pronoun, or a polite "Sie" in a text without capitals."""
    if language == "de" and tokens[i].low == "sie":
        return tokens[i].text != "sie" or not any(t.text[:1].isupper() for t in tokens[1:])
    return language == "de" and i > 0 and "," in text[tokens[i - 1].end : tokens[i].start]
