"""Other languages: few clear forms, never the English rules."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import find_mentions, residual_references


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
        ("quanto costa quest'ultima?", "quest'ultima"),
        ("Kunnen ze vliegen?", "ze"),
        ("¿Puedo alquilarlo dos días?", "lo"),
        ("¿Cuándo la puedo devolver?", "la"),
        ("Si può noleggiarla online?", "la"),
        ("Vocês podem entregá-la hoje?", "la"),
        ("Je peux la louer ?", "la"),
        ("Combien pèse-t-elle ?", "elle"),
        ("son moteur est bruyant ?", "son"),
        ("Wie schalte ich das wieder ein?", "das"),
        ("Die hat gestern angerufen.", "Die"),
        ("Was hat sie vorher gemacht?", "sie"),
        ("Was kostet ihre Reparatur?", "ihre"),
        ("Ile waży jego silnik?", "jego"),
        ("Сколько стоит его ремонт?", "его"),
        ("Hvad koster hans båd?", "hans"),
        ("Orada park var mı?", "Orada"),
        ("押金呢\uff1f", "呢"),
        ("送料は\uff1f", "は"),
        ("وماذا عن السعر؟", "وماذا عن"),
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
        "Tengo una canoa, ¿puedo dejarla en Tolvik?",
        "La serrure est-elle solide ?",
        "Comment un chat lave ses pattes ?",
        "Peut-on ouvrir le portail et le peindre ?",
        "Das Boot ist teuer, oder?",
        "Was kostet Ihre Reparatur?",
        "Wann bekommt der Hund seine Impfung?",
        "Wat doen de honden en waar slapen ze?",
        "为什么天是蓝的呢",
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


@pytest.mark.parametrize("query", ["Und was kostet die Fahrt?", "E al secondo?", "Et le prix ?", "押金呢\uff1f"])
def test_a_short_opener_left_as_asked_is_flagged(query: str) -> None:
    assert [m.kind for m in residual_references(query, query, [])] == ["ellipsis"]


def test_an_opener_with_a_full_topic_passes() -> None:
    query = "Et comment réserver une cabine à Sauvrac pour deux personnes ?"
    assert residual_references(query, query, []) == []
