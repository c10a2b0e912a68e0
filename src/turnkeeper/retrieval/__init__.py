"""Retrieval: one request for every engine, two embedded engines, exporters, and a check of what comes back."""

from ._fts5_query import Fts5Query, to_fts5
from ._tantivy_query import to_tantivy
from .callable_retriever import CallableRetriever
from .elasticsearch import to_elasticsearch
from .fts5_retriever import Fts5Retriever
from .passages import read_passages
from .qdrant import to_qdrant
from .request import Retriever, SearchRequest
from .tantivy_retriever import TantivyRetriever
from .verified import Verified, search_verified

__all__ = [
    "CallableRetriever",
    "Fts5Query",
    "Fts5Retriever",
    "Retriever",
    "SearchRequest",
    "TantivyRetriever",
    "Verified",
    "read_passages",
    "search_verified",
    "to_elasticsearch",
    "to_fts5",
    "to_qdrant",
    "to_tantivy",
]
