"""After the search: drop, search once more, warn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from turnkeeper.errors import RetrievalError
from turnkeeper.metrics._contradictions import Contradiction
from turnkeeper.retrieval import CallableRetriever, SearchRequest, TantivyRetriever, search_verified
from turnkeeper.signatures.expand import Clause
from turnkeeper.signatures.types import Exclusion, Passage

from .conftest import asked

DRAWERS = (Exclusion(phrase="drawers", aliases=("chest",)),)


class Shelf:
    """A retriever with one answer a call; it remembers what it was asked."""

    def __init__(self, *answers: Sequence[Passage]) -> None:
        self.answers, self.asked = list(answers), list[SearchRequest]()

    def search(self, request: SearchRequest) -> Sequence[Passage]:
        self.asked.append(request)
        return self.answers.pop(0)


def passage(doc_id: str, text: str = "") -> Passage:
    return Passage(doc_id=doc_id, text=text or ("with drawers" if doc_id.startswith("bad") else "a desk"))


def naming(passages: Sequence[Passage], exclusions: Sequence[Exclusion]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(doc_id=p.doc_id, phrase=e.phrase, span=e.phrase)
        for p in passages
        for e in exclusions
        if f"with {e.phrase}" in p.text
    )


def ids(passages: Sequence[Passage]) -> list[str]:
    return [passage.doc_id for passage in passages]


def test_clean_passages_need_one_search() -> None:
    shelf = Shelf([passage("a"), passage("b")])
    found = search_verified(shelf, asked("desk", k=2), DRAWERS, naming)
    assert ids(found.passages) == ["a", "b"]
    assert (found.dropped, found.requeried, found.warnings) == ((), False, ())


def test_a_contradicting_passage_is_dropped_and_its_place_filled() -> None:
    shelf = Shelf([passage("bad"), passage("a")], [passage("a"), passage("b"), passage("c")])
    found = search_verified(shelf, asked("desk", k=2), DRAWERS, naming)
    assert ids(found.passages) == ["a", "b"]
    assert ids(found.dropped) == ["bad"] and found.requeried and not found.warnings


def test_the_second_search_is_stricter_and_asks_for_more() -> None:
    shelf = Shelf([passage("bad")], [])
    request = asked("desk", must_not=["drawers"], k=3, scope={"region": "nord"}, context="oak")
    found = search_verified(shelf, request, DRAWERS, naming)
    first, second = shelf.asked
    assert [c.phrase for c in first.query.must_not] == [] and first.k > request.k
    assert first.model_copy(update={"k": 3, "query": request.query}) == request
    assert second.exclusion_mode == "filter" and second.k > request.k
    assert [c.phrase for c in second.query.must_not] == ["drawers", "chest"]
    same = {"exclusion_mode": "demote", "k": 3, "query": request.query}
    assert second.model_copy(update=same) == request
    assert found.passages == () and ids(found.dropped) == ["bad"]


def test_enough_clean_passages_need_no_second_search() -> None:
    shelf = Shelf([passage("bad"), passage("a"), passage("b"), passage("c")])
    found = search_verified(shelf, asked("desk", k=2), DRAWERS, naming)
    assert ids(found.passages) == ["a", "b"] and ids(found.dropped) == ["bad"] and not found.requeried


def test_the_context_of_the_first_search_names_nothing_excluded() -> None:
    shelf = Shelf([passage("a"), passage("b"), passage("c")])
    request = asked("desk", must_not=["drawers"], k=2, context="an oak desk with a drawer or a chest")
    search_verified(shelf, request, DRAWERS, naming)
    assert "drawer" not in shelf.asked[0].context and "chest" not in shelf.asked[0].context
    assert "oak desk" in shelf.asked[0].context


def test_what_the_check_does_not_know_of_stays_in_the_first_search() -> None:
    shelf = Shelf([passage("a")], [])
    search_verified(shelf, asked("desk", must_not=["drawers", "glass"]), DRAWERS, naming)
    assert [c.phrase for c in shelf.asked[0].query.must_not] == ["glass"]


def test_filter_mode_and_fields_keep_their_exclusions_in_the_first_search() -> None:
    hard = asked("desk", must_not=["drawers"]).model_copy(update={"exclusion_mode": "filter"})
    field = Clause(phrase="nord", field="region")
    soft = asked("desk", must_not=["drawers"])
    soft = soft.model_copy(update={"query": soft.query.model_copy(update={"must_not": (*soft.query.must_not, field)})})
    for request, kept in ((hard, ["drawers"]), (soft, ["nord"])):
        shelf = Shelf([passage("a")])
        search_verified(shelf, request, DRAWERS, naming)
        assert [c.phrase for c in shelf.asked[0].query.must_not] == kept


def test_what_still_contradicts_comes_last_with_a_warning() -> None:
    shelf = Shelf([passage("bad-1"), passage("a")], [passage("bad-1"), passage("bad-2"), passage("b")])
    found = search_verified(shelf, asked("desk", k=3), DRAWERS, naming)
    assert ids(found.passages) == ["a", "b", "bad-1"]
    assert ids(found.dropped) == ["bad-2"]
    (warning,) = found.warnings
    assert warning.code == "contradicting_passage"
    assert "'bad-1'" in warning.message and "'drawers'" in warning.message


def test_clean_passages_leave_no_room_for_others() -> None:
    shelf = Shelf([passage("bad-1"), passage("a")], [passage("bad-1"), passage("b"), passage("c")])
    found = search_verified(shelf, asked("desk", k=2), DRAWERS, naming)
    assert ids(found.passages) == ["a", "b"] and ids(found.dropped) == ["bad-1"] and not found.warnings


def test_revoked_exclusions_are_free() -> None:
    shelf = Shelf([passage("bad")])
    found = search_verified(shelf, asked("desk"), (Exclusion(phrase="drawers", status="revoked"),), naming)
    assert ids(found.passages) == ["bad"] and not found.requeried


def test_of_one_document_only_the_contradicting_passage_goes() -> None:
    both = [passage("desk", "comes with drawers"), passage("desk", "made of oak")]
    shelf = Shelf(both, both[1:])
    found = search_verified(shelf, asked("desk"), DRAWERS, naming)
    assert found.passages == (both[1],) and found.dropped == (both[0],)


def test_a_passage_returned_twice_counts_once() -> None:
    shelf = Shelf([passage("a"), passage("a"), passage("b")])
    assert ids(search_verified(shelf, asked("desk"), DRAWERS, naming).passages) == ["a", "b"]


def test_a_retriever_that_raises_is_a_retrieval_error() -> None:
    class Broken:
        def search(self, request: SearchRequest) -> Any:
            raise OSError("password=hunter2hunter2 refused")

    with pytest.raises(RetrievalError, match="raised OSError") as caught:
        search_verified(Broken(), asked("desk"), DRAWERS, naming)
    assert "hunter2" not in str(caught.value)


def test_with_the_check_of_the_library_and_an_index() -> None:
    index = TantivyRetriever()
    index.add(
        [
            Passage(doc_id="with", title="Desk", text="An oak desk, an oak top; it has three drawers."),
            Passage(doc_id="without", title="Desk", text="An oak desk that comes without drawers."),
            Passage(doc_id="silent", title="Desk", text="A desk of pine and oak on steel legs."),
        ]
    )
    found = search_verified(index, asked("oak", "desk", must_not=["drawers"]), DRAWERS)
    assert set(ids(found.passages)) == {"without", "silent"}
    assert ids(found.dropped) == ["with"] and found.requeried


def test_a_function_of_the_application_is_verified_alike() -> None:
    retriever = CallableRetriever(lambda request: [{"doc_id": "bad", "text": "with drawers"}, {"doc_id": "a"}])
    assert ids(search_verified(retriever, asked("desk", k=1), DRAWERS, naming).passages) == ["a"]
