"""QUEST: queries that take one category away."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.data.public import quest
from turnkeeper.errors import RowError

from .conftest import Write


def published(template: str, original: str, query: str = "Ferries of Lund, but no steamers") -> dict[str, Any]:
    return {
        "query": query, "docs": ["Ferry One"], "original_query": original, "scores": None,
        "metadata": {"template": template, "domain": "ships", "fluency": [True]},
    }  # fmt: skip


ROWS = [
    published("_ that are not _", "<mark>Ferries of Lund</mark> that are not <mark>Steamships</mark>"),
    published("_ or _", "<mark>Ferries</mark> or <mark>Tugs</mark>", "Ferries or tugs"),
    published(
        "_ that are also _ but not _",
        "<mark>Ferries</mark> that are also <mark>Wrecks</mark> but not <mark>Tugs</mark>",
    ),
]


def test_the_queries_without_a_negation_are_passed_over(jsonl: Write) -> None:
    first, second = quest.read(jsonl("test.jsonl", *ROWS))
    assert (first.id, first.include, first.exclude) == ("line-1", ("Ferries of Lund",), ("Steamships",))
    assert (second.id, second.include, second.exclude) == ("line-3", ("Ferries", "Wrecks"), ("Tugs",))
    assert first.query == "Ferries of Lund, but no steamers"


def test_the_trimmed_lines_name_both_sides(jsonl: Write) -> None:
    row = {"id": "q-4", "query": "Tugs but not wrecks", "gold_include": ["Tugs"], "gold_exclude": ["Wrecks"]}
    (one,) = quest.read(jsonl("quest.jsonl", row))
    assert (one.id, one.family, one.include, one.exclude) == ("q-4", "q-4", ("Tugs",), ("Wrecks",))


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (published("_ that are not _", "<mark>Ferries</mark> that are not steamers"), "original_query"),
        ({**ROWS[0], "metadata": {"domain": "ships"}}, "template"),
        ({"id": "q", "query": "x", "gold_include": [], "gold_exclude": ["y"]}, "gold_include"),
    ],
)
def test_a_bad_row_is_named(bad: dict[str, Any], field: str, jsonl: Write) -> None:
    with pytest.raises(RowError, match=rf"test\.jsonl:2: field `{field}`"):
        list(quest.read(jsonl("test.jsonl", ROWS[0], bad)))
