"""A user's message made ready for the rules of `_turn_kind`: plain words, one sentence at a time, frames taken off."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200
"""Characters; a message that only speaks of the conversation is shorter, and no rule reads more."""

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"))
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])[.!?\u2026\"')]*\s+|\n+|\u00bf|\u00a1")
_BETWEEN = re.compile(r"[^\w'+]+")
_EDGE = re.compile(r"(?<!\w)'|'(?!\w)")

_LEAD_INS = (
    "and so but well now then ok okay hm hmm hmmm um uh oh ah please sorry also hey great good thanks yes no sure "
    "alright again wait cool nice right exactly really und aber also gut dann bitte jetzt danke nun ja et mais alors "
    "bon merci maintenant donc y pero entonces bueno gracias ahora e ma allora bene grazie ora adesso"
).split()
_POLITE = (
    "can you", "could you", "would you", "will you", "would you mind", "can i have", "could i have", "can i get",
    "could i get", "may i have", "may i see", "can i see", "could i see", "i want", "i want you to", "i need",
    "i'd like", "i'd like to see", "i'd like to know", "i would like", "i would like to see", "i would like to know",
    "i want to see", "i want to know", "i need to know", "i'd like you to", "let me see", "let me know", "tell me",
    "do you mind", "thank you", "kannst du", "konntest du", "konnen sie", "konnten sie", "kann ich", "ich mochte",
    "mir", "peux tu", "pouvez vous", "pourrais tu", "pourriez vous", "tu peux", "vous pouvez", "puedes", "podrias",
    "puede", "me puedes", "puoi", "potresti", "me lo puedes", "dime", "dimmi", "dis moi", "sag mir", "sagen sie mir",
)  # fmt: skip
_TRAILERS = (
    "please", "then", "thanks", "thank you", "thx", "for me", "though", "exactly", "again please", "pls", "if you can",
    "if possible", "will you", "would you", "bitte", "mal", "danke", "denn", "genau", "s'il te plait",
    "s'il vous plait", "stp", "svp", "merci", "por favor", "gracias", "per favore", "grazie", "for us", "too", "today",
)  # fmt: skip
_CLITICS = {
    "what's": "what is", "where's": "where is", "who's": "who is", "which's": "which is", "that's": "that is",
    "whats": "what is", "wheres": "where is", "haven't": "have not", "hasn't": "has not", "didn't": "did not",
    "couldn't": "could not", "can't": "can not", "cannot": "can not", "don't": "do not", "doesn't": "does not",
    "won't": "will not", "weren't": "were not", "wasn't": "was not", "isn't": "is not", "aren't": "are not",
    "i've": "i have", "you've": "you have", "i'd": "i'd", "i'm": "i am", "you're": "you are", "it's": "it is",
}  # fmt: skip


def _by_first_word(phrases: list[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    table: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        table.setdefault(phrase[0], []).append(phrase)
    return table


_BEFORE = _by_first_word([(word,) for word in _LEAD_INS] + [tuple(phrase.split()) for phrase in _POLITE])
_AFTER = _by_first_word([tuple(reversed(phrase.split())) for phrase in _TRAILERS])


def plain(text: str) -> str:
    """Return the words of a text with single spaces: folded, without diacritics and punctuation, "what's" in full."""
    kept = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).casefold())
    bare = "".join(c for c in kept if not unicodedata.combining(c))
    words = _EDGE.sub(" ", _BETWEEN.sub(" ", bare)).split()
    return " ".join(_CLITICS.get(word, word) for word in words)


def sentences(text: str) -> list[str]:
    """Return the sentences of a short message as written; abbreviations do not matter to the rules."""
    return [part.strip() for part in _SENTENCE_END.split(text) if any(c.isalnum() for c in part)]


def is_frame(words: str) -> bool:
    """Whether plain words are lead-ins and nothing else: "hm", "ok so"."""
    return all((word,) in _BEFORE.get(word, ()) for word in words.split())


def unframed(words: str) -> str:
    """Return plain words without the lead-ins and the politeness around them: "ok can you repeat that please".

    What is left is never empty: a message of politeness alone stays as it is.
    """
    left = words.split()
    left = _peeled(left, _BEFORE)
    return " ".join(reversed(_peeled(left[::-1], _AFTER)))


def _peeled(words: list[str], table: dict[str, list[tuple[str, ...]]]) -> list[str]:
    while True:
        phrases = table.get(words[0], ()) if words else ()
        taken = next((p for p in phrases if tuple(words[: len(p)]) == p and len(words) > len(p)), None)
        if taken is None:
            return words
        words = words[len(taken) :]
