"""Resolved references against the conversation: what a prediction claims, and what a pick from a list means."""

from __future__ import annotations

from collections.abc import Sequence

from ..signatures.reformulate import Reformulation
from ..signatures.types import Turn, Violation
from ._content import Term, is_function_word, missing, must_survive, terms
from ._faithful import Comparison
from ._function_words import MEANINGFUL
from ._references import find_mentions, list_items, pick_ordinal
from ._speech_act import list_marks
from ._text import Token, low_tokens, tokenize
from ._utterance import is_pick

_MOST_DECLARED = 20  # resolved references that are looked at; no message has more
_LONGEST_MENTION = 10  # words


def claimed_references(parsed: Reformulation, c: Comparison, residual: Sequence[Violation]) -> list[Violation]:
    """Each resolved reference: mention in the query, referent in history or query, mention gone from the result."""
    if not parsed.resolved_references:
        return []
    flat = _padded if c.spaced else _joined
    asked, left = flat(c.query), {flat(v.span or "") for v in residual}
    found = []
    for reference in parsed.resolved_references[:_MOST_DECLARED]:
        mention = flat(reference.mention)
        if not mention.strip() or mention not in asked:
            reason = f"The mention '{reference.mention}' does not stand in the query"
        elif not is_supported(reference.referent, c):
            reason = f"The referent '{reference.referent}' stands in neither the history nor the query"
        elif reference.turn is not None and not 0 <= reference.turn < len(c.history):
            reason = f"Turn {reference.turn} of the referent '{reference.referent}' does not exist"
        elif mention in left:
            reason = f"The mention '{reference.mention}' still stands in the standalone query"
        else:
            continue
        message = f"{reason}; correct the reference."
        found.append(Violation(code="unsupported_reference", message=message, span=reference.mention))
    return found


def is_supported(referent: str, c: Comparison) -> bool:
    """Whether all content words, names and numbers of a referent stand in the history or the query.

    They need not be neighbours: "Low Fen's second album" is told by "the band Low Fen ... their second album". In a
    script without spaces, where words can't be told apart, the referent must stand there as it is.
    """
    if not c.spaced:
        whole = _joined(referent)
        return bool(whole) and any(whole in _joined(text) for text in (c.query, *(t.content for t in c.history)))
    said = terms(referent)
    required = [t for t in said if _is_content(t, c)] or said
    return bool(required) and all(_is_known(term, n, c) for n, term in enumerate(required))


def _is_content(term: Term, c: Comparison) -> bool:
    return term.kind != "word" or not (is_function_word(term.key, c.language) or term.key in MEANINGFUL)


def _is_known(term: Term, n: int, c: Comparison) -> bool:
    if c.known.has(term, english=c.english) or c.earlier.has(term, english=c.english):
        return True
    return c.translated and term.kind == "word" and not (n and term.text[:1].isupper())


def replaced_mentions(parsed: Reformulation, c: Comparison) -> list[tuple[int, int]]:
    """Return the places in the query of the declared mentions whose referent stands in the result: they may vanish.

    A declaration is a claim: its mention must stand in the query and its referent be supported and named by the
    result, or a model could declare away what it dropped.
    """
    if not parsed.resolved_references:
        return []
    spans: list[tuple[int, int]] = []
    asked = tokenize(c.query)
    for reference in parsed.resolved_references[:_MOST_DECLARED]:
        place = _find([t.low for t in tokenize(reference.mention)], asked)
        wanted = [t for t in terms(reference.referent) if _is_content(t, c)]
        if place is None or not wanted or not is_supported(reference.referent, c):
            continue
        if len(missing(wanted, c.got, english=c.english)) < len(wanted):
            spans.append(place)
    return spans


def _find(words: list[str], asked: Sequence[Token]) -> tuple[int, int] | None:
    """Return the place (characters) where the folded words stand side by side, or None."""
    if not 0 < len(words) <= _LONGEST_MENTION:
        return None
    for n, token in enumerate(asked[: len(asked) - len(words) + 1]):
        if token.low == words[0] and [t.low for t in asked[n : n + len(words)]] == words:
            return token.start, asked[n + len(words) - 1].end
    return None


def wrong_picks(result: str, query: str, history: Sequence[Turn]) -> list[Violation]:
    """Return the picks ("number two", "b", "the last one") whose item of the newest list the result does not name.

    Only an enumerated list in the last message counts: a list in a sentence leaves room for other readings.
    """
    if not history or history[-1].role != "assistant" or list_marks(history[-1].content) < 2:
        return []
    picks = (
        [query] if is_pick(query) else [m.text for m in find_mentions(query) if m.kind == "ordinal" and is_pick(m.text)]
    )
    items = list_items(history[-1].content) if picks else []
    found = []
    for pick in picks:
        item = pick_ordinal(pick, items)
        wanted = [t for t in terms(item or "") if must_survive(t, "en")]
        if item and wanted and len(missing(wanted, terms(result), english=True)) == len(wanted):
            message = f"'{pick}' picks '{item[:100]}' from the newest list; name that item."
            found.append(Violation(code="unsupported_reference", message=message, span=pick))
    return found


def _padded(text: str) -> str:
    """Folded words with single spaces around each, so that containment respects token boundaries."""
    words = (low.removesuffix("'s") for low in low_tokens(text))
    return f" {' '.join(words)} "


def _joined(text: str) -> str:
    return _padded(text).replace(" ", "")
