"""QReCC: one turn an object."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.data.public import qrecc
from turnkeeper.errors import RowError

from .conftest import Write


def row(turn: int, context: list[str], question: str, rewrite: str, conversation: int = 9) -> dict[str, Any]:
    return {
        "Context": context, "Question": question, "Rewrite": rewrite, "Answer": "Nobody knows.", "Answer_URL": "",
        "Conversation_no": conversation, "Turn_no": turn, "Conversation_source": "nq",
    }  # fmt: skip


ROWS = [
    row(1, [], "who built the old mill", "Who built the old mill?"),
    row(2, ["who built the old mill", "A cooper."], "when was it", "When was the old mill built?"),
    row(1, [], "how deep is the quarry", "", conversation=10),
]


def test_every_object_is_a_turn(array: Write) -> None:
    rows = list(qrecc.read(array("qrecc_test.json", *ROWS)))
    assert [(one.id, one.conversation) for one in rows] == [("9_1", "9"), ("9_2", "9"), ("10_1", "10")]
    assert [turn.role for turn in rows[1].history] == ["user", "assistant"]
    assert [one.rewrite for one in rows] == ["Who built the old mill?", "When was the old mill built?", None]


def test_the_trimmed_lines_keep_the_conversation(jsonl: Write) -> None:
    (one,) = qrecc.read(jsonl("q.jsonl", {"id": "9_2", "history": [], "query": "when", "human_rewrite": "When?"}))
    assert (one.id, one.conversation, one.rewrite) == ("9_2", "9", "When?")


def test_a_turn_number_below_one_is_named(array: Write) -> None:
    with pytest.raises(RowError, match=r"qrecc\.json:\d+: field `\[0\]\.Turn_no`"):
        list(qrecc.read(array("qrecc.json", row(0, [], "who", "Who?"))))
