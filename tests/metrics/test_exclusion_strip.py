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


# What trails the phrase goes with it, and what stands on either side goes on as one sentence.
SEAMS = [
    ("Lakes with day permits; no motor boats on them, Garsen county", "Lakes with day permits; Garsen county"),
    ("rooms without mirrors of any kind in Leeds", "rooms in Leeds"),
    ("a camp, no lights at all, near Orrin", "a camp, near Orrin"),
    ("lamps that do not contain mercury and have a dimmer", "lamps that have a dimmer"),
    ("a lamp that contains no mercury but is bright", "a lamp that is bright"),
    ("a tent without poles and with a porch", "a tent with a porch"),
]


@pytest.mark.parametrize(("query", "rest"), [*STRIPPED, *WHOLE_CLAUSES, *SEAMS])
def test_cue_and_phrase_go_together(query: str, rest: str) -> None:
    exclusions = detect([], query).exclusions
    assert without_exclusions(query, exclusions) == rest
    assert leaks(rest, exclusions) == ()


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("lamps that contain mercury", "lamps"),
        ("a lamp which contains mercury", "a lamp"),
        ("which of the lamps contain mercury and have a dimmer?", "which of the lamps have a dimmer?"),
        ("which lamp contains mercury and has a dimmer?", "which lamp has a dimmer?"),
        ("lamps that are bright and contain mercury", "lamps that are bright"),
        ("lamps which contain mercury and argon", "lamps which contain argon"),
        ("lamps that run on mercury", "lamps"),
        ("a lamp with a mercury switch", "a lamp with a switch"),
        ("halls with mercury and a bar", "halls with a bar"),
    ],
)
def test_a_clause_about_what_is_gone_leaves_nothing_dangling(query: str, rest: str) -> None:
    assert without_exclusions(query, [Exclusion(phrase="mercury")]) == rest


def test_a_mention_without_a_cue_goes_too() -> None:
    assert without_exclusions("glass shelves and glass doors", [Exclusion(phrase="glass")]) == "shelves and doors"


def test_a_text_that_names_nothing_excluded_stays_as_it_is() -> None:
    text = "  shelves ,  deep and wide and  "
    assert without_exclusions(text, [Exclusion(phrase="glass")]) == text
    assert without_exclusions("glass", [Exclusion(phrase="glass", status="revoked")]) == "glass"
