"""One small library for all engines, and the engines by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from turnkeeper.retrieval import Fts5Retriever, SearchRequest, TantivyRetriever
from turnkeeper.signatures.types import Passage

Search = Callable[..., list[str]]

PASSAGES = (
    Passage(
        doc_id="desk-1",
        title="Harrow writing desk",
        text="A walnut desk with three drawers and a cable tray.",
        metadata={"region": "nord", "year": 2031, "price": 249.5, "tags": ["wood", "office"], "sold": True},
    ),
    Passage(
        doc_id="desk-2",
        title="Plain desk",
        text="A walnut desk on trestles; it comes without a drawer.",
        metadata={
            "region": "nord",
            "year": 2029,
            "price": 120,
            "tags": ["wood"],
            "sold": False,
            "maker": "Ilse Brandt",
        },
    ),
    Passage(
        doc_id="desk-3",
        title="Standing desk",
        text="The walnut top lifts by motor. Quote part ADR-016 when you order a spare.",
        metadata={"region": "sued", "year": 2030, "price": 610, "date": "2030-04-02", "clearance": 2},
    ),
    Passage(doc_id="lamp-1", title="Lampe", text="Ein Café-Licht für Ödland, Tromsø und Łódź."),
    Passage(doc_id="tea-1", title="京都のお茶", text="宇治の抹茶と煎茶を売る店。", metadata={"region": "ost"}),
    Passage(doc_id="code-1", title="Reading list", text="Books on C++ and C#, none on C.", metadata={"region": "ost"}),
)


@pytest.fixture(params=[TantivyRetriever, Fts5Retriever], ids=["tantivy", "fts5"])
def engine(request: pytest.FixtureRequest) -> type[TantivyRetriever] | type[Fts5Retriever]:
    """The class of an embedded engine."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def library(engine: type[TantivyRetriever]) -> TantivyRetriever:
    """An engine that holds `PASSAGES`."""
    made = engine()
    made.add(PASSAGES)
    return made


@pytest.fixture
def ids(library: TantivyRetriever) -> Search:
    """`ids("walnut", must_not=["drawer"], k=3)`: the documents found, the best first."""

    def search(*should: str, **given: Any) -> list[str]:
        return [passage.doc_id for passage in library.search(asked(*should, **given))]

    return search


def asked(*should: str, must: Any = (), must_not: Any = (), **given: Any) -> SearchRequest:
    """A request of plain phrases, or of mappings for clauses on fields."""
    clauses = {"should": should, "must": must, "must_not": must_not}
    query = {name: [c if isinstance(c, dict) else {"phrase": c} for c in found] for name, found in clauses.items()}
    return SearchRequest.model_validate({"query": query, **given})
