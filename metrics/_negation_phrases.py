"""From a cue to the phrases that it rules out: modifiers, head and apposition (design section 5, "Precisely")."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ._content import MONTHS, WEEKDAYS
from ._function_words import OTHERS
from ._negation_carriers import OF, begin_of_phrase
from ._negation_tails import end_without_tail, past_tail
from ._negation_text import Message, closes, in_class
from ._reference_words import parts_of_speech

Reach = Literal["one", "or", "list"]
"""What one cue covers: one phrase, phrases joined by "or", or a whole list."""

_LONGEST = 14  # words of a phrase
_MOST = 12  # phrases of one cue
_LOOK = 60  # words behind a cue that are looked at
_MODIFIERS = frozenset("such other more only general specific particular own".split())
_CLAUSE_VERBS = frozenset("go goes come comes run runs start starts end ends lasts takes costs needs has".split())
_PRO_FORMS = frozenset(
    "one ones it them that this those these him her us me they you thing things stuff there "
    "anything everything something anyone".split()
)


class Phrase(NamedTuple):
    """Word indices of a phrase: `start` to `end` (exclusive), and where its construction ends."""

    start: int
    end: int
    until: int


def phrases_after(m: Message, i: int, reach: Reach, *, meta: bool = False) -> list[Phrase]:
    """Return the phrases that begin at word `i`, in order; none when nothing is named there.

    Args:
        m: The message.
        i: Index of the first word after the cue.
        reach: How far conjunctions and commas carry the cue.
        meta: Whether a verb of telling ("mentioning") may stand before the phrase.
    """
    found: list[Phrase] = []
    limit = i + _LOOK
    while len(found) < _MOST and i < limit:
        phrase = _one(m, i, meta, first=not found)
        if phrase is None:
            break
        found.append(phrase)
        after = _next_conjunct(m, phrase, reach, found)
        if after is None:
            break
        i = after
    return found


def _one(m: Message, i: int, meta: bool, first: bool) -> Phrase | None:
    i = begin_of_phrase(m, i, meta)
    if i >= len(m.words) or (not m.same_sentence(i, max(0, i - 1)) and i):
        return None
    quote = m.words[i].quote
    if quote:
        end = i
        while end < len(m.words) and m.words[end].quote == quote:
            end += 1
        return Phrase(i, end, end)
    end = i
    while end < len(m.words) and end - i < _LONGEST:
        if end > i and (closes(m.gap(end), m.low(end - 1)) or not m.same_sentence(i, end)):
            break
        if _stops(m, i, end):
            break
        end += 1
    end = _descriptors(m, i, end)
    until = past_tail(m, end)
    end = end_without_tail(m, i, end)
    if titled := _title(m, i, end):
        return Phrase(*titled, until)
    while end > i and in_class(m.low(end - 1), "adverb") and not m.words[end - 1].text.istitle():
        end -= 1
    if end - i > 1 and m.low(end - 1) in ("one", "ones", "only", "stuff", "things", "thing", "else"):
        end -= 1
    if end <= i or all(_empty(m.low(n)) for n in range(i, end)):
        return None
    return Phrase(i, end, until)


def _title(m: Message, start: int, end: int) -> tuple[int, int] | None:
    """Return the quoted title that ends a phrase (the film "X"): it is what the user names."""
    quote = m.words[end - 1].quote if end > start else 0
    if not quote:
        return None
    first = end - 1
    while first > start and m.words[first - 1].quote == quote:
        first -= 1
    while end < len(m.words) and m.words[end].quote == quote:
        end += 1
    return first, end


def _descriptors(m: Message, start: int, end: int) -> int:
    """Go on over nouns that describe one name: "the guitarist, singer and writer Ana Dorn"."""
    if (
        end <= start
        or m.words[end - 1].capital
        or (m.low(start - 1) not in ("the", "a", "an") and not m.words[start].capital)
    ):
        return end
    n = end
    while n < len(m.words) and n - end < 8 and m.same_sentence(start, n) and not m.words[n].quote:
        gap = m.gap(n).strip()
        if gap not in ("", ",") or in_class(m.low(n), "stop", "preposition", "skip"):
            return end
        if m.words[n].text[:1].isupper():
            if n == end or gap or m.low(n - 1) == "and":
                return end
            while n < len(m.words) and m.words[n].text[:1].isupper() and not closes(m.gap(n), m.low(n - 1)):
                n += 1
            return n
        if "NOUN" not in parts_of_speech(m.low(n)) and m.low(n) != "and":
            return end
        n += 1
    return end


def _empty(low: str) -> bool:
    return low in _PRO_FORMS or in_class(low, "skip", "link", "adverb") or low in ("and", "or", "nor", "&")


def _stops(m: Message, start: int, i: int) -> bool:
    """Whether the phrase that began at `start` cannot go on with word `i`."""
    low = m.low(i)
    if m.words[i].quote and i > start and not m.words[start].quote:
        return False  # the film "X": an apposition
    if i == start:
        return in_class(low, "stop") and (not m.words[i].text.istitle() or low in ("i", "i'm", "i'd", "we"))
    if low in ("and", "or", "nor", "&"):
        return not (low == "&" or ("&" in m.gap(i)))
    if low in OF:
        return False
    if m.language in OTHERS and low in OTHERS[m.language]:
        return True
    if low in ("the", "a") and m.words[i - 1].capital:
        return False  # an apposition: "Java the language"
    if low in ("to", "until", "till", "through") and _is_date(m.low(i - 1)) and _is_date(m.low(i + 1)):
        return False
    capitals = m.words[i].capital and m.words[i - 1].capital and i - 1 >= start
    if in_class(low, "preposition", "stop", "light_participle") and not capitals:
        return True
    if in_class(low, "skip") and low not in _MODIFIERS:
        if low in ("the", "a") and _apposes(m, start, i):
            return False
        return m.low(i - 1) not in OF and not in_class(m.low(i - 1), "place")
    return bool(low.endswith("n't"))


def _apposes(m: Message, start: int, i: int) -> bool:
    """Whether a short apposition ends the clause: "turkey the bird"."""
    if i - start != 1 or m.opens(start - 1):
        return False
    end = i + 1
    while end < len(m.words) and end - i < 5 and not closes(m.gap(end), m.low(end - 1)):
        if in_class(m.low(end), "stop", "preposition"):
            return False
        end += 1
    return end - i < 5


def _is_date(low: str) -> bool:
    return (
        low in MONTHS or low in WEEKDAYS or low[:1].isdigit() or (len(low) == 2 and low[0] == "q" and low[1].isdigit())
    )


def _next_conjunct(m: Message, last: Phrase, reach: Reach, found: list[Phrase]) -> int | None:
    """Return where the next phrase under the same cue begins, or None."""
    i = last.until
    if reach == "one" or i >= len(m.words) or not m.same_sentence(last.start, i):
        return None
    gap, low = m.gap(i), m.low(i)
    comma = "," in gap or "\uff0c" in gap or "\u3001" in gap
    if closes(gap) and not comma:
        return None
    joins = (
        ("and", "or", "nor", "&", "und", "et", "oder", "ou", "o", "e", "y")
        if reach == "list"
        else ("or", "nor", "oder", "ou")
    )
    if low in joins and not m.words[i].quote:
        return i + 1 if _is_conjunct(m, i + 1, reach) else None
    if comma and _list_goes_on(m, i, joins):
        return i
    return None


def _is_conjunct(m: Message, i: int, reach: Reach) -> bool:
    """Whether a noun phrase, and not a clause of its own, follows a conjunction."""
    low = m.low(i)
    if i >= len(m.words):
        return False
    if m.words[i].quote or m.words[i].capital:
        return True
    if in_class(low, "stop") or low in ("to",):
        return False
    if in_class(low, "request_verb") and "NOUN" not in parts_of_speech(low):
        return False
    if in_class(low, "request_verb") and (in_class(m.low(i + 1), "skip") or m.low(i + 1) in ("me", "us")):
        return False
    if low in _CLAUSE_VERBS and in_class(m.low(i + 1), "preposition", "skip", "link"):
        return False  # "that skips X and goes to Y"
    if reach == "list" and low in ("with", "for", "under", "near", "please", "cheap"):
        return False
    return True


def _list_goes_on(m: Message, i: int, joins: tuple[str, ...]) -> bool:
    """Whether a comma separates items of one list: short items, and a conjunction before the last one.

    A comma list without a conjunction ("no pool, thick walls, old shutters") is ambiguous; its first item is the safe
    reading.
    """
    length = 0
    for n in range(i, min(i + 24, len(m.words))):
        if not m.same_sentence(i, n):
            return False
        low, gap = m.low(n), m.gap(n)
        if n > i and "," in gap:
            length = 0
            if low in joins:
                return True
        if low in joins and n > i:
            return not in_class(m.low(n + 1), "stop", "request_verb")
        if in_class(low, "stop", "preposition", "light_participle") or low in ("and", "or", "with"):
            return False
        if in_class(low, "skip") and low in ("a", "an", "some"):
            return False
        length += 1
        if length > 4 or (n > i and closes(gap) and "," not in gap):
            return False
    return False


def words_of(m: Message, phrase: Phrase) -> str:
    """Return a phrase as the user wrote it."""
    text = m.text[m.words[phrase.start].start : m.words[phrase.end - 1].end]
    return " ".join(text.split())
