"""check of reformulate outside English: content, inflection, and the language that must stay."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._language import identify, same_language
from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import Turn


def codes(asked: str, answered: str, query: str, result: str) -> set[str]:
    history = [Turn(role="user", content=asked), Turn(role="assistant", content=answered)]
    return {v.code for v in check(history=history, query=query, prediction={"standalone_query": result})}


DE = ("Was kostet die Pumpe Orla?", "Sie kostet 40 Euro.", "und wie lange ist die Lieferzeit?")
FR = ("Combien coûte la pompe Orla ?", "40 euros.", "et pour l'installation ?")
ES = ("¿Cuánto cuesta la bomba Orla?", "Cuesta 40 euros.", "¿y la garantía?")
NL = ("Wat kost de Zilverkraan 3?", "Die kost 40 euro.", "en hoeveel weegt hij?")
RU = ("Сколько стоит насос Орла?", "40 евро.", "а гарантия?")
ZH = ("青岚灯有几种颜色？", "三种。", "多少钱？")
JA = ("Orlaポンプの価格は？", "4000円です。", "保証は？")


@pytest.mark.parametrize(
    ("turns", "result"),
    [
        (DE, "Wie lange ist die Lieferzeit der Pumpe Orla?"),
        (FR, "Combien coûte l'installation de la pompe Orla ?"),
        (ES, "¿Cuál es la garantía de la bomba Orla?"),
        (NL, "Hoeveel weegt de Zilverkraan 3?"),
        (RU, "Какая гарантия на насос Орла?"),
        (ZH, "青岚灯多少钱？"),
        (JA, "Orlaポンプの保証は？"),
    ],
)
def test_rewrite_in_the_query_language_passes(turns: tuple[str, str, str], result: str) -> None:
    assert codes(*turns, result) == set()


@pytest.mark.parametrize(
    ("turns", "result"),
    [
        (DE, "What is the delivery time of the Orla pump?"),
        (NL, "How much does the Zilverkraan 3 weigh?"),
        (RU, "What is the warranty of the Orla pump?"),
        (ZH, "How much is the lamp?"),
        (JA, "Orla泵的保修期多长？"),
        (("What is the Orla pump?", "A pump.", "how much does it cost?"), "¿Cuánto cuesta la bomba Orla?"),
    ],
)
def test_translated_rewrite_is_flagged(turns: tuple[str, str, str], result: str) -> None:
    assert "language_changed" in codes(*turns, result)


def test_long_word_lost_in_another_language_is_flagged() -> None:
    assert "dropped_term" in codes(*FR, "Combien coûte la pompe Orla ?")


def test_number_invented_beside_chinese_is_flagged() -> None:
    assert "unsupported_term" in codes(*ZH, "青岚灯7731多少钱？")


def test_query_in_another_language_than_the_history_may_translate_it() -> None:
    asked, answered, _ = ES
    assert codes(asked, answered, "and what about the warranty?", "What is the warranty of the Orla pump?") == set()
    assert "unsupported_term" in codes(asked, answered, "and the warranty?", "What is the warranty of the Zarqun pump?")


def test_acronym_that_is_a_word_elsewhere_decides_nothing() -> None:
    assert same_language("EI sickness?", "Is EI sickness covered?")
    assert same_language("can i get EI if i quit", "can i get EI if i quit in Quebec")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where is the pump", "en"),
        ("wo ist die Pumpe", "de"),
        ("¿dónde está la bomba?", "es"),
        ("де насос і чому", "uk"),
        ("Orla S3", None),
        ("", None),
        ("泵在哪里", "zh"),
        ("ポンプはどこ", "ja"),
        ("ปั๊มอยู่ไหน", "th"),
    ],
)
def test_language_of_a_short_text(text: str, language: str | None) -> None:
    assert identify(text) == language


def test_language_without_a_word_list_is_told_statistically() -> None:
    query = "how much does the pump cost per month in total?"
    assert not same_language(query, "Paljonko tämän pumpun käyttö maksaa kuukaudessa yhteensä")
    assert same_language(query, "Orla Corvane pump monthly total cost price overview")
