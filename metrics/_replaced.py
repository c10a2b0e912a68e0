"""Words of a query that are gone for a good reason: a referent stands in their place, or a typo was put right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._content import Term, forms, is_function_word, terms
from ._function_words import MEANINGFUL
from ._references import list_items
from ._text import fold, is_known, tokenize

if TYPE_CHECKING:
    from ._faithful import Comparison

_DETERMINERS = frozenset("the this that these those his her its their".split())
_SHORT = frozenset({"the", "a", "an", "of", "by", "in"})
_SMALL_WORDS = tuple("the this that they their there these those what which where when with from".split())
_TEMPORAL = frozenset({"next", "afterward", "afterwards", "later", "during", "within", "throughout", "around", "near"})
_TEMPORAL_ANSWER = re.compile(r"\b(?:after|following|later|since|in|on|at|from|between|near|around|when|while)\b")


def stands_in(term: Term, c: Comparison, gone: set[int]) -> bool:
    """Whether a definite noun ("the band") gave way to what it stands for, in the same place of the sentence.

    Only a noun alone: a noun with modifiers ("the supplier contract") names its own thing and stays. A word such as
    "afterwards" or "during" gives way together with the time it points to.

    Args:
        term: A lost term of the query.
        c: The texts.
        gone: Where all lost terms start in the query.
    """
    if term.key in _TEMPORAL:
        return _TEMPORAL_ANSWER.search(fold(c.result)) is not None and _new_words(c)
    before = tokenize(c.query[max(0, term.start - 60) : term.start])
    if term.kind != "word" or not before or before[-1].low not in _DETERMINERS:
        return False
    following = tokenize(c.query[term.end : term.end + 60])[:1]
    if following and term.end + following[0].start in gone:
        return False
    anchor = before[-2].low if len(before) > 1 else None
    asked = {t.low for t in tokenize(c.query)}
    tokens = tokenize(c.result)
    for n, token in enumerate(tokens):
        if anchor is None or token.low == anchor:
            place = tokens[n + (anchor is not None) : n + 4]
            first = next((t for t in place if t.low not in _SHORT), None)
            if first is not None and first.low not in asked:
                return True
            if anchor is None:
                return False
    return False


def picked(term: Term, c: Comparison) -> bool:
    """Whether a number of the query ("the third", "#2", "the first two") gave way to that item of the newest list."""
    if term.kind != "number" or not term.key.isdigit():
        return False
    newest = (list_items(t.content) for t in reversed(c.history) if t.role == "assistant")
    items = next((found for found in newest if found), [])
    before = tokenize(c.query[max(0, term.start - 30) : term.start])
    if before and forms(before[-1].low)[:1] == (("number", "1"),) and term.text.isalpha():
        return bool(items)  # the "two" of "the first two"
    asked, got = {t.key for t in c.asked}, {t.key for t in c.got}
    place = int(term.key) - 1
    named = {t.key for t in terms(items[place])} if 0 <= place < len(items) else set()
    return not named.isdisjoint(got - asked)


def _new_words(c: Comparison) -> bool:
    asked = {t.key for t in c.asked}
    return any(t.key not in asked and not is_function_word(t.key, "en") for t in c.got)


def respelled(term: Term, c: Comparison) -> bool:
    """Whether a word that no dictionary knows became, by one small edit, a word that the dictionary knows.

    Names that differ by a letter are never a typo: the new word must be a common word in lower case.
    """
    if term.kind != "word" or len(term.key) < 3 or not term.key.isascii() or term.text[:1].isupper():
        return False
    if is_known(term.key):
        return False
    common = (t.key for t in c.got if t.kind == "word" and t.text[:1].islower())
    targets = (*_SMALL_WORDS, *(word for word in common if is_known(word) or word in MEANINGFUL))
    return any(_near(term.key, word) for word in targets)


def corrects(term: Term, c: Comparison) -> bool:
    """Whether a word of the result is the right spelling of a word of the query that no dictionary knows."""
    if term.kind != "word" or not term.text[:1].islower() or not is_known(term.key):
        return False
    return any(_near(t.key, term.key) and respelled(t, c) for t in c.asked if t.kind == "word")


def _near(a: str, b: str) -> bool:
    """Whether two words differ by at most two inserted, lost, changed or swapped letters (one in a short word)."""
    allowed = 2 if min(len(a), len(b)) > 5 else 1
    if a == b or abs(len(a) - len(b)) > allowed:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row, before2 = row, [i], before
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before2[j - 2] + 1)
            row.append(cost)
        before = previous
    return row[-1] <= allowed
