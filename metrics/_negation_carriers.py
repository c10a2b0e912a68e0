"""What stands between a cue and its phrase: determiners, links, and nouns that only carry it ("any details about")."""

from __future__ import annotations

from ._content import bases
from ._function_words import OTHERS
from ._negation_text import Message, closes, in_class

OF = frozenset("of de du des di del della von van y".split())
_LONGEST = 24  # words that are stepped over
_MOST_ADJECTIVES = 3
_LIKENESS = frozenset("like regarding concerning about".split())
_ADJECTIVAL = frozenset(
    "related relating specific relevant pertaining connected associated similar attributed linked".split()
)
_AGAIN = 60  # words before a cue among which the phrase's noun may stand already


def begin_of_phrase(m: Message, i: int, meta: bool) -> int:
    """Return the index of the first word of the phrase itself.

    Args:
        m: The message.
        i: Index of the first word after the cue.
        meta: Whether a verb of telling ("mentioning") may stand first.
    """
    start = i
    while i + 1 < len(m.words) and i - start < _LONGEST and not m.words[i].quote and m.same_sentence(start, i):
        if i > start and closes(m.gap(i), m.low(i - 1)):
            break
        step = _step(m, i, meta, start)
        if step == i:
            break
        i = step
    return i


def _step(m: Message, i: int, meta: bool, start: int) -> int:
    low = m.low(i)
    if meta and in_class(low, "meta_verb") and not closes(m.gap(i + 1)) and not _is_capital(m, i):
        return _particle(m, i + 1)
    if meta and low in ("being", "having", "be"):
        return i + 1
    if m.language in OTHERS and low in OTHERS[m.language]:
        return i + 1
    if m.language != "en" and low in OF:
        return i + 1
    if low in ("me", "us") and not closes(m.gap(i + 1)):
        return i + 1
    if low == "such" and m.low(i + 1) == "as":
        return i + 2
    if low in ("anywhere", "everywhere") and in_class(m.low(i + 1), "place", "preposition"):
        return i + 1
    if in_class(low, "link", "skip") and not (low == "general" and _is_capital(m, i)):
        return i + 1
    if in_class(low, "light_participle") and not closes(m.gap(i + 1)) and in_class(m.low(i + 1), "link"):
        return i + 2
    if low in ("containing", "using", "featuring", "involving", "including", "starring", "made"):
        return i + 1 if not closes(m.gap(i + 1)) else i
    return _carried(m, i, start)


def _is_capital(m: Message, i: int) -> bool:
    return m.words[i].text[:1].isupper()


def _particle(m: Message, i: int) -> int:
    """Step over the rest of a verb of telling: "bringing up", "taking into account"."""
    if m.low(i) == "into" and m.low(i + 1) in ("account", "consideration"):
        return i + 2
    return i + 1 if m.low(i) in ("up", "into", "me", "us") else i


def _carried(m: Message, i: int, start: int) -> int:
    """Return where what a noun carries begins; `i` itself when the noun is the phrase."""
    if _repeats(m, i, start) and (after := _link(m, i + 1)) is not None:
        return after
    for n in range(i, min(i + _MOST_ADJECTIVES + 1, len(m.words))):
        low = m.low(n)
        if n > i and low in OF:
            return i  # "mirrors of any kind in X"
        if (n > i and closes(m.gap(n), m.low(n - 1))) or in_class(low, "stop", "preposition") or _is_capital(m, n):
            return i
        if in_class(low, "carrier") or in_class(low, "relational"):
            after = _link(m, n + 1)
            if after is None and in_class(low, "carrier") and m.low(n + 1) in ("and", "or") and m.low(n + 2):
                after = _link(m, n + 3) if in_class(m.low(n + 2), "carrier", "relational") else None
            if after is None:
                continue
            if in_class(low, "carrier") or _names(m, after):
                return after
            return i
    return i


def _link(m: Message, i: int) -> int | None:
    """Return where the words behind a linking expression begin, or None when there is no such expression."""
    if i + 1 >= len(m.words) or closes(m.gap(i)) or m.words[i].quote:
        return None
    low, after = m.low(i), m.low(i + 1)
    if low == "such" and after == "as":
        return i + 2
    if low in ("specifically", "directly", "specially"):
        return _link(m, i + 1)
    if (low in _ADJECTIVAL or in_class(low, "light_participle") or low == "done") and in_class(after, "link"):
        return i + 2
    if (
        low in ("that", "which")
        and after in ("are", "is", "were", "was")
        and in_class(m.low(i + 2), "light_participle", "link")
    ):
        return _link(m, i + 2)
    if in_class(low, "light_participle") and low.endswith("ing"):
        return i + 1
    return i + 1 if in_class(low, "link") and low not in ("at", "through", "during") else None


def _names(m: Message, i: int) -> bool:
    """Whether a name, a quote or a number follows, determiners and nouns of its kind aside."""
    for n in range(i, min(i + 8, len(m.words))):
        if m.words[n].quote or m.words[n].capital:
            return True
        if closes(m.gap(n + 1), m.low(n)) or in_class(m.low(n), "stop"):
            return False
    return False


def _repeats(m: Message, n: int, start: int) -> bool:
    """Whether a noun repeats what is asked for ("novels …, but not novels about war")."""
    own = bases(m.low(n), english=True)
    first = m.words[start].sentence
    return any(
        m.words[k].sentence == first and not own.isdisjoint(bases(m.low(k), english=True))
        for k in range(max(0, start - _AGAIN), max(0, start - 1))
        if len(m.low(k)) > 3
    )
