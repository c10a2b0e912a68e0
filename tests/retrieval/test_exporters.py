"""Bodies for engines that are not run here: their structure."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.errors import InputError
from turnkeeper.retrieval import to_elasticsearch, to_qdrant

from .conftest import asked

SCOPE = {"allowed": {"region": ["nord", "ost"], "doc_ids": ["d1"]}, "restricted_terms": ["Ferranti"]}
FILTERS = [{"field": "year", "op": "ge", "value": 2030}, {"field": "tags", "op": "not_in", "value": ["old", "sold"]}]
VALUE = {"phrase": "Ilse Brandt", "field": "maker"}


def phrase(text: str, fields: tuple[str, ...] = ("title", "text"), boost: float = 1.0) -> dict[str, Any]:
    return {"multi_match": {"query": text, "fields": list(fields), "type": "phrase", "boost": boost}}


def test_elasticsearch_has_each_part_in_its_place() -> None:
    request = asked("oak", must=["writing desk"], must_not=["drawers", VALUE], scope=SCOPE, filters=FILTERS, k=7)
    body = to_elasticsearch(request)
    assert body["size"] == 7
    boosting = body["query"]["boosting"]
    assert boosting["negative"] == {"bool": {"should": [phrase("drawers")], "minimum_should_match": 1}}
    assert boosting["negative_boost"] == 0.5
    positive = boosting["positive"]["bool"]
    assert positive["must"] == [phrase("writing desk")]
    assert [each["multi_match"]["query"] for each in positive["should"]] == ["oak"]
    assert positive["minimum_should_match"] == 0
    assert positive["filter"] == [
        {"terms": {"metadata.region": ["nord", "ost"]}},
        {"terms": {"doc_id": ["d1"]}},
        {"range": {"metadata.year": {"gte": 2030}}},
    ]
    assert positive["must_not"] == [
        {"term": {"metadata.maker": {"value": "Ilse Brandt", "case_insensitive": True, "boost": 1.0}}},
        {"terms": {"metadata.tags": ["old", "sold"]}},
        phrase("Ferranti"),
    ]


def test_elasticsearch_rules_out_when_asked_and_never_with_a_list_as_one() -> None:
    query = to_elasticsearch(asked("desk", must_not=["drawers", "oak top"], exclusion_mode="filter"))["query"]
    assert query["bool"]["must_not"] == [phrase("drawers"), phrase("oak top")]
    assert query["bool"]["minimum_should_match"] == 1


def test_elasticsearch_takes_the_context_at_its_weight() -> None:
    should = to_elasticsearch(asked("desk", context="the oak one", context_weight=0.1))["query"]["bool"]["should"]
    assert [(each["multi_match"]["query"], each["multi_match"]["boost"]) for each in should] == [
        ("desk", 1.0),
        ("the oak one", 0.1),
    ]


def test_elasticsearch_finds_the_rest_when_a_request_only_rules_out() -> None:
    query = to_elasticsearch(asked(must_not=["drawers"], exclusion_mode="filter"))["query"]
    assert query["bool"]["minimum_should_match"] == 0 and query["bool"]["must"] == []


@pytest.mark.parametrize("text", ["C++ (beta)", 'say "no"', "a:b", "-staging", "NOT x", "*"])
def test_elasticsearch_never_uses_a_query_that_is_parsed(text: str) -> None:
    body = str(to_elasticsearch(asked(text, must=[text], must_not=[text], context=text)))
    assert "query_string" not in body and "regexp" not in body and "wildcard" not in body


def test_fields_have_the_names_of_the_index() -> None:
    body = to_elasticsearch(
        asked("oak", must=["desk"], scope=SCOPE), text_fields=("head^2", "body"), id_field="id", metadata=""
    )
    query = body["query"]["bool"]
    assert query["filter"] == [{"terms": {"region": ["nord", "ost"]}}, {"terms": {"id": ["d1"]}}]
    assert query["should"][0]["multi_match"]["fields"] == ["head^2", "body"]


def test_qdrant_has_each_part_in_its_place() -> None:
    both = to_qdrant(asked(must=["oak"], must_not=["top drawer", VALUE], scope=SCOPE, filters=FILTERS))
    assert both["must"] == [
        {"key": "metadata.region", "match": {"any": ["nord", "ost"]}},
        {"key": "doc_id", "match": {"any": ["d1"]}},
        {"key": "metadata.year", "range": {"gte": 2030}},
        {"should": [{"key": "title", "match": {"text": "oak"}}, {"key": "text", "match": {"text": "oak"}}]},
    ]
    assert both["must_not"] == [
        {"key": "metadata.tags", "match": {"any": ["old", "sold"]}},
        {"key": "metadata.maker", "match": {"any": ["Ilse Brandt"]}},
        {"should": [{"key": "title", "match": {"text": "Ferranti"}}, {"key": "text", "match": {"text": "Ferranti"}}]},
    ]


def test_qdrant_rules_phrases_out_when_asked() -> None:
    (test,) = to_qdrant(asked("desk", must_not=["top drawer"], exclusion_mode="filter"))["must_not"]
    assert test["should"][1] == {"key": "text", "match": {"phrase": "top drawer"}}


def test_qdrant_permits_numbers_that_a_scope_writes_as_text() -> None:
    (test,) = to_qdrant(asked("desk", scope={"level": [2, "x", True]}))["must"]
    assert test["should"] == [
        {"key": "metadata.level", "match": {"any": ["2", "x", "true"]}},
        {"key": "metadata.level", "match": {"any": [2]}},
        {"key": "metadata.level", "match": {"value": True}},
    ]


@pytest.mark.parametrize(
    ("op", "value", "test"),
    [
        ("eq", "a", {"match": {"value": "a"}}),
        ("eq", True, {"match": {"value": True}}),
        ("in", [1, 2], {"match": {"any": [1, 2]}}),
        ("lt", 2.5, {"range": {"lt": 2.5}}),
        ("le", "2031-01-01", {"range": {"lte": "2031-01-01"}}),
    ],
)
def test_qdrant_filters(op: str, value: Any, test: dict[str, Any]) -> None:
    assert to_qdrant(asked(filters=[{"field": "f", "op": op, "value": value}]))["must"] == [
        {"key": "metadata.f", **test}
    ]


def test_qdrant_compares_floats_by_range() -> None:
    (test,) = to_qdrant(asked(filters=[{"field": "f", "op": "eq", "value": 0.5}]))["must"]
    assert test == {"should": [{"key": "metadata.f", "range": {"gte": 0.5, "lte": 0.5}}]}


@pytest.mark.parametrize("export", [to_elasticsearch, to_qdrant])
def test_every_exporter_refuses_the_filters_that_engines_refuse(export: Any) -> None:
    with pytest.raises(InputError, match="filter on `year`"):
        export(asked(filters=[{"field": "year", "op": "lt", "value": [1]}]))
