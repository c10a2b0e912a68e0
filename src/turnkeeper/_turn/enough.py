"""Whether a search by the query's own words found enough, so that no LM is asked for others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..metrics._content import Term
from ..metrics._language import identify
from ..metrics._ledger_words import Text, content
from ..metrics._text import fold
from ..signatures.types import Passage

_FEWEST = 2
_LONGEST = 2_000  # characters of a query
_LONGEST_WORD = 60
_READ = 20_000  # characters of a passage that are read
_SEVERAL = re.compile(
    r"\b(?:list|lists|which|all|every|each|any|other|others|compare|several|various|options|examples"
    r"|welche[nrsm]?|alle[nrs]?|jede[nrsm]?|andere[nrsm]?|liste|nenne|vergleiche"
    r"|quels|quelles|tous|toutes|chaque|autres|lister|compare[rz]"
    r"|cuáles|qué|todos|todas|cada|otros|otras|lista|compara"
    r"|quali|tutti|tutte|ogni|altri|altre|quais|outros|outras|welke|elk)\b"
    r"|\bwhat (?:\w+ )?(?:are|have|do|can)\b|\bwhat (?!(?:is|was|does|has)\b)\w+s\b"
    r"|\bwho are\b|\bname (?:the|all|some)\b"
)


def enough(query: str, passages: Iterable[Passage]) -> bool:
    """Whether a query asks for one thing, and of what was found the first passage alone has all its content words.

    In any inflection. The words then single a passage out; where several have them all, or the best has not, synonyms
    still change what is found. A query of a single word does not tell what it asks for, and words do not tell what a
    passage in another language says.
    """
    words, language = content(query), identify(query)
    if len(words) < _FEWEST or len(query) > _LONGEST or _SEVERAL.search(fold(query)):
        return False
    if any(len(word.key) > _LONGEST_WORD for word in words):  # a sentence in a script without spaces
        return False
    found = [*passages]
    if not found or not _has_all(found[0], words, language):
        return False
    return not any(_has_all(other, words, language) for other in found[1:])


def _has_all(passage: Passage, words: Iterable[Term], language: str | None) -> bool:
    spoken = identify(passage.text[:_READ])
    if language is not None and spoken is not None and spoken != language:
        return False
    text = Text([passage.title, passage.text[:_READ]])
    return all(text.touches(term, language) for term in words)
