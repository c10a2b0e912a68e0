"""What a turn needs before any model is asked: nothing, referents, or a rewrite. Rules alone, pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..metrics._references import Mention, antecedent_agrees, find_mentions, list_items, pick_ordinal
from ..metrics._text import lemmas, tokenize
from ..metrics._utterance import is_acknowledgement, is_small_talk, offer_of
from ..signatures.reformulate_forms import MAX_MENTIONS, Form
from ..signatures.types import Turn

_SENTENCE = re.compile(r"[^.!?]*[.!?]+\s*|[^.!?]+$")


class Plan(NamedTuple):
    """The decision for one turn.

    Attributes:
        ask: Which predictor to ask, or "nothing": the query stays as it is.
        mentions: Mentions to resolve, in order (with ask == "referents").
        picked: Referents that the rules know already, by index into `mentions` (items of a list by their ordinal).
        kept: Words at the start of the query that a rewrite must keep: sentences before the one that refers back.
        reason: Why, for traces and tests.
    """

    ask: Literal["nothing", "referents", "rewrite"]
    reason: str
    mentions: tuple[Mention, ...] = ()
    picked: tuple[tuple[int, str], ...] = ()
    kept: str = ""


def plan(query: str, history: Sequence[Turn], form: Form) -> Plan:
    """Decide what to ask for a query; see design section 4, rulings 1 and 5."""
    if not any(turn.content.strip() for turn in history):
        return Plan("nothing", "no_history")
    if is_acknowledgement(query):
        return Plan("rewrite", "accepts_offer") if offer_of(history) else Plan("nothing", "acknowledgement")
    if is_small_talk(query):
        return Plan("nothing", "small_talk")
    mentions = find_mentions(query)
    if form == "rewrite":
        return Plan("rewrite", "free_form", kept=_lead_in(query, mentions))
    named = tuple(m for m in mentions if m.kind != "ellipsis")[:MAX_MENTIONS]
    elliptical = len(named) < len(mentions) or _is_fragment(query)
    if named and not (elliptical and _is_fragment(query)):
        return Plan("referents", "mentions", named, _picked(named, history))
    if elliptical or mentions:
        return Plan("rewrite", "ellipsis", kept=_lead_in(query, mentions))
    return Plan("nothing", "complete")


def ambiguous(mention: Mention, referent: str, history: Sequence[Turn]) -> str | None:
    """Return another candidate that fits a mention as well as its referent does, or None.

    Two candidates fit equally well when one message names them side by side ("A and B", "A or B", a list), both agree
    with the mention, and the mention says nothing that picks one (a head noun, an ordinal, a comparative).
    """
    if mention.number == "pl" or mention.kind not in {"pronoun", "possessive", "demonstrative"} or mention.head:
        return None
    wanted = {token.low for token in tokenize(referent)}
    for turn in reversed(history[-4:]):
        items = list_items(turn.content)
        inside = [item for item in items if wanted <= {token.low for token in tokenize(item)}]
        if len(items) > 1 and inside:
            return next((i for i in items if i not in inside and antecedent_agrees(mention, i)), None)
        if wanted <= {token.low for token in tokenize(turn.content)}:
            return None
    return None


def _picked(mentions: Sequence[Mention], history: Sequence[Turn]) -> tuple[tuple[int, str], ...]:
    items: list[str] = []
    for turn in reversed(history):
        items = list_items(turn.content) if turn.role == "assistant" else []
        if len(items) > 1:
            break
    found = []
    for number, mention in enumerate(mentions):
        if mention.kind in {"ordinal", "former_latter"} and items:
            item = pick_ordinal(mention.text, items)
            if item:
                found.append((number, item))
    return tuple(found)


def _lead_in(query: str, mentions: Sequence[Mention]) -> str:
    """Return the sentences before the last one that hold no mention: they must survive a rewrite."""
    sentences = _SENTENCE.findall(query)
    kept = ""
    for sentence in sentences[:-1]:
        end = len(kept) + len(sentence)
        if any(m.start < end and m.kind != "ellipsis" for m in mentions) or len(sentence.split()) < 3:
            break
        kept += sentence
    return kept


_CLAUSE = re.compile(
    r"\b(is|are|was|were|am|be|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn't|aren't|"
    r"doesn't|don't|didn't|what's|who's|where's|how's|when's|i'm|it's|that's|there's|i'd|i'll|i've|we're)\b",
    re.IGNORECASE,
)


def _is_fragment(query: str) -> bool:
    """Whether an English query of at most six words has no finite verb that a rule can see."""
    tokens = tokenize(query)
    if not tokens or len(tokens) > 6 or not query.isascii() or _CLAUSE.search(query):
        return False
    from lemminflect import getAllLemmas

    first = tokens[0].low
    imperative = "VERB" in getAllLemmas(first) and first in lemmas(first) and first not in {"and", "or", "more", "any"}
    return not imperative and not any(
        "VERB" in getAllLemmas(t.low) and "NOUN" not in getAllLemmas(t.low) for t in tokens
    )
