"""An application's own search function, and what it may do wrong."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.errors import RetrievalError, SetupError
from turnkeeper.retrieval import CallableRetriever, Retriever, SearchRequest
from turnkeeper.signatures.types import Passage

from .conftest import PASSAGES, asked


def test_the_function_gets_the_request_and_its_passages_come_back() -> None:
    seen: list[SearchRequest] = []
    retriever = CallableRetriever(lambda request: seen.append(request) or PASSAGES[:2])
    request = asked("walnut", filters=[{"field": "year", "op": "ge", "value": 2030}], k=5)
    assert retriever.search(request) == PASSAGES[:2]
    assert seen == [request]
    assert isinstance(retriever, Retriever)


def test_mappings_are_passages_and_none_is_an_empty_answer() -> None:
    assert CallableRetriever(lambda _: [{"doc_id": "a", "text": "t"}]).search(asked("t")) == (
        Passage(doc_id="a", text="t"),
    )
    assert CallableRetriever(lambda _: None).search(asked("t")) == ()


def test_k_is_kept() -> None:
    assert len(CallableRetriever(lambda _: iter(PASSAGES)).search(asked("t", k=2))) == 2


def test_the_scope_holds_whatever_the_function_returns() -> None:
    scope = {"allowed": {"region": ["nord"]}, "restricted_terms": ["trestles"]}
    found = CallableRetriever(lambda _: PASSAGES).search(asked("walnut", scope=scope))
    assert [passage.doc_id for passage in found] == ["desk-1"]


def test_a_function_may_answer_for_the_attributes_of_the_scope_and_not_for_restricted_terms() -> None:
    bare = [Passage(doc_id="a", text="A desk."), Passage(doc_id="b", text="A desk of the Ferranti works.")]
    scope = {"allowed": {"region": ["nord"]}, "restricted_terms": ["Ferranti"]}
    assert CallableRetriever(lambda _: bare).search(asked("desk", scope=scope)) == ()
    assert CallableRetriever(lambda _: bare, enforces_scope=True).search(asked("desk", scope=scope)) == (bare[0],)


def test_the_function_never_hears_of_restricted_terms_or_of_exclusions_in_the_context() -> None:
    seen: list[SearchRequest] = []
    scope = {"allowed": {}, "restricted_terms": ["Ferranti"]}
    request = asked(
        "ferranti's desk",
        "Ferranti",
        must_not=["drawers", "Ferranti oak"],
        context="Ferranti drawer in oak",
        scope=scope,
    )
    CallableRetriever(lambda r: seen.append(r)).search(request)
    query = seen[0].query
    assert [c.phrase.split() for c in query.should] == [["desk"]]
    assert [c.phrase for c in query.must_not] == ["drawers"]
    assert seen[0].context.split() == ["in", "oak"]


def test_an_excluded_value_of_a_field_is_left_out() -> None:
    request = asked("walnut", must_not=[{"phrase": "Ilse Brandt", "field": "maker"}])
    assert "desk-2" not in [p.doc_id for p in CallableRetriever(lambda _: PASSAGES).search(request)]


class UnshowableError(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError("no answer in 5 s"), r"raised TimeoutError: no answer in 5 s$"),
        (KeyError("hits"), "raised KeyError: 'hits'"),
        (RuntimeError("cannot reach http://elastic:hunter2hunter2@db:9200/"), r"http://elastic:\[secret\]@db:9200"),
        (UnshowableError(), r"raised UnshowableError: \(no message\)"),
        (RecursionError(), "raised RecursionError"),
    ],
)
def test_what_the_function_raises_is_a_retrieval_error_without_secrets(error: Exception, said: str) -> None:
    def broken(_: SearchRequest) -> Any:
        raise error

    with pytest.raises(RetrievalError, match=said) as caught:
        CallableRetriever(broken).search(asked("t"))
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert "hunter2" not in str(caught.value) and len(str(caught.value)) < 500


def test_an_error_while_results_are_read_is_one_too() -> None:
    def broken(_: SearchRequest) -> Any:
        yield PASSAGES[0]
        raise ConnectionError("gone")

    with pytest.raises(RetrievalError, match="ConnectionError: gone"):
        CallableRetriever(broken).search(asked("t"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([3], "result 0 is no passage but int"),
        ([PASSAGES[0], {"text": "t"}], "result 1: field `doc_id`"),
        ([{"doc_id": "a", "body": "t"}], "result 0: field `body`"),
        (7, "raised TypeError"),
    ],
)
def test_a_result_that_is_no_passage_is_named(rows: Any, said: str) -> None:
    with pytest.raises(RetrievalError, match=said):
        CallableRetriever(lambda _: rows).search(asked("t"))


def test_errors_of_turnkeeper_pass_and_an_interrupt_is_none_of_our_business() -> None:
    def ours(_: SearchRequest) -> Any:
        raise SetupError("start the index first")

    def stop(_: SearchRequest) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(SetupError, match="start the index first"):
        CallableRetriever(ours).search(asked("t"))
    with pytest.raises(KeyboardInterrupt):
        CallableRetriever(stop).search(asked("t"))
