"""The metric of reformulate: golds get 1.0, errors are ordered, nothing a model writes raises."""

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

from turnkeeper.data.reformulate import SPLITS, Gold, GoldenRow, load
from turnkeeper.metrics.reformulate import metric, score_components
from turnkeeper.metrics.reformulate_metric import GOOD, WEIGHTS, golden_row
from turnkeeper.signatures.types import AccessScope, Turn

TALK = (
    Turn(role="user", content="Who runs the Orvane ferry to Sandholm?"),
    Turn(role="assistant", content="Lund Lines runs it. The sister ship Brisa sails to Kvernes."),
)


def row(**said: Any) -> GoldenRow:
    gold = {
        "standalone_query": "How long does the Orvane ferry take to Sandholm?",
        "action": "rewrite",
        "resolved_references": (),
        "acceptable": ("How long does the Orvane ferry to Sandholm take?",),
        "must_contain": ("Orvane ferry", "Sandholm"),
        "must_not_contain": ("Brisa",),
        **said.pop("gold", {}),
    }
    fields = {"id": "r1", "kind": "thing", "domain": "travel", "language": "en", "family": "f1", "history": TALK}
    return GoldenRow(**{**fields, "query": "How long does it take there?", **said}, gold=Gold(**gold))


def score(text: str, of: GoldenRow | None = None, action: str = "rewrite") -> float:
    return score_components(of or row(), {"standalone_query": text, "action": action}).score


GOLD = "How long does the Orvane ferry take to Sandholm?"


def gold_of(r: GoldenRow) -> dict[str, Any]:
    """The gold as a program would predict it: with its references, whose mentions may vanish."""
    return r.gold.model_dump(include={"standalone_query", "action", "resolved_references"})


# Golds


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_gets_the_full_score(split: str) -> None:  # REF-16
    below = {r.id for r in load(split) if score_components(r, gold_of(r)).score != 1.0}
    assert not below


@pytest.mark.parametrize("split", SPLITS)
def test_every_acceptable_agrees_in_full(split: str) -> None:
    for r in load(split):
        for text in r.gold.acceptable:
            found = score_components(r, {"standalone_query": text, "action": r.gold.action})
            assert (found.agreement, found.action) == (1.0, 1.0), r.id


@pytest.mark.parametrize("split", SPLITS)
def test_the_raw_query_scores_clearly_lower_where_a_rewrite_is_due(split: str) -> None:
    due = [r for r in load(split) if r.gold.action == "rewrite"]
    assert statistics.mean(score(r.query, r, "unchanged") for r in due) < 0.25


def test_the_weights_sum_to_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


# Order


def test_kinds_of_errors_are_ordered() -> None:  # REF-02
    ranked = [
        GOLD,
        "How long does the Orvane ferry crossing to Sandholm take?",  # a word more, from nowhere
        "How long does the Orvane ferry take there?",  # one of two references left
        "How long does it take there?",  # nothing done
        "",  # nothing said
    ]
    scores = [score(text) for text in ranked]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)


def test_a_wrong_referent_scores_below_a_right_one_and_is_not_good() -> None:
    wrong = score("How long does the Brisa take to Kvernes?")
    assert wrong < GOOD < score("How long does the Orvane ferry need to Sandholm?")


def test_a_dropped_negation_costs() -> None:
    asks = row(
        query="Why does it not stop there?",
        gold={
            "standalone_query": "Why does the Orvane ferry not stop in Sandholm?",
            "acceptable": (),
            "must_contain": ("Orvane ferry", "not", "Sandholm"),
        },
    )
    assert score("Why does the Orvane ferry stop in Sandholm?", asks) < GOOD


def test_a_rewrite_of_what_stands_alone_costs() -> None:  # REF-06
    alone = "Where can I park in Melby?"
    gold = {"standalone_query": alone, "action": "unchanged", "acceptable": (), "must_contain": ("park", "Melby")}
    greeting = row(query=alone, gold=gold)
    assert score(alone, greeting, "unchanged") == 1.0
    assert score("Where can I park the Orvane ferry in Melby?", greeting) < 1.0


def test_case_and_final_punctuation_cost_nothing() -> None:
    assert score("how long does the orvane ferry take to sandholm") == 1.0


def test_inflections_agree() -> None:
    assert (
        score_components(row(), {"standalone_query": "How long do the Orvane ferry takes to Sandholm?"}).agreement
        == 1.0
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "empty_query"), (None, "unparsable"), ("I'm sorry, I cannot help with that.", "answered")],
)
def test_a_hard_violation_is_worth_nothing(text: str | None, code: str) -> None:
    found = score_components(row(), {"standalone_query": text})
    assert found.score == 0.0 and code in found.violations


def test_a_leak_is_worth_nothing() -> None:  # REF-05
    scoped = row(access_scope=AccessScope(restricted_terms=["Lund Lines"]))
    found = score_components(scoped, {"standalone_query": GOLD.replace("ferry", "ferry of Lund Lines")})
    assert (found.scope, found.score) == (0.0, 0.0)


def test_clarify_is_an_action_of_its_own() -> None:
    asks = row(gold={"action": "clarify"})
    assert score_components(asks, {"standalone_query": GOLD, "action": "clarify"}).action == 1.0
    assert score_components(asks, {"standalone_query": GOLD, "action": "rewrite"}).action == 0.0


def test_scripts_without_spaces_agree_by_characters() -> None:
    gold = {
        "standalone_query": "奥尔瓦渡轮多少钱？",
        "acceptable": (),
        "must_contain": ("奥尔瓦",),
        "must_not_contain": (),
    }
    asks = row(query="它多少钱？", language="zh", gold=gold)
    near, far = (
        score_components(asks, {"standalone_query": t}).agreement for t in ("奥尔瓦渡轮要多少钱？", "多少钱？")
    )
    assert far < 0.5 < near < 1.0


# Feedback


def test_feedback_of_a_right_answer_is_short() -> None:
    assert score_components(row(), {"standalone_query": GOLD, "action": "rewrite"}).feedback == "Right."


def test_feedback_names_the_fault_and_a_good_answer() -> None:
    said = score_components(row(), {"standalone_query": "How long does it take with the Brisa?"}).feedback
    assert "'it' still refers" in said and "'Orvane ferry' is missing" in said and "'Brisa' does not belong" in said
    assert said.endswith(f"a good answer is: {GOLD}")


# For optimizers


@pytest.mark.parametrize("example", ["row", "example", "mapping", "example of plain values"])
def test_an_example_may_come_in_any_dress(example: str) -> None:
    fields = dict(row())
    dress = {
        "row": row(),
        "example": dspy.Example(**fields).with_inputs("history", "query"),
        "mapping": row().model_dump(),
        "example of plain values": dspy.Example(**json.loads(row().model_dump_json()), note="kept"),
    }[example]
    assert metric(dress, dspy.Prediction(standalone_query=GOLD, action="rewrite")).score == 1.0


def test_the_score_does_not_depend_on_the_trace() -> None:
    said = dspy.Prediction(standalone_query="How long does it take there?")
    plain, traced = metric(row(), said), metric(row(), said, [], "rewrite", [])
    assert (plain.score, plain.feedback) == (traced.score, traced.feedback)


def test_the_prediction_carries_components_and_codes() -> None:
    found = metric(row(), dspy.Prediction(standalone_query="How long does it take there?"))
    assert found.components["residual"] == 0.0 and "residual_reference" in found.violations


@pytest.mark.parametrize(
    "pred",
    [None, "text", 3, [], {}, {"standalone_query": 3}, {"standalone_query": "a", "action": "sing"}, object(),
     dspy.Prediction(), {"standalone_query": "\ud800"}, {"standalone_query": GOLD, "resolved_references": "it"}],
)  # fmt: skip
def test_a_malformed_prediction_scores_zero_with_feedback(pred: Any) -> None:
    found = metric(row(), pred)
    assert found.score == 0.0 and len(found.feedback) > 10


@pytest.mark.parametrize("gold", [None, {}, {"standalone_query": ""}])
def test_a_malformed_gold_raises(gold: Any) -> None:
    with pytest.raises(ValueError, match="gold"):
        metric(dspy.Example(**{**dict(row()), "gold": gold}), dspy.Prediction(standalone_query=GOLD))


def test_an_example_without_fields_raises() -> None:
    with pytest.raises(ValueError, match="gold"):
        golden_row(dspy.Example(query="x"))


@settings(deadline=None)  # the first call reads the lexicons
@given(st.text(max_size=80), st.sampled_from(["rewrite", "unchanged", "clarify", "other", None]))
def test_whatever_a_model_writes_gets_a_score(text: str, action: str | None) -> None:
    found = score_components(row(), {"standalone_query": text, "action": action})
    assert 0.0 <= found.score <= 1.0 and all(0.0 <= part <= 1.0 for part in found.parts().values())


def test_the_metric_module_imports_no_dspy() -> None:
    code = "import sys, turnkeeper.metrics.reformulate_metric; sys.exit('dspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
