"""Found phrases against the phrases of a set."""

from __future__ import annotations

import pytest

from turnkeeper.data.public import PublicQuery
from turnkeeper.evaluation.public_exclusions import ExclusionScore, score_exclusions


def query(*, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> PublicQuery:
    return PublicQuery(id="q", family="q", query="ferries but no old steamers", include=include, exclude=exclude)


def test_words_are_compared_without_plural_and_function_words() -> None:
    found = score_exclusions(query(exclude=("the old steamers",)), ["old steamer", "of a harbour"])
    assert found == ExclusionScore(pytest.approx(2 / 3), 1.0, pytest.approx(0.8), None, None)


def test_nothing_found_has_no_precision() -> None:
    assert score_exclusions(query(exclude=("steamers",)), []) == ExclusionScore(None, 0.0, 0.0, None, None)


@pytest.mark.parametrize(("phrases", "constrained"), [([], 0.0), (["steamers"], 1.0)])
def test_where_nothing_is_excluded_every_constraint_is_wrong(phrases: list[str], constrained: float) -> None:
    assert score_exclusions(query(), phrases) == ExclusionScore(None, None, None, None, constrained)


@pytest.mark.parametrize(
    ("phrases", "right"),
    [(["steamers"], 1.0), (["ferries"], 0.0), (["steam ferries", "steamers"], 0.0), (["Lund"], 0.0), ([], 0.0)],
)
def test_right_is_the_excluded_category_and_not_the_included(phrases: list[str], right: float) -> None:
    both = query(include=("Ferries of Lund",), exclude=("Steamers of Lund",))
    assert score_exclusions(both, phrases).right == right
