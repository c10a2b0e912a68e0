"""The trace of the turns that `benchmarks/turn_latency.py` times: every debt is kept, and a lost one is named."""

from __future__ import annotations

import importlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.conversation import ConversationTurn
from turnkeeper.data import demo
from turnkeeper.signatures.types import Passage

from ..conversation.reading import Reader, lm_of
from ..scripted import prompt_of

CORPUS: dict[str, Passage] = {passage.doc_id: passage for passage in demo.corpus()}
ABOUT = {
    "which bikes": "HIRE-1", "heron cost": "HIRE-3", "range": "HIRE-4", "repairs": "HIRE-9", "serve lunch": "CAFE-1",
    "outside": "CAFE-4", "first ferry": "FERRY-1", "dinner": "CAFE-2", "otter cost": "HIRE-2",
}  # fmt: skip
"""What a question is about, and the document whose first sentence answers it."""
REFERENTS = {
    "the second one": "the Heron", "its": "the Heron", "it": "the Heron", "them": "Café Lyng and the Mill Café",
}  # fmt: skip


class Guide(Reader):
    """Reads the guide, and answers the plain call beside each turn."""

    def __init__(self, referents: dict[str, str]) -> None:
        facts = {about: CORPUS[name].text.split(". ")[0].rstrip(".") + "." for about, name in ABOUT.items()}
        super().__init__(facts, referents=referents)

    def __call__(self, request: Any) -> str:
        return super().__call__(request) if "Answer with one line of JSON" in prompt_of(request) else "Nothing."


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("turn_latency")


@pytest.fixture
def trace(bench: Any, monkeypatch: pytest.MonkeyPatch) -> list[ConversationTurn]:
    """The ten turns, as the benchmark takes them."""
    return played(bench, monkeypatch, Guide(REFERENTS))[1]


def played(bench: Any, monkeypatch: pytest.MonkeyPatch, reader: Guide) -> tuple[list[Any], list[ConversationTurn]]:
    turns: list[ConversationTurn] = []
    judge = importlib.import_module("_turn_debts").lost

    def kept(number: int, told: ConversationTurn, before: ConversationTurn | None) -> tuple[str, ...]:
        turns.append(told)
        found: tuple[str, ...] = judge(number, told, before)
        return found

    monkeypatch.setattr(bench, "lost", kept)
    lines = bench.measured(lm_of(reader), "zero-shot", 1)
    return lines, turns[-10:]  # four of the session that warms up come before


def test_every_debt_is_kept_as_the_benchmark_tells(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, trace = played(bench, monkeypatch, Guide(REFERENTS))
    figures = bench.summary(lines)
    assert [told.query for told in trace] == list(bench.QUESTIONS)
    assert (figures["debts"], figures["debts_lost"]) == (12, [])
    assert figures["most_calls"] <= 4 and not any(told.fallback for told in trace)


def test_references_are_resolved(trace: list[ConversationTurn]) -> None:
    assert [told.standalone_query for told in trace[1:4]] == [
        "How much does the Heron cost a day?", "What is the Heron's range?",
        "Who repairs the Heron when the Heron breaks down?",
    ]  # fmt: skip
    assert [told.status for told in trace[1:4]] == ["ANSWERED", "ANSWERED", "UNANSWERED"]
    assert "Café Lyng" in trace[5].standalone_query and "them" not in trace[5].standalone_query


def test_an_exclusion_is_honoured_until_it_is_revoked(trace: list[ConversationTurn]) -> None:
    assert [told.negation_constraints for told in trace] == [*[()] * 4, *[("seafood",)] * 3, *[()] * 3]
    for told in trace[4:7]:
        assert "CAFE-2" in told.dropped and "CAFE-2" not in (*(told.found or ()), *told.cited)
    assert "CAFE-2" in (trace[7].found or ()) and trace[7].cited == ("CAFE-2",)


def test_an_id_is_kept(trace: list[ConversationTurn]) -> None:
    first, again = trace[1], trace[9]
    assert (first.new_citations, first.reused_citations) == (("HIRE-3",), ())
    assert (again.new_citations, again.reused_citations) == ((), ("HIRE-3",))
    assert all("[Source: HIRE-3]" in told.answer for told in (first, again))
    for before, told in pairwise(trace):
        assert told.registry[: len(before.registry)] == before.registry


def test_an_open_question_is_kept_word_for_word_and_answered_when_its_document_comes(
    trace: list[ConversationTurn],
) -> None:
    question = "Who repairs it when it breaks down?"
    opened = [[(one.question, one.first_asked_turn) for one in told.open_questions] for told in trace]
    assert opened == [*[[]] * 3, *[[(question, 4)]] * 3, *[[]] * 4]
    [answered] = trace[6].resolved_questions
    assert (answered.question, answered.citations) == (question, ("HIRE-9",))
    assert "Signe Aakre" in trace[6].answer and "leaves at 7:15" in trace[6].answer


def test_a_reference_that_an_lm_cannot_resolve_is_a_lost_debt(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, _ = played(bench, monkeypatch, Guide({**REFERENTS, "its": "the Badger"}))
    assert lines[2].lost == ("reference: its",)
    assert "reference: its (And its range?)" in bench.summary(lines)["debts_lost"]


@pytest.mark.parametrize(
    ("number", "changed", "owed"),
    [
        (2, {"standalone_query": "How much does the second one cost a day, the Heron?"}, "reference: the second one"),
        (3, {"standalone_query": "And its range?"}, "reference: its"),
        (4, {"standalone_query": "Who repairs the Heron when it breaks down?"}, "reference: it"),
        (4, {"open_questions": ()}, "open question: kept word for word"),
        (4, {"status": "ANSWERED"}, "open question: kept word for word"),
        (5, {"negation_constraints": ()}, "exclusion: set"),
        (6, {"negation_constraints": ()}, "exclusion: carried"),
        (6, {"found": ("CAFE-1", "CAFE-2")}, "exclusion: carried"),
        (6, {"open_questions": ()}, "open question: dropped"),
        (7, {"resolved_questions": ()}, "open question: answered when its document came"),
        (8, {"negation_constraints": ("seafood",)}, "exclusion: revoked"),
        (8, {"found": ("CAFE-1",)}, "exclusion: revoked"),
        (10, {"answer": "The Heron costs 34 euros a day [Source: HIRE-03]."}, "citation: the id of turn 2"),
        (10, {"new_citations": ("HIRE-3",), "reused_citations": ()}, "citation: what is new and what is not"),
        (10, {"registry": ("HIRE-3",)}, "citation: the registered ids"),
        (10, {"cited": ("HIRE-3", "HIRE-99")}, "citation: the registered ids"),
    ],
)
def test_a_lost_debt_is_named(number: int, changed: dict[str, Any], owed: str, trace: list[ConversationTurn]) -> None:
    lost = importlib.import_module("_turn_debts").lost
    told, before = trace[number - 1], trace[number - 2]
    assert lost(number, told, before) == ()
    assert owed in lost(number, told.model_copy(update=changed), before)
