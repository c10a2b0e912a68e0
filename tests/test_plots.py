"""Plots: everything that was tried is named, and a number stands at each bar and point."""

from __future__ import annotations

import io
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="needs pip install 'turnkeeper[compile]'")

from turnkeeper._plots import Point, by_candidate, by_component, by_kind


def texts(figure: Any) -> list[str]:
    """The texts of the only axes; drawing it proves that it can be drawn."""
    figure.savefig(io.BytesIO(), format="png")
    (axes,) = figure.axes
    return [label.get_text() for label in axes.get_yticklabels()] + [text.get_text() for text in axes.texts]


def test_kinds_stand_with_their_rows_and_scores() -> None:
    said = texts(by_kind({"zero-shot": {"one_anaphora": 0.25}, "compiled": {"one_anaphora": 1.0}}, {"one_anaphora": 3}))
    assert said == ["one anaphora (3)", "0.25", "1.00"]


def test_a_score_without_an_interval_has_a_bar_and_a_number() -> None:
    figure = by_component({"compiled": {"mean": 0.5, "low": None, "high": None, "components": {"form": 0.75}}})
    assert {text.get_text() for text in figure.axes[0].texts} == {"0.50", "0.75"} and not figure.axes[0].lines


def test_the_number_of_the_score_stands_beside_its_interval() -> None:
    figure = by_component({"compiled": {"mean": 0.5, "low": 0.4, "high": 0.9, "components": {"form": 0.75}}})
    assert texts(figure) == ["score", "form", "0.50", "0.75"]
    score = next(text for text in figure.axes[0].texts if text.get_text() == "0.50")
    assert score.get_position()[0] > 0.9


def test_each_candidate_is_named_and_one_without_a_score_says_why() -> None:
    points = [Point("zero-shot a/b", 0.2, True), Point("labeled-0 a/b", None, False, "cannot reach the best any more")]
    said = texts(by_candidate(points))
    assert said[:2] == ["zero-shot a/b", "labeled-0 a/b"]
    assert "0.200" in said and "cannot reach the best any more" in said


def test_nothing_tried_is_an_empty_plot() -> None:
    assert texts(by_candidate([])) == [] and texts(by_kind({}, {})) == []
    assert texts(by_component({})) == ["score"]
