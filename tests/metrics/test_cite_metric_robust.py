"""The metric of cite on what no model should write: junk, objects that raise, any text."""

from __future__ import annotations

from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics.cite import metric

from .test_cite_metric import ANSWER, PEAT, UNANSWERABLE, row, said, score


@pytest.mark.parametrize(
    "junk", [None, "", 3, [], {}, {"answer": None}, {"answer": " "}, {"answer": "x", "sources": 3}, object(),
             {"answer": [ANSWER]}, dspy.Prediction()],
)  # fmt: skip
def test_junk_scores_zero(junk: Any) -> None:
    for of in (row(), UNANSWERABLE):
        found = metric(of, junk)
        assert found.score == 0.0 and found.feedback != "Right." and found.components["form"] == 0.0


class Hostile:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def test_an_object_that_raises_scores_zero() -> None:
    assert metric(row(), Hostile()).score == 0.0


@pytest.mark.parametrize("unknown", [None, 3, "x", [None], ["7"], {}, [10**5000]])
def test_unknown_may_be_anything(unknown: Any) -> None:
    assert score({**said(ANSWER, PEAT), "unknown": unknown}) in (0.0, 1.0)


@given(st.text(max_size=120), st.lists(st.sampled_from(["BOG-1", "BOG-2", "[", "", "\u202e"]), max_size=3))
@settings(max_examples=150, deadline=None)
def test_nothing_a_model_writes_raises(text: str, ids: list[str]) -> None:
    markers = "".join(f"[Source: {i}]" for i in ids)
    for of in (row(), UNANSWERABLE):
        assert 0.0 <= score({"answer": f"{text} {markers}.", "new_citations": ids}, of) <= 1.0
