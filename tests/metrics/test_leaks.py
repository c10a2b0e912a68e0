"""Mentions of what is ruled out: by lemma and surface, on token boundaries, through hostile spellings."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._leaks import leaks
from turnkeeper.signatures.types import Exclusion

LEAKS = [
    ("lock-in", "a plan with lock - in"),
    ("lock-in", "l.o.c.k-in clauses"),
    ("lock-in", "lockin"),
    ("wifi", "a room with wi-fi"),
    ("garden", "g\u200barden flats"),
    ("garden", "GARDENS"),
    ("garden", "garden-free"),
    ("garden", "g-a-r-d-e-n"),
    ("garden", "g a r d e n"),
    ("garden", "g\u0430rden"),
    ("garden", "\uff47\uff41\uff52\uff44\uff45\uff4e"),
    ("running", "he ran home"),
    ("mice", "a mouse trap"),
    ("wolf", "wolves"),
    ("cr\u00e8me br\u00fbl\u00e9e", "creme brulee"),
    ("Sm\u00f8rrebr\u00f8d", "smorrebrod"),
    ("\u0141\u00f3d\u017a", "lodz"),
    ("Stra\u00dfe", "strasse"),
    ("\u0152uvre", "oeuvre"),
    ("Ostby's list", "the Ostbys list"),
    ("swimming pool", "swimming pools"),
    ("swimming pool", "swimming_pool"),
    ("Q3", "q3 figures"),
    ("3.5", "version 3.5"),
    ("the Ritz", "ritz"),
]
HARMLESS = [
    ("art", "a party"),
    ("organ", "an organisation"),
    ("anime", "animals"),
    ("war documentaries", "war drama and wildlife documentaries"),
    ("Java the language", "a trip to Java"),
    ("lock-in", "The lock. In winter it sticks."),
    ("news", "a new car"),
    ("past", "paste"),
    ("car pet", "carp et al"),
    ("garden", "gardener"),
    ("Q3", "Q31"),
    ("", "anything"),
    ("!!", "anything !!"),
]


@pytest.mark.parametrize(("phrase", "text"), LEAKS)
def test_a_leak(phrase: str, text: str) -> None:
    assert leaks(text, [Exclusion(phrase=phrase)])


@pytest.mark.parametrize(("phrase", "text"), HARMLESS)
def test_no_leak(phrase: str, text: str) -> None:
    assert leaks(text, [Exclusion(phrase=phrase)]) == ()


def test_a_leak_says_where_and_what() -> None:
    (found,) = leaks("a k8s course", [Exclusion(phrase="Kubernetes", aliases=("k8s",))])
    assert found == ("Kubernetes", 2, 5)


def test_places_are_those_of_the_text_as_written() -> None:
    text = "\ufb01ne G\u00c4RTEN today"
    (found,) = leaks(text, [Exclusion(phrase="garten")])
    assert text[found.start : found.end] == "G\u00c4RTEN"


def test_a_revoked_exclusion_is_free() -> None:
    assert leaks("glass", [Exclusion(phrase="glass", status="revoked")]) == ()


def test_a_phrase_of_another_language_is_found_with_its_endings() -> None:
    assert leaks("K\u00f6rbe", [Exclusion(phrase="Korb", cue="ohne")])
    assert not leaks("Renner", [Exclusion(phrase="Renn", cue="except")])


def test_a_plural_cut_by_one_letter_is_a_leak_only_where_it_is_no_word() -> None:
    assert leaks("a brushe of oak", [Exclusion(phrase="brushes")])
    assert not leaks("the shoe rack", [Exclusion(phrase="shoelaces")])
