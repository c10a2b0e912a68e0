"""The second step of a turn: words that are added to a search, where the query's own do not find enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..modules._expand_compose import boolean_query
from ..retrieval import Retriever, Verified
from ..sessions.state import SessionState
from ..signatures.expand import BooleanQuery, ExpandResult
from ..signatures.types import Notice, Turn
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

NOT_AGAIN = Notice(
    code="retrieval_failed",
    message="The search with added words failed; the turn has what the query's own words found.",
)


class _Tried(NamedTuple):
    """A search by the query's own words, what came of it, and whether that is enough."""

    query: BooleanQuery
    done: Done
    enough: bool


def expand(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    told: Sequence[Turn],
    read: Understood,
    tallied: Tallied,
) -> Flow[Understood]:
    """Return what is searched for; where the step is off or fails these are the query's own words.

    An LM of ours is asked only where its words can find something: not where the application passes the passages, nor
    where a search without them singles a passage out that has all words of the query. That search is made where it
    costs next to nothing, in an index of this process.

    Args:
        history: The session's, for searching.
        told: The same as prompts may tell it.
    """
    step = talk.steps.get("expand")
    if step is None or read.action == "clarify" or BOUNDARY in tallied.codes():  # off, or nothing is searched for
        return read
    inputs = {
        "history": list(told),
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
    searches = retriever is not None and not isinstance(retriever, Given)
    tried = None
    if retriever is not None and getattr(retriever, "in_process", False) and not settings.always_expand:
        tried = yield from _tried(retriever, settings, asked, history, read)
    needed = searches and (tried is None or not tried.enough)
    [done] = yield (step.work(**inputs, rules_only=not needed),)
    result = done.value if isinstance(done.value, ExpandResult) else None
    tallied.step(done, result)
    if result is not None:
        read = read._replace(boolean=result.boolean, terms=result.expansion_terms_added, exclusions=result.exclusions)
    if tried is None or retriever is None:
        return read
    return (yield from _searched(retriever, settings, asked, history, read, tried, tallied))


def _searched(
    retriever: Retriever,
    settings: SearchSettings,
    asked: Asked,
    history: Sequence[Turn],
    read: Understood,
    tried: _Tried,
    tallied: Tallied,
) -> Flow[Understood]:
    """Search again where words were added; return what is searched for with what was found."""
    if read.boolean in (None, tried.query) or not isinstance(tried.done.value, Verified):
        return read._replace(boolean=tried.query, searched=tried.done)  # other words do not mend a search that failed
    tallied.step(tried.done)
    [again] = yield (search_now(retriever, asked, history, read, settings),)
    if isinstance(again.value, Verified):
        return read._replace(searched=again)
    tallied.step(again._replace(error=None))
    tallied.warn([NOT_AGAIN])
    return read._replace(boolean=tried.query, terms=(), searched=tried.done)


def _tried(
    retriever: Retriever, settings: SearchSettings, asked: Asked, history: Sequence[Turn], read: Understood
) -> Flow[_Tried]:
    plain = " ".join(plain_query(read).split())
    query = boolean_query(plain, (), read.exclusions, asked.filters)
    [done] = yield (search_now(retriever, asked, history, read._replace(boolean=query), settings),)
    found = without_contradicting(done.value).passages if isinstance(done.value, Verified) else None
    return _Tried(query, done, found is None or enough(plain, found))
