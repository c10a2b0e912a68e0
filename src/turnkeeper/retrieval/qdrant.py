"""The filter of a request for Qdrant; the vector part of the search is the application's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..signatures.types import MetadataFilter
from ._analysis import words
from ._conditions import conditions
from ._facts import ID_FIELDS
from ._stripping import stripped
from .request import SearchRequest

_RANGES = {"lt": "lt", "le": "lte", "gt": "gt", "ge": "gte"}


def to_qdrant(
    request: SearchRequest,
    *,
    text_fields: Sequence[str] = ("title", "text"),
    id_field: str = "doc_id",
    metadata: str = "metadata.",
) -> dict[str, Any]:
    """Return a `Filter` as JSON: scope, filters, clauses on fields, quoted phrases and restricted terms.

    Phrases need a full text index on the text fields (`phrase_matching` for those of several words). Excluded phrases
    on text are left out with `exclusion_mode="demote"`: a filter cannot rank lower, so `search_verified` has the word.
    Text ranges are dates, in the form that Qdrant reads (RFC 3339).

    Raises:
        InputError: A filter's value does not fit its operator.
    """
    conditions(request)  # for the error alone, as in `to_elasticsearch`
    restricted = request.scope.restricted_terms if request.scope else []
    request = stripped(request)

    def key(field: str) -> str:
        return id_field if field in ID_FIELDS else metadata + field

    def on_text(phrase: str) -> dict[str, Any]:
        kind = "text" if len(words(phrase)) == 1 else "phrase"
        return {"should": [{"key": field, "match": {kind: phrase}} for field in text_fields]}

    required = [_any_of(key(f), values) for f, values in (request.scope.allowed.items() if request.scope else ())]
    required += [_filter(key(f.field), f) for f in request.all_filters if f.op not in ("ne", "not_in")]
    forbidden = [_filter(key(f.field), f) for f in request.all_filters if f.op in ("ne", "not_in")]
    for clause in request.query.must:
        if clause.field is not None:
            required.append(_any_of(key(clause.field), [clause.phrase.strip()]))
        elif words(clause.phrase):
            required.append(on_text(clause.phrase))
    for clause in request.query.must_not:
        if clause.field is not None:
            forbidden.append(_any_of(key(clause.field), [clause.phrase.strip()]))
        elif words(clause.phrase) and request.exclusion_mode == "filter":
            forbidden.append(on_text(clause.phrase))
    forbidden += [on_text(term) for term in restricted]
    return {"must": required, "must_not": forbidden}


def _any_of(key: str, values: Sequence[str]) -> dict[str, Any]:
    """Return a condition on values written as text, which the payload may hold as integers or booleans."""
    tests: list[dict[str, Any]] = [{"key": key, "match": {"any": list(values)}}]
    numbers = [int(v) for v in values if v.lstrip("-").isascii() and v.lstrip("-").isdigit() and len(v) < 19]
    if numbers := [number for number in numbers if str(number) in values]:
        tests.append({"key": key, "match": {"any": numbers}})
    tests += [{"key": key, "match": {"value": v == "true"}} for v in ("true", "false") if v in values]
    return tests[0] if len(tests) == 1 else {"should": tests}


def _filter(key: str, given: MetadataFilter) -> dict[str, Any]:
    value = given.value
    if given.op in _RANGES:
        return {"key": key, "range": {_RANGES[given.op]: value}}
    values = value if isinstance(value, list) else [value]
    if any(isinstance(each, float) for each in values):  # Qdrant matches no floats
        return {"should": [{"key": key, "range": {"gte": each, "lte": each}} for each in values]}
    if given.op in ("eq", "ne"):
        return {"key": key, "match": {"value": value}}
    if any(isinstance(each, bool) for each in values):
        return {"should": [{"key": key, "match": {"value": each}} for each in values]}
    return {"key": key, "match": {"any": values}}
