"""Whatever stands in a request, nothing raises, and no clause changes what another one means."""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.retrieval import (
    Fts5Retriever,
    TantivyRetriever,
    to_elasticsearch,
    to_fts5,
    to_qdrant,
    to_tantivy,
)
from turnkeeper.retrieval._analysis import words

from .conftest import PASSAGES, asked

HOSTILE = (
    *('"', "'", "-", "+", "--", "(", ")", "((", ":", "*", "^", "^2", "~", "/", "\\", '\\"', "[", "]}", "{", "!", "&&"),
    *(" AND ", " OR ", " NOT ", "NEAR(a b, 2)", " IN [x]", "TO", "title:", "facts:*", "text : ", "* TO *", "\0", "\n"),
    *(
        ";",
        "');--",
        "%",
        "_",
        "?",
        "{{",
        "$",
        "ADR-016",
        "-drawers",
        "l'œuf",
        "東京",
        "ไทย",
        "한국",
        "e\u0301",
        "\u200d",
    ),
    *("walnut", "drawer", "\ud800", "\U0001f469\u200d\U0001f680", "\ufdfa", "½", "ß", "İ", "x" * 70_000),
)
texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=12), min_size=1, max_size=6).map("".join)
names = st.none() | texts
clauses = st.lists(st.builds(dict, phrase=texts, field=names, weight=st.floats()), max_size=3)
values = st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False, allow_infinity=False)
filters = st.builds(dict, field=texts, op=st.sampled_from(["eq", "ne"]), value=texts | values)
encodable = texts.map(lambda text: text.replace("\ud800", ""))
scopes = st.none() | st.builds(
    dict,
    allowed=st.dictionaries(encodable.filter(lambda t: "llow" not in t and "estrict" not in t), st.lists(encodable)),
    restricted_terms=st.just([]),
)
requests = st.builds(
    asked,
    must=clauses,
    must_not=clauses,
    context=texts,
    scope=scopes,
    filters=st.lists(filters, max_size=2),
    exclusion_mode=st.sampled_from(["demote", "filter"]),
)
some = settings(max_examples=80, deadline=None)


@cache
def engines() -> tuple[TantivyRetriever, Fts5Retriever]:
    made = TantivyRetriever(), Fts5Retriever()
    for engine in made:
        engine.add(PASSAGES)
    return made


def found(request: Any) -> list[set[str]]:
    return [{passage.doc_id for passage in engine.search(request)} for engine in engines()]


@given(request=requests)
@some
def test_no_request_raises_in_an_engine(request: Any) -> None:
    for engine in engines():
        assert len(engine.search(request)) <= len(PASSAGES)


@given(request=requests)
@some
def test_every_exporter_takes_every_request(request: Any) -> None:
    assert all(json.dumps(export(request), allow_nan=False) for export in (to_elasticsearch, to_qdrant))
    for query in (to_tantivy(request), to_fts5(request).match):
        left = "".join(query.split('"')[::2])  # what stands outside quotes is ours
        assert set(left) <= set("abcdefghijklmnopqrstuvwxyz0123456789:+-*^.() []{}ANDORTI"), left
        assert query.count('"') % 2 == 0


@given(text=texts)
@some
def test_words_beside_a_must_take_nothing_from_it(text: str) -> None:
    plain = found(asked(must=["walnut"]))
    assert found(asked(text, must=["walnut"])) == plain == [{"desk-1", "desk-2", "desk-3"}] * 2
    assert found(asked(must=["walnut"], context=text)) == plain


@given(text=texts)
@some
def test_an_excluded_phrase_is_its_words_and_nothing_else(text: str) -> None:
    left = found(asked("walnut", must_not=[text], exclusion_mode="filter"))
    assert left == found(asked("walnut", must_not=[" ".join(words(text))], exclusion_mode="filter"))
    if not {word[:2] for word in words(text)} & {
        word[:2] for word in words(PASSAGES[0].title + " " + PASSAGES[0].text)
    }:
        assert all("desk-1" in ids for ids in left)


@given(text=texts, field=texts)
@some
def test_no_text_reaches_beyond_the_scope(text: str, field: str) -> None:
    request = asked(text, {"phrase": text, "field": field}, context=text, scope={"region": "nord"})  # type: ignore[arg-type]
    assert all(ids <= {"desk-1", "desk-2"} for ids in found(request))


@given(field=texts, value=texts, other=texts)
@settings(max_examples=40, deadline=None)
def test_a_value_is_found_by_itself_and_by_nothing_else(field: str, value: str, other: str) -> None:
    field, value, other = (t.replace("\ud800", "") for t in (field, value, other))
    for engine in (TantivyRetriever(), Fts5Retriever()):
        engine.add([PASSAGES[0].model_copy(update={"metadata": {field: value}})])
        for given_, there in ((value, True), (other, other == value)):
            one = [{"field": field, "op": "eq", "value": given_}]
            expected = there or field in ("doc_id", "doc_ids")
            assert bool(engine.search(asked("walnut", filters=one))) == expected


@given(text=texts, must_not=texts)
@some
def test_the_match_string_runs_on_any_table(text: str, must_not: str) -> None:
    match = to_fts5(asked(text, must_not=[must_not]), "filter").match
    rows = table().execute("SELECT rowid FROM notes WHERE notes MATCH ?", (match,)).fetchall() if match else []
    assert len(rows) <= 1


@pytest.mark.parametrize("excluded", ["filter", "ignore", "only"])
def test_the_three_readings_of_an_exclusion(excluded: Any) -> None:
    expected = {"filter": {"desk-3"}, "ignore": {"desk-1", "desk-2", "desk-3"}, "only": {"desk-1", "desk-2"}}
    query = to_fts5(asked("walnut", must_not=["drawer"]), excluded)
    tantivy, fts5 = engines()
    parsed = tantivy._index.parse_query(to_tantivy(asked("walnut", must_not=["drawer"]), excluded), ["title", "text"])
    assert len(tantivy._index.searcher().search(parsed, 10).hits) == len(expected[excluded])
    rows = fts5._db.execute(query.sql, (*query.parameters, 10, 0)).fetchall()
    assert {PASSAGES[row - 1].doc_id for row, _ in rows} == expected[excluded]


@cache
def table() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE notes USING fts5 (body)")
    database.execute("INSERT INTO notes VALUES ('a walnut desk')")
    return database
