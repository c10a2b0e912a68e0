"""When what was found says all that a query asks for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from turnkeeper._turn.enough import enough
from turnkeeper.signatures.types import Passage

from ..timing import assert_linear


def _passage(text: str, title: str = "") -> Passage:
    return Passage(doc_id="P-1", title=title, text=text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("How much does the sledge cost a day?", "The sledge costs 9 crowns a day."),
        ("When does the pottery open in winter?", "Opening hours of the pottery: in winter 10 to 15."),
        ("Wann öffnet die Töpferei im Winter?", "Die Töpferei öffnet im Winter um zehn Uhr und schließt um drei."),
        ("What is the pottery's address?", "The address of the pottery: 4 Kiln Lane."),
        ("range of the Marten", "The Marten, a van, has a range of 210 kilometres."),
    ],
)
def test_a_first_passage_that_alone_has_all_content_words_is_enough(query: str, text: str) -> None:
    assert enough(query, [_passage(text), _passage("The harbour is closed on Mondays.")])


def test_it_is_not_where_another_has_them_too_or_stands_before_it() -> None:
    query, first = "How much does the sledge cost a day?", _passage("The sledge costs 9 crowns a day.")
    assert not enough(query, [first, _passage("A day on the sledge costs nothing for children.")])
    assert not enough(query, [_passage("The sledge is red."), first])


def test_a_title_is_part_of_its_passage() -> None:
    assert enough("How much does the sledge cost a day?", [_passage("It costs 9 crowns a day.", "Sledge")])


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("How much does the sledge cost a day?", []),
        ("How much does the sledge cost a day?", ["The sledge is red."]),
        ("How much does the sledge cost a day?", ["The sledge is red.", "A skate costs 2 crowns a day."]),
        ("How much does Sledge 9 cost?", ["Sledge 8 costs 12 crowns, and so does Sledge 19."]),
        ("opening hours", ["The harbour lies north of the town."]),
        ("sledges?", ["The sledge is red."]),
        ("And that?", ["That is red."]),
        ("", ["The sledge is red."]),
    ],
)
def test_words_that_are_missing_or_too_few_are_not(query: str, texts: list[str]) -> None:
    assert not enough(query, map(_passage, texts))


@pytest.mark.parametrize(
    "query",
    [
        "List sledges that cost 9 crowns a day",
        "Which sledge costs 9 crowns a day?",
        "all sledges, 9 crowns a day",
        "What sledges cost 9 crowns a day?",
        "What are the sledges that cost 9 crowns a day?",
        "Compare sledges: crowns a day",
        "What issues cost 9 crowns a day of sledges?",
        "Who are the sledges of 9 crowns a day?",
        "Name the sledges that cost 9 crowns a day",
    ],
)
def test_a_question_for_several_things_needs_all_passages_on_them(query: str) -> None:
    assert not enough(query, [_passage("Sledges cost 9 crowns a day.")])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Welche Schlitten kosten neun Kronen am Tag?", "Schlitten kosten neun Kronen am Tag."),
        ("Quels traîneaux coûtent neuf couronnes par jour ?", "Les traîneaux coûtent neuf couronnes par jour."),
        ("¿Cuáles trineos cuestan nueve coronas al día?", "Los trineos cuestan nueve coronas al día."),
    ],
)
def test_so_does_one_in_another_language(query: str, text: str) -> None:
    assert not enough(query, [_passage(text)])


def test_words_do_not_tell_what_a_passage_in_another_language_says() -> None:
    text = "Die Sauna kostet für eine Person neun Euro und ist am Montag leider nicht geöffnet."
    assert not enough("How much does the sauna cost for one person?", [_passage(text)])


def test_a_query_that_is_a_document_is_not_read() -> None:
    text = "The sledge costs 9 crowns. " * 200
    assert not enough(text, [_passage(text)])


def test_of_a_book_the_beginning_is_read() -> None:
    book = "The sledge costs 9 crowns a day. " + "Snow falls on the hills. " * 40_000
    assert enough("How much does the sledge cost a day?", [_passage(book)])
    assert not enough("How much does the fall cost in the hills a day?", [_passage("A day. " * 4_000 + book)])
    query = "雪橇雪鞋雪车雪板雪杖雪镜雪衣雪裤雪帽 九元克朗够不够用"

    def work(size: int) -> Callable[[], bool]:
        passages = [_passage("雪" * size)] * 4
        return lambda: enough(query, passages)

    assert_linear(work, 20_000, 1_000_000, factor=4)
