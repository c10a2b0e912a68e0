"""The entry of cite: what an application would pass, demos that give the gold back, the extract, served columns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from turnkeeper.behaviours import GOOD, find
from turnkeeper.behaviours._cite_extract import extract
from turnkeeper.data.cite import SPLITS, GoldenRow, load
from turnkeeper.modules._cite_evidence import Evidence, evidence
from turnkeeper.modules._cite_render import from_claims, rendered
from turnkeeper.modules.cite import Cite
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.cite_forms import AnswerInClaims, AnswerWithHandles
from turnkeeper.signatures.types import AccessScope, Turn

ENTRY = find("cite")
ROWS = {split: load(split) for split in SPLITS}
ALL = [row for rows in ROWS.values() for row in rows]
BRACKETS = {"ci-train-042", "ci-train-045", "ci-dev-024", "ci-dev-053", "ci-test-032", "ci-test-079"}
"""Answers hold numbers in brackets that cite nothing (`hosts[0]`, "[32]"): rendered as if they were handles."""
WALKS = (
    Evidence("A", "Peat Path", "The peat path is 8 km long. It closes at dusk.", False),
    Evidence("B", "Heath Path", "The heath path is 5 km long.", True),
)


def said(row: GoldenRow, form: str) -> str | None:
    """The gold in a form, as the program's own rendering reads it; None where there is no demo."""
    demos = ENTRY.demos(row, form)
    if not demos:
        return None
    fields = demos[0].fields
    return fields["answer"] if form == "handles" else from_claims(SimpleNamespace(**c) for c in fields["claims"])


# Demos


@pytest.mark.parametrize("form", ENTRY.forms)
def test_a_demo_rendered_back_is_the_gold(form: str) -> None:
    differing = set()
    for row in ALL:
        text = said(row, form)
        if text is None:
            continue
        inputs, gold = ENTRY.inputs(row), row.gold
        back = rendered(text, inputs["evidence"], inputs["registry"].convention)
        lists = (tuple(s.doc_id for s in back.sources), back.new, back.reused)
        meant = (tuple(s.doc_id for s in gold.sources), gold.new_citations, gold.reused_citations)
        wanted = gold.answer.removesuffix(".") if gold.abstain else gold.answer
        if (back.answer, lists, back.unknown) != (wanted, meant, ()):
            differing.add(row.id)
    assert differing <= BRACKETS


def test_handles_has_a_demo_of_every_row_with_evidence_and_claims_of_most() -> None:
    asked = [row for row in ALL if ENTRY.inputs(row)["evidence"]]
    assert [row.id for row in asked if said(row, "handles") is None] == []
    assert sum(said(row, "claims") is not None for row in asked) >= 0.9 * len(asked) - 1


def test_without_evidence_nobody_is_asked_and_nothing_is_to_learn() -> None:
    silent = [row for row in ALL if not ENTRY.inputs(row)["evidence"]]
    assert silent and all(row.gold.abstain and not ENTRY.demos(row, form) for row in silent for form in ENTRY.forms)


@pytest.mark.parametrize(("form", "signature"), [("handles", AnswerWithHandles), ("claims", AnswerInClaims)])
def test_demos_are_complete_and_hold_what_the_program_asks(form: str, signature: Any) -> None:
    for row in ROWS["dev"]:
        for demo in ENTRY.demos(row, form):
            assert set(demo.fields) == set(signature.model_fields) and demo.fields["correction_feedback"] == ""
            assert asked_by_program(row, form) == {name: demo.fields[name] for name in signature.input_fields}


def asked_by_program(row: GoldenRow, form: str) -> dict[str, Any]:
    """The inputs that reach the predictor when the program runs on the row."""
    seen: list[dict[str, Any]] = []

    def predictor(**inputs: Any) -> dspy.Prediction:
        seen.append(inputs)
        return dspy.Prediction(answer="") if form == "handles" else dspy.Prediction(claims=[])

    program = Cite(form)  # type: ignore[arg-type]
    program._predictor = lambda: predictor  # type: ignore[method-assign, assignment, return-value]
    program(**ENTRY.inputs(row))
    return seen[0]


def test_a_restricted_name_of_the_history_is_in_no_demo() -> None:
    row = next(r for r in ROWS["train"] if r.context and not r.gold.abstain)
    history = (Turn(role="user", content="Ask Ragna Holt."), Turn(role="assistant", content="I asked Ragna Holt."))
    masked = row.model_copy(update={"history": history, "access_scope": AccessScope(restricted_terms=["Ragna Holt"])})
    (demo,) = ENTRY.demos(masked, "handles")
    assert "Ragna" not in demo.fields["history"] and "assistant" in demo.fields["history"]


# What a model answered


def test_an_answer_can_stand_in_the_place_of_the_gold() -> None:
    row = next(r for r in ROWS["train"] if r.kind == "several_sources_one_answer")
    made = ENTRY.answered(row, {**ENTRY.gold(row), "unknown": [], "abstained": False})
    assert ENTRY.demos(made, "handles") == ENTRY.demos(row, "handles")
    assert made.gold.must_cite == row.gold.must_cite


def test_an_abstention_can_too_and_an_uncited_answer_cannot() -> None:
    row = ROWS["train"][0]
    made = ENTRY.answered(row, {"answer": ABSTENTION, "sources": []})
    assert made.gold.abstain and ENTRY.demos(made, "handles")[0].fields["answer"] == "NO_EVIDENCE"
    assert ENTRY.metric(row, ENTRY.gold(made)).score < GOOD
    for answer in ({"answer": "It is free."}, {"answer": None}, {}, {"answer": "x", "sources": 3}):
        assert ENTRY.answered(row, answer) is None


# The answer that costs nothing


def test_the_extract_is_the_sentence_that_shares_most_with_the_question() -> None:
    assert extract("How long is the heath path?", WALKS) == "The heath path is 5 km long [2]."
    assert extract("When does the peat path close?", WALKS) == "It closes at dusk [1]."


def test_an_extract_of_nothing_in_common_is_no_evidence() -> None:
    assert extract("Who founded Tillbrook?", WALKS) == "NO_EVIDENCE" == extract("peat?", ())


def test_sentences_that_fit_alike_are_both_told_and_never_more_than_two() -> None:
    alike = tuple(Evidence(f"D{n}", "Tide", "High water is at noon.", False) for n in range(3))
    assert extract("When is high water?", alike) == "High water is at noon [1]. High water is at noon [2]."


def test_a_full_stop_within_a_number_ends_no_sentence() -> None:
    (one,) = (Evidence("A", "Weir", "The weir falls by 1.20 m at low water. It was built in 1911.", False),)
    assert extract("How far does the weir fall?", (one,)) == "The weir falls by 1.20 m at low water [1]."


def test_the_copied_answer_is_rendered_in_the_sessions_form_and_passes_most_checks() -> None:
    found = [ENTRY.metric(row, ENTRY.copied(ENTRY.inputs(row))) for row in ROWS["dev"]]
    clean = [one for one in found if not one.violations]
    assert len(clean) >= 0.9 * len(found)
    row = next(r for r in ROWS["dev"] if r.registry.convention == "numeric" and r.context)
    assert "\n\nSources:\n- " in ENTRY.copied(ENTRY.inputs(row))["answer"]


# What is shown of a row


def test_reflection_reads_the_prompts_own_words() -> None:
    row = next(r for r in ROWS["dev"] if r.history and r.context)
    shown = ENTRY.reflected(row)
    assert set(shown) == {"sources", "history", "question"} and shown["question"] == " ".join(row.question.split())
    numbers = len(evidence(row.registry, row.context, row.access_scope))
    assert f"[{numbers}] " in shown["sources"] and f"[{numbers + 1}] " not in shown["sources"]


def test_what_an_application_would_pass_keeps_a_failed_retrieval_apart() -> None:
    failed = next(r for r in ALL if r.context is None)
    empty = next(r for r in ALL if r.context == ())
    assert ENTRY.asked(failed)["context"] is None and ENTRY.asked(empty)["context"] == []
    assert ENTRY.asked(failed)["turn"] == failed.turn and ENTRY.asked(failed)["query"] == failed.question
