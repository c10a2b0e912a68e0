"""What speaks against a sentence in other words or in another language: it says something else than the first one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from ..signatures.types import Violation
from ._content import MONTHS, WEEKDAYS, is_function_word, terms
from ._language import identify
from ._ledger_words import Text, content
from ._text import fold, is_known, tokenize

_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
_BRACKETS = re.compile(r"[\[\]\u3010\u3011\uff3b\uff3d]")
_NO_SENTENCE = re.compile(r"(?im)^\s*sources?\s*:|[\n\r]|^\s*\d+\.\s")
_DATES = frozenset((*MONTHS, *WEEKDAYS))
_TELLS = 4  # words from which on a language can be told
_ROOM = (2.0, 6)  # a rewritten sentence has at most so many times the words, and so many more
_STEM = 3  # letters that a name keeps in another language: "Munich", "München"
_DENIALS = {
    "en": r"not|no|never|none|nor|neither|without|nobody|nothing|nowhere|cannot|\w+n't",
    "de": r"nicht|kein\w*|nie|niemals|ohne|weder|noch nie|nichts|niemand\w*|nirgends",
    "fr": r"pas|jamais|sans|aucune?|ni|rien|personne ne|nul|nulle",
    "es": r"no|nunca|jamas|sin|ningun\w*|ni|nada|nadie|tampoco",
    "it": r"non|mai|senza|nessun\w*|ne|niente|nulla",
    "pt": r"nao|nunca|sem|nenhum\w*|nem|nada|ninguem",
    "nl": r"niet|geen|nooit|zonder|niets|niemand|noch",
}
_TOLD = frozenset(("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "no", "fi", "cs", "ru", "uk", "tr"))


def numbers(text: str) -> Counter[str]:
    """Return the numbers of a text; languages write "1.5" and "1,5", and "9:30" and "9.30"."""
    return Counter(re.sub(r"[,:]", ".", found) for found in _DIGITS.findall(text))


def changed(before: str, after: str, *, language: str | None = None, translates: bool = False) -> Iterator[Violation]:
    """Yield what a rewritten sentence changes.

    Args:
        before: The sentence, without markers.
        after: What was made of it.
        language: The language that `after` has to be in, where it can be told.
        translates: Whether `after` is in another language on purpose.
    """
    if not any(c.isalnum() for c in after):
        yield Violation(code="unparsable", message="A sentence is missing; rewrite every one of them.")
        return
    if _NO_SENTENCE.search(after) or Counter(_BRACKETS.findall(after)) != Counter(_BRACKETS.findall(before)):
        yield Violation(code="malformed_marker", message="Write sentences alone: no brackets, numbers or lists.")
    if len(after.split()) > max(_ROOM[0] * len(before.split()), len(before.split()) + _ROOM[1]):
        yield Violation(code="unsupported_claim", message=f"This became much longer: {_shown(after)}; add nothing.")
    count = numbers if translates else _counted  # number words count where both are of one language
    if count(before) != count(after):
        yield Violation(code="unsupported_claim", message=f"Keep the numbers of: {_shown(before)}")
    lost = _lost_names(before, after, translates)
    if lost:
        yield Violation(code="dropped_term", message=f"Keep the name {lost!r} as it is written.")
    own = identify(before) or (None if translates else language)
    if _denies(before, own) != _denies(after, language) and own in _DENIALS and language in _DENIALS:
        yield Violation(code="unsupported_claim", message=f"Keep every 'not', and add none: {_shown(before)}")
    if translates and len(before.split()) > 2 and _stays(before, after):
        yield Violation(code="language_changed", message=f"This was not translated: {_shown(before)}")
    spoken = identify(after) if len(after.split()) >= _TELLS else None
    if language in _TOLD and spoken is not None and spoken != language:
        yield Violation(code="language_changed", message=f"This is in the wrong language: {_shown(after)}")


def added(after: str, known: Sequence[str], language: str | None) -> tuple[list[str], int]:
    """Return the words of content in a rewritten sentence that nothing known holds, and how many there are in all.

    Args:
        after: The sentence.
        known: What may be said: the sentence before, the question, the texts of its sources.
        language: Of them.
    """
    texts = Text(known)
    words = content(after)
    return [term.text for term in words if not texts.touches(term, language)], len(words)


def _denies(text: str, language: str | None) -> bool:
    cue = _DENIALS.get(language or "")
    return cue is not None and re.search(rf"(?<!\w)(?:{cue})(?!\w)", fold(text)) is not None


def _counted(text: str) -> Counter[str]:
    return Counter(term.key for term in terms(text) if term.kind == "number")


def _lost_names(before: str, after: str, translates: bool) -> str:
    """Return a name that is gone, or ""; nouns of German are written like names, and tell nothing."""
    spoken = identify(before)
    if spoken == "de":
        return ""
    low = fold(after)
    stems = {_bare(token.text)[:_STEM] for token in tokenize(after)}
    for place, token in enumerate(tokenize(before)):
        word = fold(token.text).removesuffix("'s").strip("'.")
        capital = token.text[:1].isupper() and len(word) > 1
        plain = word in _DATES or is_known(word) or is_function_word(word, "en") or is_function_word(word, spoken)
        if not capital or plain or word in low or (place == 0 and spoken not in (None, "en")):
            continue
        if not (translates and _bare(word)[:_STEM] in stems):
            return token.text
    return ""


def _bare(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", fold(text)) if not unicodedata.combining(c))


def _stays(before: str, after: str) -> bool:
    """Whether most words of a translation are those of the sentence itself; names and short words do not count."""
    told = [token for token in tokenize(after) if len(token.text) > 3 and token.text.isalpha()]
    own = {fold(token.text) for token in tokenize(before)}
    plain = [fold(token.text) for token in told if is_known(fold(token.text)) or not token.text[:1].isupper()]
    return bool(plain) and sum(word in own for word in plain) * 2 > len(plain)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}...")
