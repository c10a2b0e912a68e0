"""What an expand of the application gave: its terms and query are taken, what the user ruled out is code's to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._leaks import same_phrase
from ..modules._expand_compose import boolean_query
from ..modules._masking import names_mask
from ..retrieval.request import MAX_TEXT
from ..signatures.expand import BooleanQuery, ExpandResult
from ..signatures.types import Exclusion, MetadataFilter

MOST_ADDED = 20
"""Exclusions that a callable may add in one turn."""
_LONGEST = 500  # characters of one of them


class Search(NamedTuple):
    """What is searched for, what was added to it, and the exclusions after this turn."""

    boolean: BooleanQuery
    terms: tuple[str, ...]
    exclusions: tuple[Exclusion, ...]


def as_search(
    result: ExpandResult, plain: str, read: Sequence[Exclusion], filters: Sequence[MetadataFilter] = ()
) -> Search:
    """Return a search of which every exclusion is a part, whatever the result left out.

    Args:
        result: Of the callable. Its query is taken where it searches for anything, else one is made of its terms.
        plain: The standalone query without what is ruled out.
        read: The exclusions after this turn as code reads the user's words: none of them is lost or taken back by a
            result, and what the user revoked stays so. Others are added.
        filters: The application's.
    """
    exclusions = (*read, *_added(result, read))
    terms = tuple(term for term in result.expansion_terms_added if term.strip())
    given = result.boolean
    if sum(len(c.phrase) for c in (*given.must, *given.should, *given.must_not)) + sum(map(len, terms)) > MAX_TEXT // 4:
        given, terms = BooleanQuery(), ()
    own = boolean_query(plain, terms, exclusions, filters)
    if not given.must and not given.should:
        return Search(own.model_copy(update={"filters": (*given.filters, *own.filters)}), terms, exclusions)
    must_not = tuple(dict.fromkeys((*given.must_not, *own.must_not)))
    return Search(given.model_copy(update={"must_not": must_not}), terms, exclusions)


def _added(result: ExpandResult, read: Sequence[Exclusion]) -> list[Exclusion]:
    """Return what a result rules out besides, each once."""
    added: list[Exclusion] = []
    for one in result.exclusions:
        known = any(same_phrase(one.phrase, other.phrase) and one.field == other.field for other in (*read, *added))
        usable = one.status == "active" and one.phrase.strip() and not names_mask(one.phrase)
        if usable and not known and len(one.phrase) <= _LONGEST and len(added) < MOST_ADDED:
            added.append(one)
    return added
