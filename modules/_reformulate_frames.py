"""What code writes of a rewrite before a model is asked: an accepted offer, a picked option, a bare "which"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..metrics._references import list_items, pick_ordinal
from ..signatures.types import Turn

_OFFERS = (
    re.compile(
        r"(?:^|[,.;:!]\s+|\b(?:or|and|so)\s+)(?:shall|should|can|could|may) i (?:also )?(?P<what>[^?]{3,160})\?",
        re.IGNORECASE,
    ),
    re.compile(r"(?:would you like|do you want|want) me to (?:also )?(?P<what>[^?]{3,160})\?", re.IGNORECASE),
    re.compile(
        r"(?:would you like|do you want) (?:to (?:know|hear|see|read|learn)|details on|information on) (?:about )?"
        r"(?P<what>[^?]{3,160})\?",
        re.IGNORECASE,
    ),
    re.compile(r"\bi can (?:also )?(?P<what>[^.?!]{3,160}?)(?:,? if you (?:like|want|wish))?[.?!]", re.IGNORECASE),
)
_TO_USER = {"you": "me", "your": "my", "yours": "mine", "yourself": "myself"}
_CLOSING = re.compile(r"(?:,? (?:as well|too|also|for you|if you (?:like|want|wish)|instead))+$", re.IGNORECASE)
_WHICH = re.compile(
    r"^((?:and|so|but|ok|okay)[ ,]+)?which (?!of\b)(?P<verb>[\w']+)(?: (?P<next>[\w'-]+))?", re.IGNORECASE
)
_AUXILIARIES = frozenset(
    "is are was were has have had does do did can could will would should might costs lasts needs takes weighs".split()
)
_COMPARES = re.compile(
    r"^(?:the|more|less|most|least|better|best|worse|worst|longer|fewer|\w{2,}er|\w{2,}est)$", re.IGNORECASE
)


def accepted_offer(offer: str) -> str | None:
    """Turn the assistant's offer into the start of a request: "Shall I list the fees?" -> "List the fees"."""
    for pattern in _OFFERS:
        match = pattern.search(offer)
        if match:
            words = [_TO_USER.get(w.lower(), w) for w in _CLOSING.sub("", match.group("what").strip()).split()]
            text = " ".join(words)
            return text[:1].upper() + text[1:]
    return None


def picked_option(query: str, history: Sequence[Turn]) -> str | None:
    """Return the option of the newest assistant message that a bare pick means: "the second level, please" -> "B1"."""
    for turn in reversed(history):
        if turn.role == "assistant":
            items = list_items(turn.content)
            return pick_ordinal(query, items) if len(items) > 1 else None
    return None


def which_of(query: str, history: Sequence[Turn]) -> str | None:
    """Put the choice into a bare "which": "which is cheaper?" -> "which of the Tarn and the Holm is cheaper?".

    Returns:
        The query with the items of the last assistant message, or None when it is no bare "which" or there are not
        two to five items.
    """
    match = _WHICH.match(query)
    if not match or not history or history[-1].role != "assistant":
        return None
    verb, following = match.group("verb").lower(), match.group("next") or ""
    if verb == "one" or not (verb in _AUXILIARIES or (verb.endswith("s") and _COMPARES.match(following))):
        return None
    items = [_short(item) for item in list_items(history[-1].content)]
    if not 2 <= len(items) <= 5 or not all(1 <= len(item.split()) <= 6 for item in items):
        return None
    listed = f"{', '.join(items[:-1])} and {items[-1]}"
    at = match.start("verb")
    return f"{query[:at]}of {listed} {query[at:]}"


def _short(item: str) -> str:
    """Cut what explains an item: "The Aria 4 (30 h)" -> "the Aria 4"."""
    text = re.split(r"\s+[(\u2013\u2014:-]|[:,;]\s", item, maxsplit=1)[0].strip(" .")
    return re.sub(r"^(The|A|An)\b", lambda m: m.group().lower(), text)
