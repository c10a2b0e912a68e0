"""What an exchange is about, by rule: the name that the user's question gave, with the noun it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from ..metrics._noun_phrases import Analysis, Phrase, analyse
from ..metrics._reference_words import parts_of_speech
from ..metrics._text import tokenize
from ..signatures.types import Turn

_LONGEST = 2000
_PREPOSITIONS = frozenset("of in on at for from to with by about under over into".split())
_AFTER_NOUN = _PREPOSITIONS | frozenset(
    "and or but is are was were do does did has have had can will i we you he she it they".split()
)


def topic_of(history: Sequence[Turn], index: int | None) -> str | None:
    """Return the named thing that the message at `index` answers or asks about, or None.

    Args:
        history: The conversation, oldest first.
        index: Where a referent was found; None means the newest message.
    """
    start = len(history) - 1 if index is None else min(index, len(history) - 1)
    for turn in reversed(history[max(0, start - 3) : start + 1]):
        if turn.role == "user":
            named = named_phrase(turn.content[:_LONGEST])
            if named:
                return named
    return None


def named_phrase(text: str) -> str | None:
    """Return the first name of a text with its article and the nouns it modifies: "the Brava router"."""
    doc = analyse(text)
    for phrase in doc.phrases:
        if phrase.kind == "name" and any(not w.low.isdigit() for w in doc.words[phrase.start : phrase.end]):
            return written(doc, phrase.start, extended(doc, phrase))
    return None


def has_name(text: str) -> bool:
    """Whether a text names something of its own: a name, a quoted span, a number or an identifier."""
    doc = analyse(text)
    return any(p.kind in {"name", "quote"} for p in doc.phrases) or any(
        any(c.isdigit() for c in token.text) for token in tokenize(text)
    )


def has_foreign_name(text: str, language: str | None) -> bool:
    """Whether a text outside English names something: a quoted span, a number, a capital inside the sentence.

    German writes every noun with a capital, so that capitals say nothing there.
    """
    tokens = tokenize(text)
    if any(mark in text for mark in '"«»„“”「」') or any(c.isdigit() for t in tokens for c in t.text):
        return True
    return language != "de" and any(t.text[0].isupper() for t in tokens[1:])


def extended(doc: Analysis, name: Phrase) -> int:
    """Return the end of the noun phrase that a name opens.

    A noun that may be a verb counts only after a preposition and before a pause: "from the Lumen phone?", not
    "does the Lumen ring?".
    """
    from lemminflect import getAllLemmas

    end = name.end
    if doc.low(end).isdigit() and doc.joined(end - 1, end) and not parts_of_speech(doc.low(end + 1)).get("NOUN"):
        return end + 1  # "the Lyra 3"
    while end < len(doc.words) and end < name.end + 2 and doc.joined(end - 1, end):
        kinds = getAllLemmas(doc.low(end))
        if "NOUN" not in kinds or doc.low(end) in _AFTER_NOUN:
            break
        closed = end + 1 == len(doc.words) or not doc.joined(end, end + 1) or doc.low(end + 1) in _AFTER_NOUN
        if "VERB" in kinds and not (closed and doc.low(name.start - 1) in _PREPOSITIONS):
            break
        end += 1
    return end


def written(doc: Analysis, start: int, end: int) -> str:
    return doc.text[doc.words[start].token.start : doc.words[end - 1].token.end].removesuffix("'s").removesuffix("’s")
