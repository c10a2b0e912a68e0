"""Faithfulness of a standalone query: nothing of the query is lost, nothing comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..signatures.types import Turn
from ._content import MONTHS, WEEKDAYS, Term, Vocabulary, missing, must_survive, needs_source, quoted_spans, terms
from ._frames import RELATIVE_DATE, free_spans, replaced_value
from ._function_words import OTHERS
from ._language import identify, unspaced
from ._references import find_mentions
from ._replaced import corrects, picked, respelled, stands_in
from ._text import fold, is_known, tokenize
from ._utterance import is_acknowledgement, is_pick

_MOST_QUOTES = 100  # different quoted spans that are looked up
_SAMPLE = 400  # characters of a text that tell its language
_LATIN_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@&+#:-]*")
_ADDITIVE = frozenset({"more", "else", "other", "another", "further", "additional", "besides"})
_ADDITIVE_ANSWER = _ADDITIVE.union(
    "aside apart addition except excluding remaining rest new also than beyond not".split()
)
_NEGATION_SOURCE = _ADDITIVE.union("only instead rather apart aside exclude leave skip drop remove omit ignore".split())
_TWO_QUESTIONS = re.compile(
    r"\b(what|which|who|whom|when|where|why|how)\b,? (?:and|or) (what|which|who|whom|when|where|why|how)\b"
)
_MINE = re.compile(
    r"\b(?:my|our)\b(?! (?:question|query|mistake|bad|apologies|god|goodness|point|last|previous|earlier))"
)
_DATE_WORDS = frozenset(
    (*MONTHS, *WEEKDAYS, *(m[:3] for m in MONTHS), "sept", "week", "quarter", "year", "month", "day")
)
_DATE_NUMBER = re.compile(r"[qh][1-4]|(?:19|20)\d\d|0?[1-9]|[12]\d|3[01]")


class Comparison(NamedTuple):
    """A result, a query and a history, taken apart once for both directions."""

    result: str
    query: str
    got: list[Term]
    asked: list[Term]
    language: str | None
    spaced: bool
    translated: bool
    known: Vocabulary
    earlier: Vocabulary
    history: Sequence[Turn]

    @classmethod
    def of(cls, result: str, query: str, history: Sequence[Turn]) -> Comparison:
        """Take the texts apart; the history is read in one pass and only for membership."""
        spaced = not (unspaced(query) or unspaced(result))
        language = identify(query) or identify(result) or _guess(query + " " + result)
        texts = [t.content for t in history]
        newest = "\n".join(text[:_SAMPLE] for text in texts[-2:])
        spoken = (identify(newest) or _guess(newest)) if any(map(str.isalpha, newest)) else language
        if not spaced:
            result, query, texts = _apart(result), _apart(query), [_apart(text) for text in texts]
        known, earlier = Vocabulary([query]), Vocabulary(texts)
        got, asked = terms(result), terms(query)
        return cls(result, query, got, asked, language, spaced, spoken != language, known, earlier, history)

    @property
    def english(self) -> bool:
        """Whether words compare by English lemmas."""
        return self.language == "en"


def _apart(text: str) -> str:
    """Set Latin and digit runs apart from a script that puts no spaces around them."""
    return _LATIN_RUN.sub(lambda m: f" {m.group()} ", text)


def _guess(text: str) -> str:
    """Tell English by its vocabulary when a text has no function word: at least half of the lower-case words."""
    words = [t.low for t in tokenize(text[:_SAMPLE]) if t.low.isalpha() and t.text[:1].islower()]
    return "en" if text.isascii() and 2 * sum(map(is_known, words)) >= len(words) else "other"


def _counts(term: Term, c: Comparison) -> bool:
    """Whether a term can be content: of scripts without spaces and of languages without a list of function words only
    numbers, names and Latin tokens are."""
    if term.kind != "word":
        return True
    if not c.spaced:
        return term.key.isascii()
    if c.english or c.language in OTHERS:
        return True
    return term.key.isascii() and (c.language != "other" or (term.start > 0 and term.text[:1].isupper()))


def unsupported_terms(c: Comparison) -> list[str]:
    """Return the terms of the result that stand in neither the query nor the history, each once, as written."""
    dated = _asks_for_date(c.query)
    found = []
    for n, term in enumerate(c.got):
        if not _counts(term, c) or not needs_source(term, c.language):
            continue
        if c.translated and term.kind == "word" and not _is_name(term, n, c):
            continue
        if c.known.has(term, english=c.english) or c.earlier.has(term, english=c.english):
            continue
        if dated and _is_date_part(term):
            continue
        if c.english and corrects(term, c):
            continue
        found.append(term.text)
    found += _added_negations(c)
    return list(dict.fromkeys(found))


def _is_name(term: Term, n: int, c: Comparison) -> bool:
    return n > 0 and term.text[:1].isupper() and c.language != "de"


def _asks_for_date(query: str) -> bool:
    return RELATIVE_DATE.search(fold(query)) is not None


def _is_date_part(term: Term) -> bool:
    return term.key in _DATE_WORDS or _DATE_NUMBER.fullmatch(term.key) is not None


def _added_negations(c: Comparison) -> list[str]:
    """A negation that neither query nor history holds turns the query into its opposite."""
    added = [t for t in c.got if t.kind == "negation"]
    if len(added) <= sum(t.kind == "negation" for t in c.asked) or c.earlier.holds_negation():
        return []
    if any(t.kind == "negation" or t.key in _NEGATION_SOURCE for t in c.asked):
        return []
    return [added[0].text]


def dropped_terms(c: Comparison, replaced: Sequence[tuple[int, int]] = ()) -> list[str]:
    """Return the terms of the query that the result lost: counted, as written.

    Mentions, frames and politeness may go; an acknowledgement or a pick ("2") is wholly replaced by what it picks.

    Args:
        c: The texts.
        replaced: Places in the query of further mentions, those that the prediction declares. Their URLs, identifiers,
            negations and long numbers still have to survive.
    """
    if is_acknowledgement(c.query) or is_pick(c.query):
        return []
    spans = [(m.start, m.end) for m in find_mentions(c.query) if m.kind != "ellipsis"] if c.spaced else []
    spans += free_spans(c.query)
    if _asks_for_date(c.query) and any(_is_date_part(t) for t in missing(c.got, c.asked, english=c.english)):
        spans += [m.span() for m in RELATIVE_DATE.finditer(fold(c.query))]
    if (old := replaced_value(c.query)) and said_by_user(old[1], c.history):
        spans.append(old[0])
    kept = _outside(c.asked, spans)
    if replaced:
        free = {t.start for t in kept if t.kind == "word" or (t.kind == "number" and len(t.key) < 3)}
        free -= {t.start for t in _outside(kept, list(replaced))}
        kept = [t for t in kept if t.start not in free]
    required = [t for t in kept if _counts(t, c) and must_survive(t, c.language)]
    gone = missing(required, c.got, english=c.english)
    places = {t.start for t in gone}
    lost = [t.text for t in gone if not (c.english and (stands_in(t, c, places) or picked(t, c) or respelled(t, c)))]
    low, asked = fold(c.result), fold(c.query)
    plain = " ".join(low.split())
    quotes = list(dict.fromkeys(quoted_spans(c.query)))[:_MOST_QUOTES]
    lost += [quote for quote in quotes if fold(" ".join(quote.split())) not in plain]
    if c.english:
        lost += _lost_small_words(kept, low, asked)
    return list(dict.fromkeys(lost))


def said_by_user(value: str, history: Sequence[Turn]) -> bool:
    """Whether the last message of the user holds the words of a value side by side."""
    newest = next((t.content for t in reversed(history) if t.role == "user"), "")
    return f" {value.strip()} " in f" {' '.join(t.low for t in tokenize(newest))} "


def _lost_small_words(kept: list[Term], low: str, asked: str) -> list[str]:
    """Small words that carry a part of the question: "else", both of "when and where", "my"."""
    words = set(re.findall(r"[\w']+", low))
    lost = [t.text for t in kept if t.key in _ADDITIVE][:1] if not words & _ADDITIVE_ANSWER else []
    if both := _TWO_QUESTIONS.search(asked):
        lost += [w for w in both.groups() if w not in words]
    mine = _MINE.search(asked)
    if mine and not words & {"my", "our", "mine", "ours"}:
        lost.append(mine.group())
    return lost


def _outside(asked: list[Term], spans: list[tuple[int, int]]) -> list[Term]:
    """Return the terms that begin in none of the spans; both are walked once, in order."""
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    kept, n = [], 0
    for term in asked:
        while n < len(merged) and merged[n][1] <= term.start:
            n += 1
        if n == len(merged) or term.start < merged[n][0]:
            kept.append(term)
    return kept
