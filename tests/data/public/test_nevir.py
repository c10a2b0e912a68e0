"""NevIR: two queries a pair."""

from __future__ import annotations

import pytest

from turnkeeper.data.public import nevir
from turnkeeper.errors import RowError

from .conftest import Write

PAIR = {
    "id": "12-3", "WorkerId": 4, "q1": "Which ferry did not sail?", "q2": "Which ferry sailed?",
    "doc1": "One stayed.", "doc2": "One left.",
}  # fmt: skip


def test_each_pair_gives_two_queries_that_exclude_nothing(jsonl: Write) -> None:
    rows = list(nevir.read(jsonl("test.jsonl", PAIR, {**PAIR, "id": "12-4"})))
    assert [row.id for row in rows] == ["12-3/q1", "12-3/q2", "12-4/q1", "12-4/q2"]
    assert {row.family for row in rows} == {"12"} and {row.exclude for row in rows} == {()}
    assert rows[1].query == "Which ferry sailed?"


def test_a_pair_without_its_second_query_is_named(jsonl: Write) -> None:
    with pytest.raises(RowError, match=r"test\.jsonl:2: field `q2`: is missing"):
        list(nevir.read(jsonl("test.jsonl", PAIR, {"id": "5-1", "q1": "Which?"})))
