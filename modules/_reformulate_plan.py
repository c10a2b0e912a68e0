"""What a turn needs before any model is asked: nothing, referents, or a rewrite. Rules alone, pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..metrics._frames import is_correction
from ..metrics._language import identify, unspaced
from ..metrics._references import Mention, find_mentions, list_items, pick_ordinal
from ..metrics._speech_act import form_of
from ..metrics._text import lemmas, tokenize
from ..metrics._utterance import is_acknowledgement, is_pick, is_small_talk, offer_of
from ..signatures.reformulate_forms import MAX_MENTIONS, Form
from ..signatures.types import Turn
from ._reformulate_doubts import fits
from ._reformulate_frames import accepted_offer, picked_option, which_of
from ._topics import has_name

_SENTENCE = re.compile(r"[^.!?]*[.!?]+\s*|[^.!?]+$")
_LEANING = re.compile(
    r"\b(else|others?|another|more|same|instead|too|also|again|similar|likewise|first|last|next|previous|both|\w{3,}est)\b",
    re.IGNORECASE,
)
_OPEN_HEADS = frozenset("more other others another else".split())
_FEW_WORDS = 9
_RECENT = 2


class Plan(NamedTuple):
    """The decision for one turn.

    Attributes:
        ask: Which predictor to ask, or "nothing": `query` stays as it is.
        reason: Why, for traces and tests.
        query: What the model sees as the query (an option instead of its number, say), or the answer itself.
        mentions: Mentions to resolve, in order (with ask == "referents").
        picked: Referents that the rules know already, by index into `mentions` (items of a list by their ordinal).
        kept: Words that the rewrite must begin with: sentences before the one that refers back, or an accepted offer.
    """

    ask: Literal["nothing", "referents", "rewrite"]
    reason: str
    query: str
    mentions: tuple[Mention, ...] = ()
    picked: tuple[tuple[int, str], ...] = ()
    kept: str = ""


def plan(query: str, history: Sequence[Turn], form: Form) -> Plan:
    """Decide what to ask for a query; see design section 4, rulings 1, 3 and 5."""
    if not any(turn.content.strip() for turn in history):
        return Plan("nothing", "no_history", query)
    if is_acknowledgement(query):
        offer = offer_of(history)
        if offer is None:
            return Plan("nothing", "acknowledgement", query)
        return Plan("rewrite", "accepts_offer", query, kept=accepted_offer(offer) or "")
    if is_small_talk(query):
        return Plan("nothing", "small_talk", query)
    option = picked_option(query, history) if is_pick(query) else None
    if option is not None:
        return Plan("rewrite", "picks_option", option)
    mentions = find_mentions(query)
    if form == "rewrite":
        return Plan("rewrite", "free_form", query, kept=_lead_in(query, mentions))
    if is_correction(query):
        return Plan("rewrite", "correction", query)
    choice = which_of(query, history)
    if choice is not None:
        return Plan("nothing", "which_of", choice)
    named = tuple(m for m in mentions if m.kind != "ellipsis")[:MAX_MENTIONS]
    # "Any more?", "which lasts longer?": there is no one thing that could take the mention's place.
    open_ended = any(m.head in _OPEN_HEADS or m.text.lower() == "which" for m in named)
    fragment = _is_fragment(query) or open_ended
    if named and not open_ended and not (fragment and len(named) < len(mentions)):
        return Plan("referents", "mentions", query, named, _picked(named, query, history))
    if mentions or fragment:
        return Plan("rewrite", "ellipsis", query, kept=_lead_in(query, mentions))
    reason = _leans(query, history)
    return Plan("rewrite", reason, query, kept=_lead_in(query, ())) if reason else Plan("nothing", "complete", query)


def _leans(query: str, history: Sequence[Turn]) -> str | None:
    """Say why a query without a mention may still need the conversation, or return None.

    What names nothing of its own leans on the conversation when it takes up a word of the last exchange, compares, or
    continues as a short statement; a question that shares nothing is a new topic.
    """
    words = tokenize(query)
    if identify(query) not in (None, "en") or unspaced(query):
        return "foreign" if len(words) <= _FEW_WORDS and len(query) <= 80 else None
    if len(words) > _FEW_WORDS or has_name(query):
        return None
    if _LEANING.search(query):
        return "compares"
    if form_of(query) == "statement":
        return "statement"
    recent = {lemma for turn in history[-_RECENT:] for t in tokenize(turn.content[:2000]) for lemma in lemmas(t.low)}
    shared = [t for t in words if len(t.low) > 3 and lemmas(t.low) & recent and not _CLAUSE.fullmatch(t.low)]
    return "shares_words" if shared else None


def _picked(mentions: Sequence[Mention], query: str, history: Sequence[Turn]) -> tuple[tuple[int, str], ...]:
    """Resolve ordinals by rule; an item that says more than a name is left to the model, which sees the list."""
    items: list[str] = []
    for turn in reversed(history):
        items = list_items(turn.content) if turn.role == "assistant" else []
        if len(items) > 1:
            break
    found = []
    for number, mention in enumerate(mentions):
        if mention.kind in {"ordinal", "former_latter"} and len(items) > 1:
            item = pick_ordinal(mention.text, items)
            plain = not mention.head or mention.head in _GENERIC_HEADS
            if item and plain and len(item.split()) <= 4 and fits(mention, item, query):
                found.append((number, item))
    return tuple(found)


_GENERIC_HEADS = frozenset("one option item choice number point version variant two three four five six".split())


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
