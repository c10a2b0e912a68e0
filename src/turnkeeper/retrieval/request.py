"""What a search is asked, and what answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field, model_validator

from ..signatures.expand import BooleanQuery
from ..signatures.types import AccessScope, Frozen, MetadataFilter, Passage

MAX_K = 1_000
"""Passages that one search may ask for."""
MAX_TEXT = 1_000_000
"""Characters of all phrases and the context together that are accepted."""

ExclusionMode = Literal["demote", "filter"]


class SearchRequest(Frozen):
    """One search, the same for every engine.

    Attributes:
        query: What is wanted and what is not.
        context: Words of the conversation that may help to rank (the previous user question); a weak second leg.
        context_weight: What a word of the context counts, the query's own at 1.0. After a rewrite the standalone query
            holds what it needs of the history already, and 0 to 0.1 is enough.
        scope: What this user may see. It binds every leg.
        filters: The application's, beside those of the query.
        k: Passages wanted.
        exclusion_mode: What becomes of a passage whose text or title names something of `must_not`: ranked lower, since
            "has no drawers" names drawers too, or left out. A `must_not` clause on a metadata field always leaves out.
    """

    query: BooleanQuery = BooleanQuery()
    context: str = ""
    context_weight: float = Field(default=0.3, ge=0.0, le=1.0)
    scope: AccessScope | None = None
    filters: tuple[MetadataFilter, ...] = ()
    k: int = Field(default=10, ge=1, le=MAX_K)
    exclusion_mode: ExclusionMode = "demote"

    @model_validator(mode="after")
    def _bounded(self) -> SearchRequest:
        query = self.query
        size = len(self.context) + sum(len(c.phrase) for c in (*query.must, *query.should, *query.must_not))
        if size > MAX_TEXT:
            raise ValueError(f"query and context have {size} characters; at most {MAX_TEXT} are accepted")
        return self

    @property
    def all_filters(self) -> tuple[MetadataFilter, ...]:
        """The filters of the query and of the request; each must hold."""
        return (*self.query.filters, *self.filters)


@runtime_checkable
class Retriever(Protocol):
    """Whatever finds passages.

    An implementation returns at most `k` passages, the best first, their scores comparable within this answer only. An
    empty answer means that nothing was found; it is no error.

    It returns no passage outside `scope`, whichever leg found it: for every attribute of `scope.allowed` the passage's
    metadata must hold one of the permitted values, exactly ("*" is a value like any other), and a passage without the
    attribute is not visible. `doc_ids` means the passage's own id. It never searches for a restricted term, and returns
    no passage whose title or text names one. Each filter holds as given; `ne` and `not_in` let a passage without the
    field through. Phrases are words and never syntax: no text in them may raise or change what another clause means.

    It may raise: callers turn any exception into a `RetrievalError`, and a turn whose retrieval failed changes no
    state. It is called from several threads at once.

    One that has the attribute `in_process`, and it is true, says that a search costs next to nothing: a turn may then
    make one more to spare a call of an LM.
    """

    def search(self, request: SearchRequest) -> Sequence[Passage]:
        """Return the best passages for a request."""
        ...
