"""The metric of cite: golds get 1.0, errors are ordered, an abstention counts where it is right, nothing raises."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import Any

import dspy
import pytest

from turnkeeper.behaviours import find
from turnkeeper.data.cite import SPLITS, GoldenRow, load
from turnkeeper.metrics.cite import metric, missed_reuse, score_components
from turnkeeper.metrics.cite_metric import COMPONENTS, GOOD, WEIGHTS, golden_row
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.types import CitationRegistry, Passage, RegisteredSource

PEAT = Passage(doc_id="BOG-1", title="Peat Path", text="The peat path is 8 km long and closes at dusk.")
HEATH = Passage(doc_id="BOG-2", title="Heath Path", text="The heath path opens at 7:30 and is free for children.")
ANSWER = "The peat path is 8 km long [Source: BOG-1]. It closes at dusk [Source: BOG-1]."


def row(gold: dict[str, Any] | None = None, **said: Any) -> GoldenRow:
    fields = {
        "id": "r1",
        "kind": "new_source",
        "domain": "walks",
        "language": "en",
        "family": "f1",
        "turn": 1,
        "history": (),
        "question": "How long is the peat path, and when does it close?",
        "registry": CitationRegistry(),
        "context": (PEAT, HEATH),
        **said,
    }
    meant = {
        "answer": f"{ANSWER}\n\nSources:\n- BOG-1: Peat Path",
        "sources": [{"doc_id": "BOG-1", "title": "Peat Path"}],
        "new_citations": ["BOG-1"],
        "reused_citations": [],
        "must_cite": ["BOG-1"],
        "facts": ["8 km", "dusk"],
        "abstain": False,
        **(gold or {}),
    }
    return GoldenRow.model_validate({**fields, "gold": meant})


NOTHING: dict[str, Any] = {
    "answer": ABSTENTION, "sources": [], "new_citations": [], "must_cite": [], "facts": [], "abstain": True,
}  # fmt: skip
UNANSWERABLE = row(NOTHING, question="Who built the tower?")


def said(body: str, *cited: Passage, **more: Any) -> dict[str, Any]:
    section = "".join(f"\n- {passage.doc_id}: {passage.title}" for passage in cited)
    sources = [{"doc_id": passage.doc_id, "title": passage.title} for passage in cited]
    return {
        "answer": f"{body}\n\nSources:{section}" if cited else body,
        "sources": sources,
        "new_citations": [passage.doc_id for passage in cited],
        "reused_citations": [],
        **more,
    }


def score(prediction: Any, of: GoldenRow | None = None) -> float:
    return score_components(of or row(), prediction).score


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_gets_the_full_score_in_every_component(split: str) -> None:
    gold = find("cite").gold
    found = {r.id: score_components(r, gold(r)) for r in load(split)}
    below = {i: c for i, c in found.items() if c.score != 1.0 or c.violations or c.feedback != "Right."}
    assert below == {}
    parts = {i for i, c in found.items() if {v for name, v in c.parts().items() if name != "reuse"} != {1.0}}
    assert parts == set()


@pytest.mark.parametrize("split", SPLITS)
def test_abstaining_where_the_gold_answers_is_below_good(split: str) -> None:
    answered = [r for r in load(split) if not r.gold.abstain]
    found = [score_components(r, {"answer": ABSTENTION}) for r in answered]
    assert len(found) > 70 and all(c.score == 0.2 < GOOD and c.abstention == 0.0 for c in found)


@pytest.mark.parametrize("split", SPLITS)
def test_answering_where_the_gold_abstains_is_below_good(split: str) -> None:
    scores = [score(p, r) for r in load(split) if r.gold.abstain for p in made_up(r)]
    assert len(scores) >= 30 and max(scores) == 0.0


def made_up(r: GoldenRow) -> list[dict[str, Any]]:
    """From own knowledge, and from a source that says something else."""
    from_source = [said(f"{p.text.rstrip('.')} [Source: {p.doc_id}].", p) for p in (r.context or ())[:1]]
    return [{"answer": "It costs 12 crowns at most."}, *(from_source or [{"answer": "It opens at 9 in the morning."}])]


def test_shares_sum_to_one_and_components_are_what_the_gate_knows() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert set(score_components(row(), said(ANSWER, PEAT)).parts()) == set(COMPONENTS) == set(find("cite").components)


def test_errors_are_ordered() -> None:
    ordered = [
        said(ANSWER, PEAT),
        said("The peat path is 8 km long [Source: BOG-1].", PEAT),  # one fact of two
        said(f"{ANSWER} The heath path opens at 7:30 [Source: BOG-2].", PEAT, HEATH, new_citations=["BOG-1"]),
        {"answer": ABSTENTION},
        said("The peat path is 8 km long [Source: BOG-9].", PEAT),
    ]
    scores = [score(p) for p in ordered]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)
    assert scores[0] == 1.0 and scores[1] >= GOOD and scores[-1] == 0.0


def test_one_source_too_many_is_good_with_all_facts_only() -> None:
    extra = " The heath path opens at 7:30 [Source: BOG-2]."
    whole, half = said(ANSWER + extra, PEAT, HEATH), said(ANSWER.split(". ")[0] + "." + extra, PEAT, HEATH)
    assert score_components(row(), whole).precision == 0.5
    assert score(whole) >= GOOD > score(half)


def test_a_source_that_a_right_answer_may_cite_costs_nothing() -> None:
    allowed = row({"may_cite": ["BOG-2"]})
    assert score(said(f"{ANSWER} The heath path opens at 7:30 [Source: BOG-2].", PEAT, HEATH), allowed) == 1.0


def test_a_needed_source_that_is_not_cited_is_never_good() -> None:
    both = row({"must_cite": ["BOG-1", "BOG-2"]})
    found = score_components(both, said(ANSWER, PEAT))
    assert (found.recall, found.precision) == (0.5, 1.0) and 0 < found.score < GOOD


def test_an_id_of_nowhere_is_worth_nothing_also_as_a_number_of_the_prompt() -> None:
    right = said(ANSWER, PEAT)
    assert score({**right, "unknown": (7,)}) == 0.0 == score(said(ANSWER.replace("BOG-1", "BOG-7"), PEAT))
    assert "[7]" in score_components(row(), {**right, "unknown": [7]}).feedback
    assert score({**right, "unknown": []}) == 1.0


def test_each_family_of_codes_has_its_component() -> None:
    wrong = {
        "ids": said(ANSWER.replace("BOG-1", "BOG-01"), PEAT),
        "markers": said(ANSWER.replace(" [Source: BOG-1]", "", 1), PEAT),
        "listing": said(ANSWER, PEAT, new_citations=[], reused_citations=["BOG-1"]),
        "support": said(ANSWER.replace("8 km", "9 km"), PEAT),
        "form": {"answer": None},
    }
    for name, prediction in wrong.items():
        parts = score_components(row(), prediction).parts()
        assert parts[name] == 0.0, name
        checks = {*WEIGHTS, "form"} - {name, "listing" if name == "ids" else name}
        assert all(parts[other] == 1.0 for other in checks), name


def test_support_and_markers_alone_can_make_an_answer_bad() -> None:
    assert score(said(ANSWER.replace("8 km", "9 km"), PEAT)) < GOOD
    assert score(said(ANSWER.replace(" [Source: BOG-1]", "", 1), PEAT)) < 1.0


def test_source_tag_is_expected_before_the_first_citation() -> None:
    drifted = said(ANSWER.replace("Source: ", ""), PEAT)
    assert score_components(row(), drifted).markers == 0.0
    numbered = row(registry=CitationRegistry(convention="bare_id"))
    assert score_components(numbered, drifted).markers == 1.0


def test_facts_may_be_said_in_other_words_of_the_same_numbers() -> None:
    told = said("At dusk the path closes, and it is eight km long [Source: BOG-1].", PEAT)
    assert score_components(row(), told).facts == 1.0


def test_a_fact_is_no_part_of_a_marker_or_of_the_list() -> None:
    numeric = row(
        {"facts": ["1"], "sources": [{"doc_id": "1", "title": "Peat Path"}], "must_cite": ["1"]},
        registry=CitationRegistry(convention="numeric"), context=(PEAT.model_copy(update={"doc_id": "1"}),),
    )  # fmt: skip
    found = score_components(numeric, {"answer": "It closes at dusk [1].\n\nSources:\n- 1: Peat Path"})
    assert (found.facts, found.recall) == (0.0, 1.0)


def test_an_abstention_in_other_words_is_half_right() -> None:
    found = score_components(UNANSWERABLE, {"answer": "The documents do not mention who built it."})
    assert found.abstention == 0.5 and 0 < found.score < GOOD
    assert score({"answer": ABSTENTION + "."}, UNANSWERABLE) == 1.0


def test_registered_sources_that_were_passed_over_are_named_and_not_scored() -> None:
    held = RegisteredSource(doc_id="OLD-4", title="Old Peat Leaflet", snippet=PEAT.text, first_turn=1, last_turn=1)
    registry = CitationRegistry(convention="source_tag", entries=(held,))
    later = row(registry=registry, turn=2)
    found = score_components(later, said(ANSWER, PEAT))
    assert found.score == 1.0 and found.reuse == 0.0
    asked = {"registry": registry, "context": (PEAT,), "question": later.question}
    assert missed_reuse(prediction=said(ANSWER, PEAT), **asked) == ["OLD-4"]
    kept = {"answer": f"{ANSWER.replace('BOG-1', 'OLD-4')}\n\nSources:\n- OLD-4: Old Peat Leaflet"}
    assert missed_reuse(prediction=kept, **asked) == [] == missed_reuse(prediction=None, **asked)


def test_feedback_names_the_fault_and_a_good_answer() -> None:
    feedback = score_components(row(), said("The heath path is free for children [Source: BOG-2].", HEATH)).feedback
    assert "'Peat Path'" in feedback and "8 km; dusk" in feedback and f"a good answer is: {ANSWER}" in feedback
    assert "\n" not in feedback
    assert ABSTENTION in score_components(UNANSWERABLE, said(ANSWER, PEAT)).feedback
    assert "the sources answer the question" in score_components(row(), {"answer": ABSTENTION}).feedback


def test_the_trace_changes_nothing() -> None:
    example, prediction = dspy.Example(**row().model_dump()), dspy.Prediction(**said(ANSWER, PEAT))
    plain = metric(example, prediction)
    assert plain.score == metric(example, prediction, [], "handles", []).score == 1.0
    assert plain.components["facts"] == 1.0 and plain.violations == []


def test_a_row_that_is_no_golden_row_is_an_error() -> None:
    with pytest.raises(ValueError, match="gold"):
        golden_row({"id": "x"})


def test_always_abstaining_and_extracting_stay_below_the_gold() -> None:
    entry, rows = find("cite"), load("dev")
    silent = statistics.fmean(score(({"answer": ABSTENTION}), r) for r in rows)
    copied = statistics.fmean(score(entry.copied(entry.inputs(r)), r) for r in rows)
    assert silent < 0.35 < copied < 0.75


def test_scoring_imports_no_dspy() -> None:
    code = (
        "import sys, json; from turnkeeper.metrics.cite_metric import score_components; "
        "from turnkeeper.data.cite import load; r = load('dev')[0]; "
        "score_components(r, {'answer': 'x'}); print(json.dumps('dspy' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) is False
