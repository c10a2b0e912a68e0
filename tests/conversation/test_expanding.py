"""An LM is asked for more words to search for where the query's own do not find enough, and nowhere else."""

from __future__ import annotations

import pytest

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
    """A retriever of this process that keeps what it was asked, and fails at some searches."""

    in_process = True

    def __init__(self, *found: Passage, fails: tuple[int, ...] = ()) -> None:
        self.found, self.requests, self.fails = found, list[SearchRequest](), fails

    def search(self, request: SearchRequest) -> list[Passage]:
        """Find the same whatever is asked."""
        self.requests.append(request)
        if len(self.requests) in self.fails:
            raise RetrievalError("down")
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
    make(retriever=_Searches(*LAKE)).turn("s", "Which rowing boats cost 14 euros an hour?")
    assert reader.steps() == ["expand", "cite"]


def test_given_passages_are_found_whatever_words_are_added(make: Make, reader: Reader) -> None:
    told = make(searching=SearchSettings(always_expand=True)).turn("s", FEE, passages=LAKE)
    assert reader.steps() == ["cite"]
    assert (told.cited, told.lm_calls) == (("LAKE-1",), 1)


def test_without_a_retriever_no_words_are_asked_for(make: Make, reader: Reader) -> None:
    assert "no_retriever" in codes(make().turn("s", FEE))
    assert reader.steps() == []


@pytest.mark.parametrize("context", [None, DomainContext(glossary={"rowing boat": ["skiff"]})])
def test_a_search_that_failed_is_made_once_and_asks_no_lm(
    context: DomainContext | None, make: Make, reader: Reader
) -> None:
    searches = _Searches(*LAKE, fails=(1, 2))
    told = make(retriever=searches, domain_context=context).turn("s", FEE)
    assert (len(searches.requests), reader.steps()) == (1, [])
    assert "retrieval_failed" in codes(told)


def test_where_the_second_search_fails_the_first_is_used(make: Make, reader: Reader) -> None:
    reader.terms = ("price",)
    told = make(retriever=_Searches(*LAKE, fails=(2,))).turn("s", FEE)
    assert (told.status, told.cited, told.expansion_terms) == ("ANSWERED", ("LAKE-1",), ())
    assert "retrieval_failed" in codes(told)


def test_a_retriever_elsewhere_is_searched_once_with_the_words_of_the_lm(make: Make, reader: Reader) -> None:
    reader.terms = ("price",)
    asked: list[SearchRequest] = []

    def search(request: SearchRequest) -> list[Passage]:
        asked.append(request)
        return list(LAKE)

    make(retriever=search).turn("s", ASK_HIRE)
    assert reader.steps() == ["expand", "cite"]
    assert [[clause.phrase for clause in one.query.should] for one in asked] == [[ASK_HIRE, "price"]]


def test_blanks_make_no_other_search(make: Make, reader: Reader) -> None:
    searches = _Searches(*LAKE)
    make(retriever=searches).turn("s", "How much does  a rowing boat\ncost?")
    assert len(searches.requests) == 1


def test_the_first_search_has_the_same_context_as_the_second(make: Make, reader: Reader) -> None:
    reader.terms = ("price",)
    searches = _Searches(*LAKE)
    talk = make(retriever=searches, scrub=lambda text: text.replace("sauna", "[X]"))
    talk.turn("s", "How many guests does the shore sauna seat?")
    before = len(searches.requests)
    talk.turn("s", FEE)
    assert [one.context for one in searches.requests[before:]] == ["How many guests does the shore sauna seat?"] * 2


def test_synonyms_of_the_domain_are_searched_without_an_lm(make: Make, reader: Reader) -> None:
    searches = _Searches(*LAKE)
    context = DomainContext(glossary={"rowing boat": ["skiff"]})
    told = make(retriever=searches, domain_context=context).turn("s", ASK_HIRE)
    assert reader.steps() == ["cite"]
    assert (told.expansion_terms, searches.words()[-1]) == (("skiff",), [ASK_HIRE, "skiff"])


def test_what_is_ruled_out_holds_in_the_search_that_is_enough(make: Make, reader: Reader) -> None:
    told = make(retriever=_Searches(LOUD, CALM)).turn("s", "How many does a canoe seat, without an engine?")
    assert told.negation_constraints == ("engine",)
    assert reader.steps()[:1] == ["cite"]


def test_a_passage_that_asserts_what_is_ruled_out_is_not_enough(make: Make, reader: Reader) -> None:
    reader.terms = ("rental",)
    loud = Passage(doc_id="LAKE-9", title="Hire", text="A canoe with an engine is for hire at the north pier.")
    make(retriever=_Searches(loud, HOURS)).turn("s", "Where is a canoe for hire at the north pier, without engine?")
    assert reader.steps()[0] == "expand"


def test_a_form_that_asks_for_what_is_ruled_out_is_asked_all_the_same(make: Make, reader: Reader) -> None:
    guard = load("expand", lm=lm_of(reader), program="zero-shot", form="exclusions")
    make(retriever=_Searches(*LAKE), expand=guard).turn("s", ASK_HIRE)
    assert len(reader.steps()) == 2
