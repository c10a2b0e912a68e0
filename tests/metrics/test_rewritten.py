"""What a sentence in other words, or in another language, may not change."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._rewritten import added, changed, numbers

BERTH = "A berth at Brekka costs 24.50 euros a night until 9:30 on Sunday."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Visitors who want to hire a kayak have to show a valid passport.", "Kayak hire needs a valid passport."),
        (BERTH, "At Brekka, a night costs 24.50 euros until 9:30 on Sunday."),
        ("The boathouse is not open on Mondays.", "On Mondays the boathouse isn't open."),
        ("Two guides lead the tour.", "The tour has 2 guides."),
    ],
)
def test_the_same_in_other_words_stands(before: str, after: str) -> None:
    assert list(changed(before, after, language="en")) == []


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (BERTH, "A berth at Brekka costs 25.50 euros a night until 9:30 on Sunday.", "unsupported_claim"),
        (BERTH, "A berth at Brekka costs 24.50 euros.", "unsupported_claim"),  # the time is gone
        (BERTH, "A berth in the harbour costs 24.50 euros until 9:30 on Sunday.", "dropped_term"),
        ("The boathouse is not open on Mondays.", "The boathouse is open on Mondays.", "unsupported_claim"),
        ("The boathouse is open on Mondays.", "The boathouse is never open on Mondays.", "unsupported_claim"),
        ("The sauna seats eight guests.", "The sauna seats nine guests.", "unsupported_claim"),
        ("The sauna seats guests.", "", "unparsable"),
        ("The sauna seats guests.", "...", "unparsable"),
        ("The sauna seats guests.", "Guests sit in the sauna [1].", "malformed_marker"),
        ("The sauna seats guests.", "Guests sit in it.\nSources:\n- A: B", "malformed_marker"),
        ("The sauna seats guests.", "The sauna " + "and the lovely warm old sauna " * 5, "unsupported_claim"),
    ],
)
def test_what_says_something_else_does_not(before: str, after: str, code: str) -> None:
    assert code in {violation.code for violation in changed(before, after, language="en")}


@pytest.mark.parametrize(
    ("after", "language"),
    [
        ("Ein Liegeplatz in Brekka kostet bis Sonntag um 9.30 Uhr 24,50 Euro pro Nacht.", "de"),
        ("Un emplacement à Brekka coûte 24,50 euros la nuit jusqu'à 9:30 le dimanche.", "fr"),
        ("Un amarre en Brekka cuesta 24,50 euros por noche hasta las 9:30 del domingo.", "es"),
    ],
)
def test_a_translation_keeps_numbers_and_names(after: str, language: str) -> None:
    assert list(changed(BERTH, after, language=language, translates=True)) == []


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (BERTH, BERTH, "language_changed"),
        (BERTH, "Un emplacement à Brekka coûte 24,50 euros la nuit jusqu'à 9:30 le dimanche.", "language_changed"),
        (BERTH, "Ein Liegeplatz kostet bis Sonntag um 9.30 Uhr 24,50 Euro pro Nacht.", "dropped_term"),
        (BERTH, "Ein Liegeplatz in Brekka kostet bis Sonntag um 9.30 Uhr 42,50 Euro.", "unsupported_claim"),
        ("The boathouse is not open on Mondays.", "Das Bootshaus ist montags geöffnet.", "unsupported_claim"),
        ("The boathouse is open on Mondays.", "Das Bootshaus ist montags nicht geöffnet.", "unsupported_claim"),
        ("A rowing boat costs 14 euros an hour", "Rowing boats: 14 euros an hour.", "language_changed"),
    ],
)
def test_a_translation_that_is_none_or_says_something_else_does_not_stand(before: str, after: str, code: str) -> None:
    assert code in {violation.code for violation in changed(before, after, language="de", translates=True)}


def test_a_name_may_take_the_form_of_the_language() -> None:
    before, after = "The train from Munich takes 3 hours.", "Der Zug aus München braucht 3 Stunden."
    assert list(changed(before, after, language="de", translates=True)) == []


def test_numbers_are_the_same_however_a_language_writes_them() -> None:
    assert numbers("1.5 and 9:30") == numbers("9.30 und 1,5") != numbers("15 and 9:30")


def test_words_that_nothing_known_holds_are_new() -> None:
    assert added("A night in a berth costs 24.50 euros.", [BERTH], "en") == ([], 5)
    assert added("A hovercraft costs 24.50 euros.", [BERTH], "en") == (["hovercraft"], 4)
    assert added("Payment is 24.50 euros.", ["You pay 24.50 euros."], "en")[0] == []
