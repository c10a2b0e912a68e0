"""Resolved references against the conversation: what a prediction claims, and what a pick from a list means."""

from __future__ import annotations

from collections.abc import Sequence

from ..signatures.reformulate import Reformulation
from ..signatures.types import Turn, Violation
from ._content import missing, must_survive, terms
from ._language import unspaced
from ._references import find_mentions, list_items, pick_ordinal
from ._speech_act import list_marks
from ._text import fold, tokenize
from ._utterance import is_pick


def claimed_references(
    parsed: Reformulation, query: str, history: Sequence[Turn], residual: Sequence[Violation]
) -> list[Violation]:
    """Each resolved reference: mention in the query, referent in history or query, mention gone from the result."""
    if not parsed.resolved_references:
        return []
    places = [_padded(turn.content) for turn in history]
    asked, left = _padded(query), {_padded(v.span or "") for v in residual}
    spaced = not unspaced(query)
    found = []
    for reference in parsed.resolved_references:
        mention, referent = _padded(reference.mention), _padded(reference.referent)
        if not spaced:
            mention, referent = mention.strip(), referent.strip()
        if not mention.strip() or mention not in asked:
            reason = f"The mention '{reference.mention}' does not stand in the query"
        elif not referent.strip() or not (referent in asked or any(referent in place for place in places)):
            reason = f"The referent '{reference.referent}' stands in neither the history nor the query"
        elif reference.turn is not None and not 0 <= reference.turn < len(history):
            reason = f"Turn {reference.turn} of the referent '{reference.referent}' does not exist"
        elif mention in left:
            reason = f"The mention '{reference.mention}' still stands in the standalone query"
        else:
            continue
        message = f"{reason}; correct the reference."
        found.append(Violation(code="unsupported_reference", message=message, span=reference.mention))
    return found


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
    words = (t.low.removesuffix("'s") for t in tokenize(fold(text)))
    return f" {' '.join(words)} "
