"""An LM is asked for more words to search for where the query's own do not find enough, and nowhere else."""

from __future__ import annotations

from typing import Any

from turnkeeper import load
from turnkeeper.conversation import SearchSettings
from turnkeeper.errors import RetrievalError
from turnkeeper.retrieval import SearchRequest
from turnkeeper.signatures.types import DomainContext, Passage

from .conftest import Make
from .reading import ASK_HIRE, HOURS, LAKE, Reader, codes, lm_of

LOUD = Passage(doc_id="BOAT-1", title="Speedboat", text="The speedboat has an engine and seats six.")
CALM = Passage(doc_id="BOAT-2", title="Canoe", text="The canoe has no engine and seats three.")
FEE = "What fee do visitors pay for a rowing boat?"


class _Searches:
    """A retriever that keeps what it was asked."""

    def __init__(self, *found: Passage) -> None:
        self.found, self.requests = found, list[SearchRequest]()

    def __call__(self, request: SearchRequest) -> list[Passage]:
        self.requests.append(request)
        return list(self.found)

    def words(self) -> list[list[str]]:
        """What was searched for, a list of phrases a search."""
        return [[clause.phrase for clause in request.query.should] for request in self.requests]


def test_a_passage_with_all_words_of_the_question_is_enough(make: Make, reader: Reader) -> None:
    reader.terms = ("price",)
    searches = _Searches(*LAKE)
    told = make(retriever=searches).turn("s", ASK_HIRE)
    assert reader.steps() == ["cite"]
    assert (told.expansion_terms, told.cited, searches.words()) == ((), ("LAKE-1",), [[ASK_HIRE]])
    assert [step.name for step in told.steps].count("retrieve") == 1


def test_where_words_are_missing_the_lm_is_asked_and_the_search_made_again(make: Make, reader: Reader) -> None:
    reader.terms = ("price",)
    searches = _Searches(*LAKE)
    told = make(retriever=searches).turn("s", FEE)
    assert reader.steps() == ["expand", "cite"]
    assert (told.expansion_terms, searches.words()) == (("price",), [[FEE], [FEE, "price"]])
    assert [step.name for step in told.steps].count("retrieve") == 2  # both cost time


def test_an_lm_that_adds_nothing_costs_no_second_search(make: Make, reader: Reader) -> None:
    searches = _Searches(*LAKE)
    make(retriever=searches).turn("s", FEE)
    assert reader.steps() == ["expand", "cite"]
    assert searches.words() == [[FEE]]


def test_a_question_for_several_things_asks_the_lm(make: Make, reader: Reader) -> None:
    make(retriever=lambda _: LAKE).turn("s", "Which rowing boats cost 14 euros an hour?")
    assert reader.steps() == ["expand", "cite"]


def test_given_passages_are_found_whatever_words_are_added(make: Make, reader: Reader) -> None:
    told = make(searching=SearchSettings(always_expand=True)).turn("s", FEE, passages=LAKE)
    assert reader.steps() == ["cite"]
    assert (told.cited, told.lm_calls) == (("LAKE-1",), 1)


def test_without_a_retriever_no_words_are_asked_for(make: Make, reader: Reader) -> None:
    assert "no_retriever" in codes(make().turn("s", FEE))
    assert reader.steps() == []


def test_a_search_that_failed_is_made_once_and_asks_no_lm(make: Make, reader: Reader) -> None:
    tries = []

    def fails(request: SearchRequest) -> Any:
        tries.append(request)
        raise RetrievalError("down")

    told = make(retriever=fails).turn("s", FEE)
    assert (len(tries), reader.steps()) == (1, [])
    assert "retrieval_failed" in codes(told)


def test_synonyms_of_the_domain_are_searched_without_an_lm(make: Make, reader: Reader) -> None:
    searches = _Searches(*LAKE)
    context = DomainContext(glossary={"rowing boat": ["skiff"]})
    told = make(retriever=searches, domain_context=context).turn("s", ASK_HIRE)
    assert reader.steps() == ["cite"]
    assert (told.expansion_terms, searches.words()[-1]) == (("skiff",), [ASK_HIRE, "skiff"])


def test_what_is_ruled_out_holds_in_the_search_that_is_enough(make: Make, reader: Reader) -> None:
    told = make(retriever=lambda _: [LOUD, CALM]).turn("s", "How many does a canoe seat, without an engine?")
    assert told.negation_constraints == ("engine",)
    assert reader.steps()[:1] == ["cite"]


def test_a_passage_that_asserts_what_is_ruled_out_is_not_enough(make: Make, reader: Reader) -> None:
    reader.terms = ("rental",)
    loud = Passage(doc_id="LAKE-9", title="Hire", text="A canoe with an engine is for hire at the north pier.")
    make(retriever=_Searches(loud, HOURS)).turn("s", "Where is a canoe for hire at the north pier, without engine?")
    assert reader.steps()[0] == "expand"


def test_a_form_that_asks_for_what_is_ruled_out_is_asked_all_the_same(make: Make, reader: Reader) -> None:
    guard = load("expand", lm=lm_of(reader), program="zero-shot", form="exclusions")
    make(retriever=lambda _: LAKE, expand=guard).turn("s", ASK_HIRE)
    assert len(reader.steps()) == 2
