"""What every embedded engine does with a request: the same tests over each."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from turnkeeper.errors import InputError
from turnkeeper.retrieval import Retriever, TantivyRetriever
from turnkeeper.signatures.types import Passage

from ..timing import assert_ratio
from .conftest import PASSAGES, asked

Ids = Callable[..., list[str]]
DESKS = {"desk-1", "desk-2", "desk-3"}


def test_an_engine_is_a_retriever(library: TantivyRetriever) -> None:
    assert isinstance(library, Retriever)
    assert len(library) == len(PASSAGES)


def test_a_passage_comes_back_as_it_went_in_with_a_score(library: TantivyRetriever) -> None:
    (found,) = library.search(asked("trestles"))
    assert found.score is not None and found.score > 0
    assert found.model_copy(update={"score": None}) == PASSAGES[1]


def test_the_best_comes_first_and_k_is_kept(library: TantivyRetriever) -> None:
    found = library.search(asked("walnut", "motor", "top", k=2))
    assert found[0].doc_id == "desk-3" and len(found) == 2
    scores = [passage.score or 0 for passage in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("phrase", "doc_id"),
    [
        ("trestle", "desk-2"),
        ("LIFTED", "desk-3"),
        ("cafe", "lamp-1"),
        ("odland", "lamp-1"),
        ("tromso", "lamp-1"),
        ("Lodz", "lamp-1"),
        ("抹茶", "tea-1"),
        ("京都", "tea-1"),
        ("adr 016", "desk-3"),
        ("ADR-016", "desk-3"),
        ("c++", "code-1"),
        ("C#", "code-1"),
    ],
)
def test_words_are_found_in_other_spellings(ids: Ids, phrase: str, doc_id: str) -> None:
    assert ids(phrase)[:1] == [doc_id]


def test_a_quoted_phrase_must_stand_as_it_is(ids: Ids) -> None:
    assert ids("desk", must=["writing desk"]) == ["desk-1"]
    assert ids("desk", must=["desk writing"]) == []


def test_a_term_of_less_weight_counts_less(library: TantivyRetriever) -> None:
    query = {"should": [{"phrase": "trestles", "weight": 0.2}, {"phrase": "motor"}]}
    assert [p.doc_id for p in library.search(asked().model_validate({"query": query}))] == ["desk-3", "desk-2"]
    query = {"should": [{"phrase": "trestles"}, {"phrase": "motor", "weight": 0.2}]}
    assert [p.doc_id for p in library.search(asked().model_validate({"query": query}))] == ["desk-2", "desk-3"]


def test_an_excluded_phrase_ranks_lower_and_is_left_out_when_asked(ids: Ids) -> None:
    assert ids("walnut", "cable")[0] == "desk-1"
    assert set(ids("walnut", must_not=["drawers"])) == DESKS
    assert ids("walnut", must_not=["drawers"])[0] == "desk-3"
    assert ids("walnut", must_not=["drawers"], exclusion_mode="filter") == ["desk-3"]
    assert ids("walnut", must_not=["cable", "motor"], exclusion_mode="filter") == ["desk-2"]


def test_a_passage_that_names_an_exclusion_keeps_a_part_of_its_score(engine: type[TantivyRetriever]) -> None:
    whole, half, none = (
        {p.doc_id: p.score or 0.0 for p in each.search(asked("cable", "motor", must_not=["drawer"]))}
        for each in (filled(engine(demotion=1.0)), filled(engine()), filled(engine(demotion=0.0)))
    )
    assert half["desk-1"] == pytest.approx(whole["desk-1"] / 2)
    assert none["desk-1"] == 0.0
    assert whole["desk-3"] == half["desk-3"] == none["desk-3"]


def test_demotion_is_a_factor(engine: type[TantivyRetriever]) -> None:
    with pytest.raises(InputError, match=r"factor from 0 to 1, not 1\.5"):
        engine(demotion=1.5)


def test_demotion_does_not_stop_at_the_first_k(engine: type[TantivyRetriever]) -> None:
    loud = [Passage(doc_id=f"loud-{n}", text="oak oak oak oak drawers") for n in range(40)]
    quiet = Passage(
        doc_id="quiet", text="oak and a long tail of other words that make it rank low, far below all others"
    )
    made = engine(demotion=0.1)
    made.add([*loud, quiet])
    assert made.search(asked("oak", must_not=["drawer"], k=1))[0].doc_id == "quiet"


def test_a_request_that_only_rules_out_finds_the_rest(ids: Ids) -> None:
    assert set(ids(must_not=["walnut"], exclusion_mode="filter")) == {"lamp-1", "tea-1", "code-1"}
    assert set(ids(must_not=["walnut"])) == {passage.doc_id for passage in PASSAGES}
    assert set(ids(filters=[{"field": "region", "op": "eq", "value": "ost"}])) == {"tea-1", "code-1"}


@pytest.mark.parametrize("text", ["", "   ", "???", "-", '"', "\0"])
def test_a_request_without_a_word_finds_nothing(ids: Ids, text: str) -> None:
    assert ids(text) == []
    assert ids(text, context=text, scope={"region": "nord"}) == []


def test_a_value_of_a_field_is_ruled_out_whatever_the_mode_and_its_case(ids: Ids) -> None:
    assert "desk-2" not in ids("walnut", must_not=[{"phrase": "ilse brandt", "field": "maker"}])
    assert set(ids("walnut", must_not=[{"phrase": "Brandt", "field": "maker"}])) == DESKS
    assert set(ids("walnut", must_not=[{"phrase": "2031", "field": "year"}])) == {"desk-2", "desk-3"}
    assert ids("walnut", must=[{"phrase": "office", "field": "tags"}]) == ["desk-1"]
    assert ids("walnut", must=[{"phrase": "offic", "field": "tags"}]) == []


def test_a_value_of_a_field_can_add_to_the_score(ids: Ids) -> None:
    assert ids("walnut", {"phrase": "sued", "field": "region", "weight": 50})[0] == "desk-3"  # type: ignore[arg-type]
    assert ids("walnut", {"phrase": "office", "field": "tags", "weight": 50})[0] == "desk-1"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "op", "value", "found"),
    [
        ("year", "eq", 2031, {"desk-1"}),
        ("year", "eq", "2031", set()),
        ("year", "ne", 2031, {"desk-2", "desk-3"}),
        ("year", "in", [2029, 2030], {"desk-2", "desk-3"}),
        ("year", "not_in", [2029, 2030], {"desk-1"}),
        ("year", "lt", 2030, {"desk-2"}),
        ("year", "le", 2030, {"desk-2", "desk-3"}),
        ("year", "gt", 2030, {"desk-1"}),
        ("year", "ge", 2029.5, {"desk-1", "desk-3"}),
        ("price", "lt", 249.6, {"desk-1", "desk-2"}),
        ("price", "eq", 610.0, {"desk-3"}),
        ("price", "ge", -1, DESKS),
        ("date", "ge", "2030-01-01", {"desk-3"}),
        ("date", "lt", "2030-04-02", set()),
        ("date", "ne", "2030-04-02", {"desk-1", "desk-2"}),
        ("sold", "eq", True, {"desk-1"}),
        ("sold", "ne", True, {"desk-2", "desk-3"}),
        ("sold", "eq", "true", set()),
        ("tags", "eq", "wood", {"desk-1", "desk-2"}),
        ("tags", "not_in", ["office", "steel"], {"desk-2", "desk-3"}),
        ("region", "in", [], set()),
        ("region", "not_in", [], DESKS),
        ("doc_id", "in", ["desk-2", "desk-9"], {"desk-2"}),
        ("doc_ids", "ne", "desk-2", {"desk-1", "desk-3"}),
        ("nowhere", "eq", "x", set()),
        ("nowhere", "ne", "x", DESKS),
    ],
)
def test_a_filter_holds_as_given(ids: Ids, field: str, op: str, value: Any, found: set[str]) -> None:
    one = [{"field": field, "op": op, "value": value}]
    assert set(ids("walnut", filters=one)) == found
    assert set(ids("nothing", context="walnut", filters=one)) == found


def test_filters_of_query_and_request_both_hold(library: TantivyRetriever) -> None:
    cheap, new = {"field": "price", "op": "lt", "value": 300}, {"field": "year", "op": "gt", "value": 2029}
    both = {"query": {"should": [{"phrase": "walnut"}], "filters": [cheap]}, "filters": [new]}
    assert [p.doc_id for p in library.search(asked().model_validate(both))] == ["desk-1"]


@pytest.mark.parametrize(
    ("op", "value"),
    [
        ("lt", True),
        ("ge", [1]),
        ("eq", ["a"]),
        ("lt", float("nan")),
        ("gt", 1 << 70),
        ("eq", float("nan")),
        ("in", [float("inf")]),
    ],
)
def test_a_filter_that_cannot_be_meant_is_an_error(ids: Ids, op: str, value: Any) -> None:
    with pytest.raises(InputError, match="filter on `year`"):
        ids("walnut", filters=[{"field": "year", "op": op, "value": value}])


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        ({"region": "nord"}, {"desk-1", "desk-2"}),
        ({"region": ["nord", "sued"]}, DESKS),
        ({"region": ["nord"], "doc_ids": ["desk-2", "desk-3"]}, {"desk-2"}),
        ({"doc_ids": ["desk-3"]}, {"desk-3"}),
        ({"clearance": 2}, {"desk-3"}),
        ({"clearance": ["2"]}, {"desk-3"}),
        ({"sold": True}, {"desk-1"}),
        ({"tags": ["office"]}, {"desk-1"}),
        ({"region": []}, set()),
        ({"region": "*"}, set()),
        ({"region": "Nord"}, set()),
        ({"tenant": "quill"}, set()),
        ({}, DESKS),
    ],
)
def test_a_scope_binds_every_leg(ids: Ids, scope: dict[str, Any], found: set[str]) -> None:
    assert set(ids("walnut", scope=scope)) == found
    assert set(ids("nothing", context="walnut desk", scope=scope)) == found
    assert set(ids(must_not=["lamp", "抹茶", "books"], exclusion_mode="filter", scope=scope)) == found
    assert set(ids("walnut", must_not=["drawer"], scope=scope)) == found


def test_a_document_cannot_name_itself_into_a_scope(engine: type[TantivyRetriever]) -> None:
    made = engine()
    made.add([Passage(doc_id="theirs", text="walnut", metadata={"doc_ids": ["ours"], "doc_id": "ours"})])
    assert made.search(asked("walnut", scope={"doc_ids": ["ours"]})) == ()


def test_a_restricted_term_is_neither_searched_for_nor_shown(ids: Ids) -> None:
    scope = {"allowed": {}, "restricted_terms": ["trestles", "Harrow"]}
    assert ids("trestles", context="Trestles Harrow", scope=scope) == []
    assert ids("walnut", scope=scope) == ["desk-3"]
    assert ids("walnut", must=["trestles"], scope=scope) == ["desk-3"]
    assert ids("walnut", must_not=["trestles top"], exclusion_mode="filter", scope=scope) == ["desk-3"]


def test_hidden_passages_do_not_use_up_the_answer(engine: type[TantivyRetriever]) -> None:
    made = engine()
    made.add(Passage(doc_id=f"hidden-{n}", text="oak oak oak, by Ferranti") for n in range(90))
    made.add([Passage(doc_id="open", text="some oak, among many other woods that are sold here by the metre")])
    found = made.search(asked("oak", k=3, scope={"allowed": {}, "restricted_terms": ["Ferranti"]}))
    assert [passage.doc_id for passage in found] == ["open"]


def test_the_context_helps_to_rank_and_no_more(ids: Ids) -> None:
    assert ids("walnut", context="the one with a motor")[0] == "desk-3"
    assert ids("trestles", context="motor lifts")[0] == "desk-2"
    assert ids("trestles", context="motor", context_weight=0.0) == ["desk-2"]


def test_the_context_is_stripped_of_exclusions(library: TantivyRetriever, ids: Ids) -> None:
    assert ids("nothing", context="drawers", must_not=["drawer"]) == []
    plain = library.search(asked("walnut", must_not=["drawer"]))
    assert library.search(asked("walnut", context="Drawers!", must_not=["drawer"])) == plain


def test_a_document_is_deleted_whole_and_replaced_whole(library: TantivyRetriever, ids: Ids) -> None:
    library.add([Passage(doc_id="desk-1", text="A second walnut piece of the same document.")])
    assert sorted(ids("walnut")) == ["desk-1", "desk-1", "desk-2", "desk-3"]
    library.add(
        [Passage(doc_id="desk-1", text="walnut again"), Passage(doc_id="desk-1", text="and again")], replace=True
    )
    assert sorted(ids("walnut", "again")) == ["desk-1", "desk-1", "desk-2", "desk-3"]
    library.delete(["desk-1", "unknown"])
    assert set(ids("walnut", "again")) == {"desk-2", "desk-3"}
    assert len(library) == len(PASSAGES) - 1


def test_a_failed_addition_leaves_nothing(library: TantivyRetriever, ids: Ids) -> None:
    def broken() -> Any:
        yield Passage(doc_id="new", text="zebrano")
        yield Passage(doc_id="bad", text="zebrano", metadata={"handle": object()})

    with pytest.raises(InputError, match="document 'bad'"):
        library.add(broken())
    assert ids("zebrano") == []
    assert library.add([Passage(doc_id="new", text="zebrano")]) == 1
    assert ids("zebrano") == ["new"]


def test_half_a_surrogate_pair_is_stored_and_searched(engine: type[TantivyRetriever]) -> None:
    made = engine()
    made.add([Passage(doc_id="a", title="\ud83d", text="walnut \udc00", metadata={"k\ud800": "\udfff", "z": "a\0b"})])
    assert [p.doc_id for p in made.search(asked("walnut \ud800", must_not=["\udfff"]))] == ["a"]
    assert made.search(asked("walnut", scope={"z": "a\0b"})) and not made.search(asked("walnut", scope={"z": "a"}))


def test_the_same_index_gives_the_same_order(engine: type[TantivyRetriever]) -> None:
    same = [Passage(doc_id=f"d{n:03}", text="walnut") for n in range(300)]
    first, second = filled(engine(), same), filled(engine(), same)
    assert (
        first.search(asked("walnut", k=50))
        == second.search(asked("walnut", k=50))
        == first.search(asked("walnut", k=50))
    )


def test_threads_search_while_one_writes(library: TantivyRetriever) -> None:
    with ThreadPoolExecutor(4) as pool:
        writes = pool.submit(lambda: [library.add([Passage(doc_id=f"n{n}", text="maple")]) for n in range(3)])
        found = list(pool.map(lambda _: len(library.search(asked("walnut"))), range(20)))
        writes.result()
    assert found == [3] * 20
    assert len(library.search(asked("maple"))) == 3


def test_scope_and_exclusions_cost_no_search_for_each_row(engine: type[TantivyRetriever]) -> None:
    made = filled(engine(), [Passage(doc_id=f"d{n}", text="walnut desk", metadata={"k": "a"}) for n in range(3_000)])
    plain, bound = asked("walnut desk"), asked("walnut desk", must_not=["oak", "elm"], scope={"k": "a"})
    assert len(made.search(bound)) == len(made.search(plain)) == 10
    clock = time.process_time  # an engine may search in threads of its own
    assert_ratio(lambda: made.search(bound), lambda: made.search(plain), factor=20, floor=0.1, clock=clock)


def filled(made: TantivyRetriever, passages: Any = PASSAGES) -> TantivyRetriever:
    made.add(passages)
    return made
