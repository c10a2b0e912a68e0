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
from ._reformulate_frames import accepted_offer, continued_start, owner_asked, picked_option, which_of
from ._topics import has_foreign_name, has_name

_SENTENCE = re.compile(r"[^.!?]*[.!?]+\s*|[^.!?]+$")
_COMPARES = re.compile(
    r"\b(else|others?|another|more|same|similar|likewise|previous|both|whole|entire)\b|^(going |coming )?back to\b",
    re.IGNORECASE,
)
_APPENDED = frozenset(("nameless", "statement"))
_OPEN_HEADS = frozenset("more other others another else".split())
_FOREIGN_OPENERS = frozenset("y e et und en i och og og и а é mais pero aber maar ma".split())
_OPENER = re.compile(r"\s*(?:(?:ok|okay|so|but|also|then)[ ,]+)*(?:and|or|what about|how about)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")  # a year says when, not what of
_FEW_WORDS = 9
_MANY_WORDS = 16


_LINKS = {
    language: tuple(f" {word}" for word in words.split())
    for language, words in {
        "en": "for in of on at with from to about under by during after before as if when between while where",
        "de": "für von bei in im am zu zum zur mit auf des der",
        "nl": "voor van bij in op met aan",
        "fr": "pour de du des à au aux dans en chez sur avec",
        "es": "de del en para con por",
        "it": "di del della dei in per a al alla nel nella",
        "pt": "de do da em no na para com",
    }.items()
}


class Plan(NamedTuple):
    """The decision for one turn.

    Attributes:
        ask: Which predictor to ask, or "nothing": `query` stays as it is.
        reason: Why, for traces and tests.
        query: What the model sees as the query (an option instead of its number, say), or the answer itself.
        mentions: Mentions to resolve, in order (with ask == "referents").
        picked: Referents that the rules know already, by index into `mentions` (items of a list by their ordinal).
        kept: Words that the rewrite must begin with: sentences before the one that refers back, or an accepted offer.
        go_on: Words of which one is likely to follow on `kept`, where the model may also stop.
    """

    ask: Literal["nothing", "referents", "rewrite"]
    reason: str
    query: str
    mentions: tuple[Mention, ...] = ()
    picked: tuple[tuple[int, str], ...] = ()
    kept: str = ""
    go_on: tuple[str, ...] = ()


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
    asked = owner_asked(query) if len(mentions) > 1 else None
    if asked is not None:
        named = tuple(m for m in find_mentions(asked) if m.kind != "ellipsis")[:MAX_MENTIONS]
        if named:
            return Plan("referents", "mentions", asked, named)
    named = tuple(m for m in mentions if m.kind != "ellipsis")[:MAX_MENTIONS]
    # "Any more?", "which lasts longer?": there is no one thing that could take the mention's place.
    open_ended = any(m.head in _OPEN_HEADS or m.text.lower() == "which" for m in named)
    fragment = _is_fragment(query) or open_ended
    if named and not open_ended and not (fragment and len(named) < len(mentions)):
        return Plan("referents", "mentions", query, named, _picked(named, query, history))
    if mentions or fragment:
        opened = not open_ended and not named and (_OPENER.match(query) or _opens_abroad(query))
        start = continued_start(query, history) if opened else None
        return Plan("rewrite", "ellipsis", query, kept=_lead_in(query, mentions) or start or "")
    reason = _leans(query, history)
    if reason is None:
        return Plan("nothing", "complete", query)
    # Nothing is to be replaced: the user's words stand first and the model may only go on from them.
    kept = _stem(query) if reason in _APPENDED else _lead_in(query, ()) if reason != "foreign" else ""
    go_on = _LINKS.get(identify(query) or "en", ()) if reason == "nameless" else ()
    return Plan("rewrite", reason, query, kept=kept, go_on=go_on)


def led_on(decided: Plan) -> Plan:
    """Return the plan for a rewrite that lost or changed the user's words: these stand first, whole, and go on.

    A fragment that opens with "and" or "what about", or that holds a mention, cannot stand so: its plan stays.
    """
    query = decided.query
    opens = _OPENER.match(query) or _opens_abroad(query) or find_mentions(query) or unspaced(query)
    if decided.ask != "rewrite" or decided.reason not in {"ellipsis", "statement", "compares", "foreign"} or opens:
        return decided
    return decided._replace(kept=_stem(query), go_on=_LINKS.get(identify(query) or "en", ()))


def _opens_abroad(query: str) -> bool:
    first = tokenize(query)[:1]
    return bool(first) and first[0].low in _FOREIGN_OPENERS and identify(query) not in (None, "en")


def _leans(query: str, history: Sequence[Turn]) -> str | None:
    """Say why a query without a mention may still need the conversation, or return None.

    A query that names something of its own is complete. One that names nothing may be a new topic or may lack what it
    is about ("What is the biggest town?"): no rule can tell, so the model is asked to go on from the user's words.
    """
    words = tokenize(query)
    language = identify(query)
    if language not in (None, "en") or unspaced(query):
        if len(words) > _FEW_WORDS or len(query) > 80 or has_foreign_name(query, language):
            return None
        return "foreign" if len(words) < 4 or unspaced(query) or words[0].low in _FOREIGN_OPENERS else "nameless"
    if len(words) > _MANY_WORDS or has_name(_YEAR.sub("", query)):
        return None
    if len(words) <= _FEW_WORDS and _COMPARES.search(query):
        return "compares"
    return "statement" if form_of(query) == "statement" else "nameless"


def _stem(query: str) -> str:
    return " ".join(query.split()).rstrip("?.! ")


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


_GENERIC_HEADS = frozenset(
    "one option item choice number point version variant two three four five six first second third fourth fifth sixth "
    "last 1st 2nd 3rd 4th 5th 6th 7th 8th 9th".split()
)


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
