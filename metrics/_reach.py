"""Phrases that reach beyond what a scope permits: "all regions", "outside nord", "region Falken"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ._spelling import spelling
from ._text import Token, is_known, lemmas, tokenize

_BEYOND = re.compile(
    r"\b(?:everywhere else|anywhere else|every ?(?:body|one) else|all (?:the )?others"
    r"|regardless of (?:access|permissions?|rights|clearance)|without (?:any )?(?:access )?restrictions?"
    r"|outside (?:of )?(?:my|our) [\w-]{1,40})\b"
)
# These reach beyond a scope only when the scope is about places or parts of an organisation.
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|across the (?:board|whole (?:company|organi[sz]ation))|worldwide|globally"
    r"|(?:the|our) (?:whole|entire) (?:company|organi[sz]ation|enterprise|business|group|country|world)"
    r"|(?:company|organi[sz]ation|enterprise|group|world|nation|country)[- ]wide)\b"
)
_PLACES = frozenset(
    "region site country location city office branch plant area market state zone store department team unit".split()
)
_OTHERS = r"(?:all (?:of )?(?:the )?other|every other|each other|any other|the other|other|another|someone else'?s?)"
_QUANTIFIER = rf"(?:{_OTHERS}|all(?: of)?(?: the)?|every(?: single)?|each)"
GENERIC = frozenset(
    (
        "tenant client customer account user employee colleague department division branch subsidiary region site "
        "project team office company organisation organization workspace group unit role"
    ).split()
)
# Before one of the scope's own nouns more words widen, in any of the languages that share the noun ("régions").
_WIDENERS = frozenset(
    "all any each every both either neither another other others remaining various several multiple different further "
    "additional tous toutes chaque autres todas todos cada otras otros alle allen jede jeden jeder andere anderen "
    "tutte tutti ogni altre altri outras outros andra wszystkie".split()
)
_OF_ONE = frozenset("any each every either neither another other chaque cada jede jeden jeder ogni".split())
_BETWEEN = frozenset(
    "of the our these those les las los der die den das le la el il gli i as os two three four five six seven eight "
    "nine ten".split()
)
_STOPS = frozenset(
    "in on at for from by with and or but to is are was were be do does did has have had can than my your a an his her "
    "which what who when where how that en de des du dans por para von mit und et y".split()
)
_FROM_NOUN = 5  # words before the noun in which a quantifier is looked for
_EXCEPT = re.compile(
    r"\b(?:outside|beyond|(?:other|rather|more) than|except(?: for)?|excluding|besides|apart from|aside from|but not"
    r"|not (?:just|only))\s+(?:of\s+)?(?:the\s+)?"
)
HOLDERS = frozenset({"tenant", "workspace", "subsidiary"})
_LISTED = frozenset({"and", "or", "und", "et", "y", "e", "oder", "ou", "o"})
_SENTENCE_WORDS = frozenset(
    "what which who where when how why is are do does can show list the my our in of for and it that this".split()
)


def reaching(text: str, low: str, nouns: AbstractSet[str], values: set[str]) -> list[str]:
    """Return the phrases that reach for more than the scope's own nouns permit.

    Args:
        text: The text, without invisible characters.
        low: The same, folded.
        nouns: The nouns of the scope's attributes.
        values: The permitted values of attributes that are places or holders of data, folded.
    """
    found = widening(low, nouns) + _widened(tokenize(text), nouns, values) + _around(low, values)
    return list(dict.fromkeys(found + (_everywhere(low) if nouns & _PLACES else [])))


def bordered(nouns: AbstractSet[str]) -> bool:
    """Whether one of the nouns is a place or a holder of data, something that one can be outside of."""
    return not nouns.isdisjoint(_PLACES | HOLDERS | {"project"})


def widening(text: str, nouns: AbstractSet[str]) -> list[str]:
    """Return the phrases of a folded text that reach for more than one value: "all regions", "another tenant"."""
    found = [m.group() for m in _BEYOND.finditer(text)]
    for match in re.finditer(rf"\b{_QUANTIFIER}\s+([\w-]{{1,40}})", text):
        if lemmas(match.group(1)) & nouns:
            found.append(match.group())
    return [" ".join(phrase.split()) for phrase in found]


def _widened(tokens: Sequence[Token], nouns: AbstractSet[str], values: set[str]) -> list[str]:
    """Return phrases that reach for further values of the scope's own nouns, or around a permitted one.

    "all four regions", "any of our regions", "toutes les régions"; "regions other than nord".
    """
    found = []
    for n, token in enumerate(tokens):
        if not is_noun(token, nouns):
            continue
        first = _quantifier(tokens, n)
        if first is not None:
            found.append(" ".join(t.low for t in tokens[first : n + 1]))
        after = " ".join(t.low for t in tokens[n + 1 : n + 8])
        around = _EXCEPT.match(after)
        if around and _begins_with(after[around.end() :], values):
            found.append(f"{token.low} {around.group()}".strip())
    return found


def _quantifier(tokens: Sequence[Token], noun: int) -> int | None:
    """Return the index of the first quantifier before a noun: "all four big regions", "each and every region"."""
    first, described = None, False
    for n in range(noun - 1, max(-1, noun - 1 - _FROM_NOUN), -1):
        low = tokens[n].low
        if low in _WIDENERS:
            if described and low not in _OF_ONE and not tokens[noun].low.endswith(("s", "en")):
                break  # "all staff region" is one region
            first = n
        elif first is not None and low == "and":
            continue
        elif first is not None or low in _STOPS or (described and low not in _BETWEEN and noun - n > 2):
            break
        elif low not in _BETWEEN and not low.isdigit():
            if tokens[n + 1].low == "of":
                break  # "any rule of the region"
            described = True
    return first


def _around(low: str, values: set[str]) -> list[str]:
    """Return phrases that reach around a permitted value without its noun: "outside nord"."""
    if not values:
        return []
    return [
        " ".join(m.group().split()) for m in _EXCEPT.finditer(low) if _begins_with(low[m.end() : m.end() + 200], values)
    ]


def _begins_with(text: str, values: set[str]) -> bool:
    words = [t.low.removesuffix("'s") for t in tokenize(text)[:8]]
    return any(" ".join(words[:n]) in values for n in range(1, len(words) + 1))


def is_noun(token: Token, nouns: AbstractSet[str]) -> bool:
    """Whether a word is one of the scope's nouns, or a form of it in another language ("Regionen", "régions")."""
    if lemmas(token.low) & nouns:
        return True
    low = token.low if token.low.isascii() else spelling(token.low).text
    return bool(lemmas(low) & nouns) or any(
        len(noun) > 4 and low.startswith(noun) and low[len(noun) :] in ("en", "es", "i", "er") for noun in nouns
    )


def foreign_values(text: str, nouns: AbstractSet[str], allowed: set[str]) -> list[str]:
    """Return named values of an attribute that are not allowed: "region Falken", "the Falken region", "regions A, B".

    Args:
        text: The text, case as written.
        nouns: The nouns of the scope's attributes.
        allowed: The words of the permitted values, folded.
    """
    tokens = tokenize(text)
    found: list[Token] = []
    for n, token in enumerate(tokens):
        if not is_noun(token, nouns):
            continue
        beside = tokens[max(0, n - 1) : n]
        for k in range(n + 1, len(tokens)):
            if tokens[k].low not in _LISTED and tokens[k].low.removesuffix("'s") not in allowed:
                if not _is_name(tokens[k], after_noun=k == n + 1):
                    break
                beside.append(tokens[k])
        found += [
            t
            for t in beside
            if t.low.removesuffix("'s") not in allowed and _is_name(t, after_noun=t.start > token.start)
        ]
    return list(dict.fromkeys(t.text for t in found))


def _is_name(token: Token, *, after_noun: bool) -> bool:
    """Whether a word beside an attribute's noun is a name: a capital inside the text, or no word of the dictionary."""
    low = token.low.removesuffix("'s")
    if len(low) < 2 or low in _SENTENCE_WORDS or low in _WIDENERS or low in _STOPS:
        return False
    capital = token.text[0].isupper()
    if capital and token.start > 0:
        return True
    # "region sud", "Sud region": without a telling capital only a word that English does not know is a name.
    return (capital or after_noun) and low.isalpha() and low.isascii() and not is_known(low)


def _everywhere(low: str) -> list[str]:
    return [" ".join(m.group().split()) for m in _EVERYWHERE.finditer(low)]


def of_others(text: str) -> list[str]:
    """Return what belongs to somebody else: "another customer's", "other employees'"."""
    found = (match for match in re.finditer(rf"\b{_OTHERS}\s+([\w-]{{1,40}}?)(?:'s|s')(?!\w)", text))
    return [m.group() for m in found if lemmas(m.group(1)) & GENERIC]
