"""A request as the JSON body of a search of Elasticsearch or OpenSearch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..signatures.expand import Clause
from ..signatures.types import MetadataFilter
from ._analysis import words
from ._conditions import conditions
from ._facts import ID_FIELDS
from ._plan import weight_of
from ._ranking import DEMOTION, demotion_of
from ._stripping import stripped
from .request import SearchRequest

_RANGES = {"lt": "lt", "le": "lte", "gt": "gt", "ge": "gte"}


def to_elasticsearch(
    request: SearchRequest,
    *,
    text_fields: Sequence[str] = ("title", "text"),
    id_field: str = "doc_id",
    metadata: str = "metadata.",
    demotion: float = DEMOTION,
) -> dict[str, Any]:
    """Return a body for `_search`: `match` and `term` queries only, which no engine parses for syntax.

    Metadata fields are expected as `keyword`, number, boolean or date. A passage without the field is not visible to a
    scope and not ruled out by an exclusion, as in the embedded engines. Restricted terms are ruled out as phrases; the
    engine's analysis is not turnkeeper's, so what comes back still goes through `CallableRetriever`.

    Args:
        request: What is searched for.
        text_fields: Analysed fields; weights in Lucene's form (`title^2`) are passed on.
        id_field: The field of the passage's own id.
        metadata: What stands before the name of a metadata field.
        demotion: What is left of the score of a passage that names something excluded.

    Raises:
        InputError: A filter's value does not fit its operator.
    """
    conditions(request)  # for the error alone: every engine refuses the same filters
    restricted = request.scope.restricted_terms if request.scope else []
    request = stripped(request)
    query, names = request.query, _Names(text_fields, id_field, metadata)
    excluded = [names.phrase(c.phrase) for c in query.must_not if c.field is None and words(c.phrase)]
    forbidden = [names.value(c) for c in query.must_not if c.field is not None]
    forbidden += [names.filter(f) for f in request.all_filters if f.op in ("ne", "not_in")]
    forbidden += [names.phrase(term) for term in restricted]
    required = [
        {"terms": {names.field(field): list(values)}}
        for field, values in (request.scope.allowed.items() if request.scope else ())
    ]
    required += [names.filter(f) for f in request.all_filters if f.op not in ("ne", "not_in")]
    required += [names.value(c) for c in query.must if c.field is not None]
    must = [names.phrase(c.phrase, c.weight) for c in query.must if c.field is None and words(c.phrase)]
    should = names.wanted(query.should)
    if request.context.strip() and request.context_weight > 0:
        context = names.match(request.context, request.context_weight)
        should.append(context)
    browse = not (must or names.wanted(query.should)) and bool(query.must_not or request.all_filters or required)
    body: dict[str, Any] = {"filter": required, "must_not": forbidden, "must": must, "should": should}
    if request.exclusion_mode == "filter":
        body["must_not"] = [*forbidden, *excluded]
    body = {"bool": {**body, "minimum_should_match": 0 if must or browse else 1}}
    if excluded and request.exclusion_mode == "demote":
        negative = {"bool": {"should": excluded, "minimum_should_match": 1}}
        body = {"boosting": {"positive": body, "negative": negative, "negative_boost": demotion_of(demotion)}}
    return {"size": request.k, "query": body}


class _Names:
    """How an index names its fields, and the queries over them."""

    def __init__(self, text_fields: Sequence[str], id_field: str, metadata: str) -> None:
        self._text, self._id, self._metadata = list(text_fields), id_field, metadata

    def field(self, name: str) -> str:
        return self._id if name in ID_FIELDS else self._metadata + name

    def match(self, text: str, weight: float) -> dict[str, Any]:
        return {"multi_match": {"query": text, "fields": self._text, "type": "most_fields", "boost": weight_of(weight)}}

    def phrase(self, text: str, weight: float = 1.0) -> dict[str, Any]:
        bare = [field.partition("^")[0] for field in self._text] if weight == 1.0 else self._text
        return {"multi_match": {"query": text, "fields": bare, "type": "phrase", "boost": weight_of(weight)}}

    def value(self, clause: Clause) -> dict[str, Any]:
        at = {"value": clause.phrase.strip(), "case_insensitive": True, "boost": weight_of(clause.weight)}
        return {"term": {self.field(clause.field or ""): at}}

    def wanted(self, clauses: Iterable[Clause]) -> list[dict[str, Any]]:
        return [
            self.match(clause.phrase, clause.weight) if clause.field is None else self.value(clause)
            for clause in clauses
            if (clause.field is not None or words(clause.phrase)) and weight_of(clause.weight)
        ]

    def filter(self, given: MetadataFilter) -> dict[str, Any]:
        field = self.field(given.field)
        if given.op in _RANGES:
            return {"range": {field: {_RANGES[given.op]: given.value}}}
        if given.op in ("in", "not_in"):
            return {"terms": {field: given.value if isinstance(given.value, list) else [given.value]}}
        return {"term": {field: {"value": given.value}}}
