"""CANARD: published arrays and trimmed lines give the same turns."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.data.public import canard
from turnkeeper.errors import RowError
from turnkeeper.signatures.types import Turn

from .conftest import Write

TITLE = ["Ilka Varn", "Later years"]
ASKED = ["Where did Varn move?", "To a lighthouse.", "Did she paint there?", "Mostly birds.", "Were they sold?"]


def published(number: int, history: list[str], question: str, rewrite: str, **more: Any) -> dict[str, Any]:
    return {
        "History": [*TITLE, *history], "QuAC_dialog_id": "C_ab12_1", "Question": question, "Question_no": number,
        "Rewrite": rewrite, **more,
    }  # fmt: skip


ROWS = [
    published(1, [], ASKED[0], "Where did Ilka Varn move?"),
    published(2, ASKED[:2], ASKED[2], "Did Ilka Varn paint in the lighthouse?"),
    published(3, ASKED[:4], ASKED[4], "Were Ilka Varn's paintings of birds sold?"),
]


def test_every_question_is_a_turn(array: Write) -> None:
    rows = list(canard.read(array("dev.json", *ROWS)))
    assert [row.id for row in rows] == ["C_ab12_1#1", "C_ab12_1#2", "C_ab12_1#3"]
    assert {row.conversation for row in rows} == {"C_ab12_1"}
    assert rows[0].history == () and rows[0].query == "Where did Varn move?"
    assert rows[2].rewrite == "Were Ilka Varn's paintings of birds sold?"


def test_the_title_opens_the_history_and_the_speakers_alternate(array: Write) -> None:
    last = list(canard.read(array("dev.json", *ROWS)))[2]
    assert last.history == (
        Turn(role="user", content="Ilka Varn: Later years"),
        Turn(role="user", content=ASKED[0]),
        Turn(role="assistant", content=ASKED[1]),
        Turn(role="user", content=ASKED[2]),
        Turn(role="assistant", content=ASKED[3]),
    )


def test_the_trimmed_lines_say_the_same(array: Write, jsonl: Write) -> None:
    rows = list(canard.read(array("dev.json", *ROWS)))
    trimmed = [
        {
            "id": row.id, "title": TITLE[0], "history": [turn.model_dump() for turn in row.history],
            "query": row.query, "human_rewrite": row.rewrite, "licence": "CC BY-SA 4.0",
        }
        for row in rows
    ]  # fmt: skip
    assert list(canard.read(jsonl("dev.jsonl", *trimmed))) == rows


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"Rewrite": None}, r"\[1\]\.Rewrite", "is missing"),
        ({"Question_no": "third"}, r"\[1\]\.Question_no", "integer"),
        ({"History": ["alone"]}, r"\[1\]\.History", "at least 2"),
        ({"History": ["a", "b", 7]}, r"\[1\]\.History\.2", "string"),
        ({"Question_no": 1}, "id", "'C_ab12_1#1' stands on line 2 already"),
    ],
)
def test_a_bad_object_is_named_by_file_line_and_field(
    change: dict[str, Any], field: str, said: str, array: Write
) -> None:
    path = array("dev.json", ROWS[0], {**ROWS[1], **change})
    with pytest.raises(RowError, match=rf"dev\.json:\d+: field `[^`]*{field}`: .*{said}"):
        list(canard.read(path))
