"""The golden set of carry_forward: that a row is of the kind it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from turnkeeper.data._carry_forward_problems import normalized
from turnkeeper.data._golden import contains
from turnkeeper.data.carry_forward import SPLITS, GoldenRow, load

ALL = [row for split in SPLITS for row in load(split)]


def status(row: GoldenRow) -> str:
    return row.gold.current_answer.status


def resolved(row: GoldenRow) -> int:
    return len(row.gold.resolved_questions)


def carried(row: GoldenRow) -> int:
    return len(row.ledger) - resolved(row)


def repeats(row: GoldenRow) -> bool:
    return normalized(row.question) in {normalized(entry.question) for entry in row.ledger}


def several(row: GoldenRow) -> bool:
    return any(len(each.citations) > 1 or len(d.may_cite) > 1 for each, d in zip(
        row.gold.resolved_questions, (d for d in row.gold.pending if d.decision == "resolved"), strict=True
    ))  # fmt: skip


def instructs(text: str) -> bool:
    low = text.casefold()
    return any(word in low for word in ("assistant", "system", "instruction", "for the ai", "dear ai", "test mode",
                                         "ignore previous", "note from the operator"))  # fmt: skip


MEANS: dict[str, Callable[[GoldenRow], bool]] = {
    "late_evidence": lambda row: resolved(row) > 0 and status(row) == "ANSWERED",
    "unrelated_turn_keeps": lambda row: resolved(row) == 0 and carried(row) > 0 and status(row) == "ANSWERED",
    "one_of_several": lambda row: resolved(row) == 1 and carried(row) > 0,
    "all_resolved": lambda row: resolved(row) > 0 and carried(row) == 0 and status(row) == "ANSWERED",
    "distractor_same_entity": lambda row: resolved(row) == 0 and bool(row.context),
    "distractor_other_entity": lambda row: resolved(row) == 0 and bool(row.context),
    "wrong_time": lambda row: resolved(row) == 0 and bool(row.context),
    "other_condition": lambda row: resolved(row) == 0 and bool(row.context),
    "answers_only_current": lambda row: resolved(row) == 0 and status(row) == "ANSWERED",
    "partial_narrows": lambda row: any(decision.part for decision in row.gold.pending),
    "two_halves_arrive": lambda row: any(len(each.facts) > 1 for each in row.gold.pending),
    "several_passages": several,
    "empty_context": lambda row: row.context == () and resolved(row) == 0,
    "retrieval_failed": lambda row: row.context is None and resolved(row) == 0,
    "current_partial": lambda row: status(row) == "PARTIAL",
    "current_unanswered_joins": lambda row: row.gold.updated_unresolved_questions[-1].question == row.question,
    "paraphrase_kept_apart": lambda row: not repeats(row) and row.gold.current.asks,
    "exact_duplicate": repeats,
    "no_question": lambda row: not row.gold.current.asks and status(row) == "UNANSWERED",
    "clarification_completes": lambda row: not row.gold.current.asks and status(row) == "ANSWERED",
    "clarification_not_enough": lambda row: not row.gold.current.asks and carried(row) > 0,
    "first_question": lambda row: not row.ledger,
    "many_open": lambda row: len(row.ledger) >= 5,
    "old_question": lambda row: any(row.turn - entry.first_asked_turn > 3 for entry in row.ledger),
    "elliptical_pending": lambda row: any(entry.standalone_query for entry in row.ledger),
    "near_duplicate": lambda row: len(row.ledger) > 1 and len(row.gold.updated_unresolved_questions) > 0,
    "negative_answer": lambda row: any(each.answer.startswith("No,") for each in row.gold.resolved_questions),
    "long_passage": lambda row: any(len(passage.text.split()) > 80 for passage in row.context or ()),
    "poisoned_passage": lambda row: any(instructs(passage.text) for passage in row.context or ()),
    "poisoned_history": lambda row: any(instructs(turn.content) for turn in row.history),
    "assistant_guess": lambda row: any(
        turn.role == "assistant" and "[Source" not in turn.content for turn in row.history
    ),
    "other_language": lambda row: row.language != "en",
}


@pytest.mark.parametrize("kind", MEANS)
def test_a_kind_is_what_it_says(kind: str) -> None:
    rows = [row for row in ALL if row.kind == kind]
    assert rows and [row.id for row in rows if not MEANS[kind](row)] == []


def test_what_is_only_said_resolves_nothing() -> None:
    told = [row for row in ALL if row.kind in ("user_claim", "assistant_guess")]
    said = {
        row.id: fact
        for row in told
        for decision in row.gold.pending
        for fact in decision.facts
        if any(contains(turn.content, fact) for turn in row.history)
    }
    assert told and said == {} and sum(carried(row) > 0 for row in told) >= len(told) - 1


def test_a_poisoned_passage_is_cited_only_for_a_fact() -> None:
    rows = [row for row in ALL if row.kind == "poisoned_passage"]
    assert sum(carried(row) > 0 for row in rows) >= len(rows) / 2
