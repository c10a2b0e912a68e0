"""The second step of a turn: words that are added to a search, where the query's own do not find enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..modules._expand_compose import boolean_query
from ..retrieval import Retriever, Verified
from ..sessions.state import SessionState
from ..signatures.expand import BooleanQuery, ExpandResult
from ..signatures.types import Turn
from .asked import Asked
from .discreet import shown_exclusions
from .enough import enough
from .finding import retriever_of, search_now
from .foreign_search import as_search
from .search import Given, SearchSettings, without_contradicting
from .talk import Talk
from .tallied import Tallied
from .understand import BOUNDARY, Understood, plain_query
from .work import Done, Flow


class _Tried(NamedTuple):
    """A search by the query's own words, what came of it, and whether that is enough."""

    query: BooleanQuery
    done: Done
    enough: bool


def expand(
    talk: Talk, asked: Asked, state: SessionState, history: Sequence[Turn], read: Understood, tallied: Tallied
) -> Flow[Understood]:
    """Return what is searched for; where the step is off or fails these are the query's own words.

    An LM of ours is asked only where its words can find something: not where the application passes the passages, nor
    where a search without them singles a passage out that has all words of the query.
    """
    step = talk.steps.get("expand")
    if step is None or read.action == "clarify" or BOUNDARY in tallied.codes():  # off, or nothing is searched for
        return read
    inputs = {
        "history": list(history),
        "query": asked.query,
        "standalone_query": read.standalone,
        "domain_context": talk.domain_context,
        "exclusions": list(state.exclusions if step.own else shown_exclusions(state.exclusions, asked.scope)),
        "access_scope": asked.scope,
        "metadata_filters": list(asked.filters),
    }
    if not step.own:
        [done] = yield (step.work(**inputs),)
        given = done.value if isinstance(done.value, ExpandResult) else None
        tallied.step(done, given)
        if given is None:
            return read
        boolean, terms, exclusions = as_search(given, plain_query(read), read.exclusions, asked.filters)
        return read._replace(boolean=boolean, terms=terms, exclusions=exclusions)
    # The words of a query decide nothing where the passages are given.
    retriever, settings = (None, talk.searching) if asked.passages is None else retriever_of(talk, asked)
    if retriever is None or isinstance(retriever, Given):
        tried, needed = None, False
    elif settings.always_expand:
        tried, needed = None, True
    else:
        tried = yield from _tried(retriever, settings, asked, history, read)
        needed = not tried.enough
    [done] = yield (step.work(**inputs, rules_only=not needed),)
    result = done.value if isinstance(done.value, ExpandResult) else None
    tallied.step(done, result)
    if result is not None:
        read = read._replace(boolean=result.boolean, terms=result.expansion_terms_added, exclusions=result.exclusions)
    if tried is None:
        return read
    if read.boolean in (None, tried.query):
        return read._replace(boolean=tried.query, searched=tried.done)
    tallied.step(tried.done._replace(error=None))
    return read


def _tried(
    retriever: Retriever, settings: SearchSettings, asked: Asked, history: Sequence[Turn], read: Understood
) -> Flow[_Tried]:
    plain = plain_query(read)
    query = boolean_query(plain, (), read.exclusions, asked.filters)
    [done] = yield (search_now(retriever, asked, history, read._replace(boolean=query), settings),)
    # A search that failed is not mended by other words.
    found = without_contradicting(done.value).passages if isinstance(done.value, Verified) else None
    return _Tried(query, done, found is None or enough(plain, found))
