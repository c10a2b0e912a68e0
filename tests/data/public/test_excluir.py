"""ExcluIR: a query and its silver label."""

from __future__ import annotations

import pytest

from turnkeeper.data.public import excluir
from turnkeeper.errors import RowError

from .conftest import Write


def test_the_label_may_be_empty(jsonl: Write) -> None:
    rows = [
        {
            "id": "e-1",
            "query": "Harbours, leaving out docks",
            "silver_exclude": ["docks"],
            "silver_rewrite": "Harbours",
        },
        {"id": "e-2", "query": "Harbours", "silver_exclude": []},
    ]
    assert [(one.id, one.exclude) for one in excluir.read(jsonl("e.jsonl", *rows))] == [
        ("e-1", ("docks",)),
        ("e-2", ()),
    ]


def test_a_label_that_is_no_list_is_named(jsonl: Write) -> None:
    with pytest.raises(RowError, match=r"e\.jsonl:1: field `silver_exclude`"):
        list(excluir.read(jsonl("e.jsonl", {"id": "e", "query": "q", "silver_exclude": "docks"})))
