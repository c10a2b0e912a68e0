"""A query without what is ruled out reads as if it had never been there."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._leaks import leaks
from turnkeeper.metrics.expand import detect, without_exclusions
from turnkeeper.signatures.types import Exclusion

STRIPPED = [
    ("flats without garden in Leeds", "flats in Leeds"),
    ("flats in Leeds without garden", "flats in Leeds"),
    ("flats, but no garden, in Leeds", "flats, in Leeds"),
    ("flats without a garden or a cellar", "flats"),
    ("museums other than the Tarn Gallery in Orla?", "museums in Orla?"),
    ("Besides Orrin, which islands have a ferry?", "which islands have a ferry?"),
    ("deploy notes -staging", "deploy notes"),
    ('songs except "Blue Hour" by Ilse Morn', "songs by Ilse Morn"),
    ("shoes that are not leather for winter", "shoes for winter"),
    ("I want neither oak nor pine tables", "I want tables"),
    ("novels, not about war, set at sea", "novels, set at sea"),
    ("exclude Varn and Ostby", ""),
]


@pytest.mark.parametrize(("query", "rest"), STRIPPED)
def test_cue_and_phrase_go_together(query: str, rest: str) -> None:
    exclusions = detect([], query).exclusions
    assert without_exclusions(query, exclusions) == rest
    assert leaks(rest, exclusions) == ()


def test_a_mention_without_a_cue_goes_too() -> None:
    assert without_exclusions("glass shelves and glass doors", [Exclusion(phrase="glass")]) == "shelves and doors"


def test_a_text_that_names_nothing_excluded_stays_as_it_is() -> None:
    text = "  shelves ,  deep and wide and  "
    assert without_exclusions(text, [Exclusion(phrase="glass")]) == text
    assert without_exclusions("glass", [Exclusion(phrase="glass", status="revoked")]) == "glass"
