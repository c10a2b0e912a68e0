"""Searching for a turn: the question itself, and again for every question that is still open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ..metrics.expand import without_exclusions
from ..retrieval import CallableRetriever, Retriever, SearchRequest, Verified, search_verified
from ..retrieval.request import MAX_TEXT, ExclusionMode
from ..signatures.expand import BooleanQuery, Clause
from ..signatures.types import AccessScope, Exclusion, MetadataFilter, OpenQuestion, Passage


class _Search:
    def __repr__(self) -> str:
        return "SEARCH"


SEARCH: Final = _Search()
"""In place of a turn's passages: ask the retriever."""


class SearchSettings(NamedTuple):
    """How a conversation searches.

    Attributes:
        k: Passages that a question is answered from.
        k_open: Passages that each open question is held against.
        context_weight: What a word of the previous user question counts, where one of the query counts 1.
        exclusion_mode: See `SearchRequest`.
        always_expand: Whether an LM is asked for more words in each turn that searches. By default not where a first
            search by the query's own words singles a passage out; that is made in indexes of this process alone (see
            `Retriever`).
    """

    k: int = 4
    k_open: int = 2
    context_weight: float = 0.3
    exclusion_mode: ExclusionMode = "demote"
    always_expand: bool = False


def request_of(
    query: BooleanQuery | str,
    *,
    settings: SearchSettings,
    scope: AccessScope | None,
    filters: Sequence[MetadataFilter] = (),
    exclusions: Sequence[Exclusion] = (),
    context: str = "",
) -> SearchRequest:
    """Return the search of a turn; a plain text becomes a query of its words, with the exclusions as `must_not`."""
    if isinstance(query, str):
        names = [(name, e.field) for e in exclusions if e.status == "active" for name in (e.phrase, *e.aliases)]
        query = BooleanQuery(
            should=(Clause(phrase=query[: MAX_TEXT // 4]),),
            must_not=tuple(Clause(phrase=name, field=field) for name, field in dict.fromkeys(names)),
        )
    # Expand has put the application's filters into its query already; twice is no harm, and without it they still hold.
    return SearchRequest(
        query=query,
        context=context[: MAX_TEXT // 4],
        context_weight=settings.context_weight,
        scope=scope,
        filters=tuple(filters),
        k=settings.k,
        exclusion_mode=settings.exclusion_mode,
    )


def request_again(
    question: OpenQuestion, *, settings: SearchSettings, scope: AccessScope | None, filters: Sequence[MetadataFilter]
) -> SearchRequest:
    """Return the search for an open question: its own words and exclusions, under the scope of today."""
    asked = question.standalone_query or question.question
    text = without_exclusions(asked, question.exclusions) or asked
    made = request_of(text, settings=settings, scope=scope, filters=filters, exclusions=question.exclusions)
    return made.model_copy(update={"k": settings.k_open})


def search(retriever: Retriever, request: SearchRequest, exclusions: Sequence[Exclusion]) -> Verified:
    """Search, and drop what asserts something excluded. Raises `RetrievalError`."""
    found = search_verified(retriever, request, exclusions)
    clean = without_contradicting(found)
    if not isinstance(retriever, Given) or not clean.passages:
        return found
    # A stricter search finds no others among the same passages; without one that is clean, a warning is all there is.
    return clean._replace(warnings=())


def without_contradicting(found: Verified) -> Verified:
    """Return what was found with the passages that still contradict, which stand last, among those dropped."""
    clean = len(found.passages) - len(found.warnings)
    return found._replace(passages=found.passages[:clean], dropped=(*found.dropped, *found.passages[clean:]))


class Given(CallableRetriever):
    """Finds these passages in this order, whatever it is asked, within the scope."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        found = tuple(passages)
        super().__init__(lambda request: found)


def as_retriever(retriever: Any) -> Retriever | None:
    """Return the retriever of an application: one of ours, or a function of a `SearchRequest`."""
    if retriever is None or isinstance(retriever, Retriever):
        return retriever
    return CallableRetriever(retriever)
