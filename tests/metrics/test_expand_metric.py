"""The metric of expand: golds get 1.0, errors are ordered, nothing a model writes raises."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.behaviours import find
from turnkeeper.data.expand import SPLITS, Gold, GoldenRow, load
from turnkeeper.metrics.expand import metric, score_components
from turnkeeper.metrics.expand_metric import COMPONENTS, WEIGHTS, golden_row


def row(**said: Any) -> GoldenRow:
    gold = {
        "expanded_query": "desk lamps for a child reading lamp bedside lamp",
        "negation_constraints": ("clamps",),
        "expansion_terms_added": ("reading lamp", "bedside lamp"),
        "acceptable_terms": ("study light",),
        "relevant_terms": ("bulb", "stand"),
        **said.pop("gold", {}),
    }
    fields = {"id": "r1", "kind": "without", "domain": "home", "language": "en", "family": "f1", "history": ()}
    return GoldenRow(**{**fields, "query": "desk lamps without clamps for a child", **said}, gold=Gold(**gold))


def said(*terms: str, constraints: tuple[str, ...] = ("clamps",), query: str = "desk lamps for a child") -> Any:
    return {
        "expanded_query": " ".join((query, *terms)),
        "negation_constraints": constraints,
        "expansion_terms_added": terms,
    }


def score(prediction: Any, of: GoldenRow | None = None) -> float:
    return score_components(of or row(), prediction).score


@pytest.mark.parametrize("split", SPLITS)
def test_golds_get_the_full_score(split: str) -> None:  # EXP-08
    entry = find("expand")
    found = {r.id: score_components(r, entry.gold(r)) for r in load(split)}
    below = {i for i, c in found.items() if c.score != 1.0}
    detector = {i for i, c in found.items() if {"dropped_exclusion", "invented_exclusion"} & set(c.violations)}
    assert below <= detector  # what the detector reads otherwise is held to a bound in tests/data
    assert len(below) <= 0.05 * len(found)


def test_shares_sum_to_one_and_components_are_what_the_gate_knows() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert set(score_components(row(), said()).parts()) == set(COMPONENTS) == set(find("expand").components)


def test_more_useful_terms_are_worth_more_and_useless_ones_cost() -> None:
    ordered = [
        said("reading lamp", "study light", "bulb"),
        said("reading lamp"),
        said("reading lamp", "garden chair", "carpet"),
        said(),
    ]
    scores = [score(p) for p in ordered]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)


def test_a_leak_is_worth_nothing() -> None:
    assert score(said("reading lamp", "clamp lamp")) == 0.0
    assert score(said("reading lamp", query="desk lamps without clamps for a child")) == 0.0


def test_a_lost_and_an_invented_exclusion_cost() -> None:
    right = score(said("reading lamp"))
    assert score(said("reading lamp", constraints=())) == 0.0
    assert 0.0 < score(said("reading lamp", constraints=("clamps", "child"))) < right


def test_an_inflected_constraint_is_the_same_one() -> None:
    assert score(said("reading lamp", constraints=("clamp",))) == score(said("reading lamp"))


def test_where_the_gold_adds_nothing_adding_nothing_is_right() -> None:
    bare = row(gold={"expansion_terms_added": (), "acceptable_terms": (), "relevant_terms": (),
                     "expanded_query": "desk lamps for a child"})  # fmt: skip
    assert score(said(), bare) == 1.0 > score(said("reading lamp"), bare)


def test_feedback_is_one_sentence_that_names_the_fault_and_the_remedy() -> None:
    feedback = score_components(row(), said("clamp lamp")).feedback
    assert "'clamp'" in feedback and "reading lamp" in feedback
    assert score_components(row(), said("reading lamp", "bedside lamp", "study light")).feedback == "Right."


def test_the_trace_changes_nothing() -> None:
    example = dspy.Example(**row().model_dump())
    prediction = dspy.Prediction(**said("reading lamp"))
    plain = metric(example, prediction)
    assert plain.score == metric(example, prediction, [], "terms", []).score
    assert plain.components["terms"] > 0 and plain.violations == []


@pytest.mark.parametrize("junk", [None, "", 3, [], {}, {"expanded_query": None}, dspy.Prediction(), object()])
def test_junk_scores_zero(junk: Any) -> None:
    found = metric(row(), junk)
    assert found.score == 0.0 and found.feedback


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=4), st.lists(st.text(max_size=20), max_size=4))
@settings(max_examples=150, deadline=None)
def test_nothing_a_model_writes_raises(query: str, terms: list[str], constraints: list[str]) -> None:
    found = score_components(row(), said(*terms, constraints=tuple(constraints), query=query))
    assert 0.0 <= found.score <= 1.0


def test_a_row_that_is_no_golden_row_is_an_error() -> None:
    with pytest.raises(ValueError, match="gold"):
        golden_row({"id": "x"})


def test_a_program_that_adds_nothing_stays_far_below_the_gold() -> None:
    entry = find("expand")
    rows = load("dev")
    copied = statistics.fmean(score_components(r, entry.copied(entry.inputs(r))).score for r in rows)
    assert copied < 0.6


def test_scoring_imports_no_dspy() -> None:
    code = (
        "import sys; from turnkeeper.metrics.expand_metric import score_components; "
        "from turnkeeper.data.expand import load; r = load('dev')[0]; "
        "score_components(r, {'expanded_query': 'x'}); print(json.dumps('dspy' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", "import json; " + code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) is False
