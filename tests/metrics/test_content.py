"""Terms in forms that compare, and their counted survival."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._content import Vocabulary, forms, missing, quoted_spans, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [("two", "2"), ("second", "2nd"), ("twenty-five", "25"), ("1,200", "1200"), ("16gb", "16-gb"), ("don't", "cannot"),
     ("without", "except"), ("karrow's", "karrow"), ("2021-2023", "2021\u20132023")],
)  # fmt: skip
def test_same_form(one: str, other: str) -> None:
    assert forms(one) == forms(other)


@pytest.mark.parametrize(
    ("one", "other"), [("3.1", "3.10"), ("c-14", "c14"), ("b1", "b2"), ("2", "20"), ("no-code", "code")]
)
def test_different_form(one: str, other: str) -> None:
    assert forms(one) != forms(other)


def test_iso_date_equals_the_date_in_words() -> None:
    assert sorted(forms("2026-03-12")) == sorted(f for w in ("12", "march", "2026") for f in forms(w))


@pytest.mark.parametrize(
    ("known", "asked"), [("the pump overheats", "overheating"), ("shelves", "shelf"), ("it was written", "writes")]
)
def test_inflections_are_known(known: str, asked: str) -> None:
    assert Vocabulary([known]).has(terms(asked)[0], english=True)


def test_derivations_are_not() -> None:
    assert not Vocabulary(["install it"]).has(terms("installation")[0], english=True)


def test_other_languages_compare_by_stem() -> None:
    assert Vocabulary(["Lieferzeiten"]).has(terms("Lieferzeit")[0], english=False)


def test_each_partner_serves_once() -> None:
    lost = missing(terms("3 pumps and 3 valves"), terms("3 pumps and valves"), english=True)
    assert [term.text for term in lost] == ["3"]


def test_quoted_spans_in_every_style() -> None:
    text = "\"a b\" \u201cc d\u201d \u00abe f\u00bb `g h` 'i j' it's Ana's"
    assert quoted_spans(text) == ["a b", "c d", "e f", "g h", "i j"]
