"""What code writes of a rewrite before a model is asked: an accepted offer, a picked option, a bare "which"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..metrics._language import identify
from ..metrics._references import list_items, pick_ordinal
from ..signatures.types import Turn
from ._topics import has_name

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

_FRAGMENT = re.compile(r"\s*(?:(?:ok|okay|so|and|but|also|then|or)[ ,]+)*(?:(?:what|how) about )?", re.IGNORECASE)
_QUESTION = re.compile(
    r"\s*(?:(?:ok|okay|so|and|but|hi|hello|hey|please)[ ,]+)*"
    r"(?P<start>how (?:many|much|long|often|old|far|big|high|large|late|soon)"
    r"|(?:what|which|when|where|who|why|how)(?!\s+about\b)"
    r"|(?:can|could|may|must|should|do|does|did|will|would|am|are|is) (?:i|we|you)\b"
    r"|(?:can|could|must|should|do|does|did|will|would|is|are|was|were|has|have)\b(?=.*\?))",
    re.IGNORECASE,
)
_ASKS_ABROAD = re.compile(
    r"\b(?:was|wie|wer|wo|wann|warum|welche[rnms]?|hoe|wat|waar|wanneer|waarom|combien|qui|quand|où|quels?|quelles?|comment|"
    r"pourquoi|qué|quién|cuánt[oa]s?|cuándo|dónde|cómo|cuál|quant[oiae]|come|dove|quando|chi|perché|quanto|quem|onde)\b",
    re.IGNORECASE,
)
_FOREIGN_QUESTION = re.compile(  # no word of it ends the sentence before ("Guten Tag. Wann …")
    r"(?:^|(?<=[.!]\s))(?P<start>¿?[^\W\d_]+)\s+(?:(?![^\s?]*[.!]\s+[A-ZÀ-Þ¿])[^\s?]+\s+){2,40}[^\s?]+\s?\?"
)
_OWNED = re.compile(
    r"(?:(?:ok|okay|so|but)[ ,]+)*(?:and|or|what about|how about|and what about)\s+"
    r"(?P<core>(?:his|her|its|their)(?:\s+[\w-]+){1,6})\s*\?*",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|last|next|other|same|\d+(?:st|nd|rd|th)?)\b", re.IGNORECASE)


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


def continued_start(query: str, history: Sequence[Turn]) -> str | None:
    """Return how the question must begin that a fragment continues: "And hall 4?" after "How many docks has hall 3?".

    A fragment that names another attribute ("and the price?") becomes "What is the price"; any other takes the first
    words of the newest question that has a form of its own ("How many"). None when no user turn is such a question.
    """
    if identify(query) not in (None, "en"):
        return None if _ASKS_ABROAD.search(query) else _foreign_start(history)
    opener = _FRAGMENT.match(query)
    core = query[opener.end() :].strip(" ?.!") if opener else ""
    asked = next(
        (m for turn in reversed(history) if turn.role == "user" and (m := _QUESTION.match(turn.content))), None
    )
    if not core or _QUESTION.match(core):
        return None
    before = set(asked.string.lower().split()) if asked else set()
    head = re.match(r"(?:the|its|their|his|her|my|our|your)\s+([a-z][a-z-]*)\b(?!\s+one)", core)
    if head and opener and opener.group().lower().startswith(("and", "what", "how")):
        again = {head.group(1), head.group(1) + "s", core.split()[-1].lower()} & {w.strip("?.,!") for w in before}
        if not again and not has_name(core) and not _ORDINAL.search(core):
            noun = re.split(r"\s(?:of|in|on|at|for|from|to|with|by|per|this|next|last|now|today)\b", core)[0].split()[
                -1
            ]
            return f"What {'are' if _plural(noun.lower()) else 'is'} {core}"
    return asked.group("start").strip()[:1].upper() + asked.group("start").strip()[1:] if asked else None


def _foreign_start(history: Sequence[Turn]) -> str | None:
    """Return the first word of the newest question: it asks for the same of something else in any language.

    An English question gives a fragment of another language no word.
    """
    for turn in reversed(history):
        question = _FOREIGN_QUESTION.search(turn.content) if turn.role == "user" else None
        if question and identify(question.group()) != "en":
            return question.group("start")
    return None


def owner_asked(query: str) -> str | None:
    """Make a question of a fragment that asks for something of somebody: "And her deputy?" -> "What is her deputy?"."""
    match = _OWNED.fullmatch(query.strip())
    if not match:
        return None
    core = match.group("core")
    head = re.split(r"\s(?:of|in|on|at|for|from|to|with|by)\b", core)[0].split()[-1].lower()
    return f"What {'are' if _plural(head) else 'is'} {core}?"


def _plural(noun: str) -> bool:
    from lemminflect import getAllLemmas

    found = getAllLemmas(noun).get("NOUN", ())
    return bool(found) and noun not in found


def _short(item: str) -> str:
    """Cut what explains an item: "The Aria 4 (30 h)" -> "the Aria 4"."""
    text = re.split(r"\s+[(\u2013\u2014:-]|[:,;]\s", item, maxsplit=1)[0].strip(" .")
    return re.sub(r"^(The|A|An)\b", lambda m: m.group().lower(), text)
