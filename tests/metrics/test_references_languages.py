"""Other languages: few clear forms, never the English rules."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import find_mentions


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("¿Cuántos años vivió ahí?", "ahí"),
        ("¿Cuánto cuesta eso?", "eso"),
        ("Comment est-ce que j'y vais ?", "y"),
        ("Combien coûte celui-ci ?", "celui-ci"),
        ("Wie weit ist es dorthin?", "dorthin"),
        ("Und der Preis?", "Und"),
        ("Quanto custa isso?", "isso"),
        ("Hoe kom ik daar?", "daar"),
        ("它多少钱\uff1f", "它"),
    ],
)
def test_form(query: str, text: str) -> None:  # REF-02
    assert [m.text for m in find_mentions(query)] == [text]


@pytest.mark.parametrize(
    "query",
    [
        "¿Cuántos años vivió Clara Roig en Vilanova?",
        "Y a-t-il un parking ?",
        "Welche Farbe hat die Tür, die Ole Vik strich?",
        "Hoe lang duurt het om een paspoort te krijgen?",
        "Ole Vik wohnt in Bergen, ist es dort im Winter kalt?",
        "È vero che il museo è chiuso?",
        "这家餐厅有什么推荐菜\uff1f",
        "วันนี้อากาศเป็นอย่างไร",
    ],
)
def test_no_reference(query: str) -> None:
    assert find_mentions(query) == []


def test_the_caller_may_name_the_language() -> None:
    assert find_mentions("it", language="it") == []


def test_a_language_without_rules_has_no_references() -> None:
    assert find_mentions("it", language="fi") == []
