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


# A clause that said nothing else goes whole, and nothing waits for a word that is gone.
WHOLE_CLAUSES = [
    ("Compare phone plans. I can't stand contracts.", "Compare phone plans."),
    ("a birthday menu. my niece is allergic to sesame", "a birthday menu."),
    ("rugs for a nursery, we don't want wool", "rugs for a nursery"),
    ("Primers for a boat hull which contain no lead", "Primers for a boat hull"),
    ("lamps that need no batteries", "lamps"),
    ("What else is on in May besides 'Low Tide' and 'Amber'?", "What else is on in May?"),
    ("Ferienwohnungen in Harl, aber keine mit Hund", "Ferienwohnungen in Harl"),
    ("Dentists in Harl. Anything but a chain, is one open on Sunday?", "Dentists in Harl. is one open on Sunday?"),
]


@pytest.mark.parametrize(("query", "rest"), [*STRIPPED, *WHOLE_CLAUSES])
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
