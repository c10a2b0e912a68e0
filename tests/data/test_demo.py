"""The shipped guide and the talk over it: each debt can be checked without a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from turnkeeper.data.demo import SCOPE, DemoStep, Expectations, corpus, failures, row, talk
from turnkeeper.metrics._turn_kind import turn_kind
from turnkeeper.metrics.cite import check
from turnkeeper.metrics.expand import detect
from turnkeeper.metrics.reformulate import check as check_rewrite
from turnkeeper.retrieval import Fts5Retriever, SearchRequest
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.expand import BooleanQuery, Clause
from turnkeeper.signatures.types import CitationRegistry, Exclusion, Passage, Turn

ASKED = [step for step in talk() if step.user]


def ids(wanted: Any) -> tuple[str, ...]:
    return wanted or ()


def there_by(step: DemoStep) -> list[Passage]:
    """The passages that are in the pool when a step comes."""
    steps = list(talk())
    later = {one.doc_id for one in steps[steps.index(step) :] if one.event == "add_doc"}
    return [passage for passage in corpus() if passage.doc_id not in later]


def search(step: DemoStep, query: str, k: int = 5) -> list[str]:
    index = Fts5Retriever()
    index.add(there_by(step))
    words = tuple(Clause(phrase=word) for word in query.rstrip("?").split())
    found = index.search(SearchRequest(query=BooleanQuery(should=words), scope=SCOPE, k=k))
    return [passage.doc_id for passage in found]


def test_the_guide_has_46_short_passages_with_an_audience() -> None:
    passages = corpus()
    assert len(passages) == 46 and len({p.doc_id for p in passages}) == 46
    assert Counter(p.metadata["audience"] for p in passages) == {"public": 43, "staff": 3}
    assert all(p.title and 30 <= len(p.text) <= 200 for p in passages)
    assert passages[0].doc_id == "HIRE-1" and passages[-1].doc_id == "STAFF-3"


def test_the_talk_has_twelve_turns_and_shows_each_debt() -> None:
    assert len(ASKED) == 12 and len(talk()) == 14
    shown = " ".join(step.shows for step in talk())
    for debt in ("Reference", "verb", "Topic shift", "Exclusion", "taken back", "Citation", "Open question", "Scope"):
        assert debt in shown
    assert Counter(step.kind for step in ASKED) == {"question": 10, "about_ledger": 1, "about_answer": 1}


def test_what_is_expected_names_documents_that_there_are() -> None:
    known = {p.doc_id for p in corpus()}
    for step in ASKED:
        expect = step.expect or Expectations()
        assert {*ids(expect.cites_all), *ids(expect.not_cites), *ids(expect.reused_citations)} <= known


def test_it_is_a_row_of_run_conversation() -> None:
    found = row()
    assert len(found.passages) == 46 and len(found.turns) == 14 and found.access_scope == SCOPE


@pytest.mark.parametrize("number", range(12))
def test_each_turn_is_of_its_kind(number: int) -> None:
    step = ASKED[number]
    history, pending = [], list[str]()
    for before in ASKED[:number]:
        history += [
            Turn(role="user", content=before.user or ""),
            Turn(role="assistant", content=before.answer or "All right."),
        ]
        pending = [*ids(before.expect and before.expect.ledger_open_contains)] or pending
    assert turn_kind(step.user or "", history=history, pending=pending).kind == step.kind


@pytest.mark.parametrize("step", [s for s in ASKED if s.kind == "question"], ids=lambda step: step.user)
def test_a_good_query_finds_what_is_to_be_cited_and_nothing_hidden(step: DemoStep) -> None:
    found = search(step, step.standalone)
    wanted = {*ids(step.expect and step.expect.cites_all)} - {"HIRE-9"}
    assert wanted <= set(found)
    assert not any(doc_id.startswith("STAFF") for doc_id in found)


def test_the_open_question_finds_its_document_as_soon_as_it_is_there() -> None:
    asked, after = ASKED[3], ASKED[7]
    assert "HIRE-9" not in search(asked, asked.standalone, k=20)
    assert "HIRE-9" in search(after, asked.standalone, k=3)


def test_exclusions_are_set_carried_and_taken_back_by_the_words_alone() -> None:
    state: list[Exclusion] = []
    for step in ASKED:
        state = list(detect([], step.user or "", None, state).exclusions)
        if step.expect and step.expect.negation_constraints is not None:
            active = tuple(one.phrase for one in state if one.status == "active")
            assert active == step.expect.negation_constraints, step.user


def test_good_answers_pass_the_checks_and_meet_what_is_expected() -> None:
    titles = {p.doc_id: p for p in corpus()}
    registry = CitationRegistry(convention="source_tag")
    for step in ASKED:
        if step.kind != "question" or step.answer == ABSTENTION:
            continue
        cited = [doc_id for doc_id in titles if f"[Source: {doc_id}]" in step.answer]
        listed = "\n".join(f"- {doc_id}: {titles[doc_id].title}" for doc_id in cited)
        prediction = {"answer": f"{step.answer}\n\nSources:\n{listed}"}
        context = [titles[doc_id] for doc_id in cited]
        found = check(registry=registry, context=context, question=step.standalone, prediction=prediction)
        assert found == [], step.user
        assert {*ids(step.expect and step.expect.cites_all)} - {"HIRE-9"} <= set(cited)


def test_good_rewrites_pass_the_checks() -> None:
    history: list[Turn] = []
    for step in ASKED:
        if step.kind == "question":
            prediction = {"standalone_query": step.standalone}
            found = check_rewrite(history=history, query=step.user or "", prediction=prediction, access_scope=SCOPE)
            assert found == [], step.user
        history.append(Turn(role="user", content=step.user or ""))
        history.append(Turn(role="assistant", content=step.answer or "All right."))


TRACE = {
    "standalone_query": "How much does the Heron cost a day?", "answer": "34 euros [Source: HIRE-3].",
    "cited": ["HIRE-3"], "new_citations": ["HIRE-3"], "reused_citations": [], "open_questions": [],
    "negation_constraints": [], "status": "ANSWERED", "warnings": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({}, None),
        ({"standalone_query": "How much does the second one cost a day?"}, "standalone_contains"),
        ({"answer": "5 euros [Source: HIRE-3]."}, "answer_contains_all"),
        ({"cited": ["HIRE-3", "STAFF-2"]}, "not_cites"),
        ({"cited": []}, "cites_all"),
        ({"status": "UNANSWERED"}, "status"),
    ],
)
def test_a_trace_is_held_against_what_is_expected(changed: dict[str, Any], broken: str | None) -> None:
    found = failures(ASKED[1], {**TRACE, **changed})
    assert (not found) if broken is None else any(one.startswith(broken) for one in found)


@pytest.mark.parametrize(
    ("expect", "trace", "holds"),
    [
        ({"ledger_open_contains": ("Why?",)}, {"open_questions": [{"question": "Why?"}]}, True),
        ({"ledger_open_count": 0}, {"open_questions": [{"question": "Why?"}]}, False),
        ({"negation_constraints": ("fish",)}, {}, False),
        ({"negation_constraints": ()}, {}, True),
        ({"cites_none": True}, {}, False),
        ({"new_citations_count": 0}, {}, False),
        ({"reused_citations": ("HIRE-3",)}, {"reused_citations": ["HIRE-3"]}, True),
        ({"warns": ("permission_boundary",)}, {"warnings": [{"code": "permission_boundary", "message": ""}]}, True),
        ({"standalone_equals_user": True}, {}, False),
        ({"answer_not_contains": ("34",)}, {}, False),
        ({"standalone_contains_any": ("otter", "heron")}, {}, True),
    ],
)
def test_each_expectation_can_hold_and_break(expect: dict[str, Any], trace: dict[str, Any], holds: bool) -> None:
    step = DemoStep(shows="", user="And how much?", expect=Expectations(**expect))
    assert (failures(step, {**TRACE, **trace}) == []) is holds
