"""The sets by name and by what a file holds, and the fixed ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import FIXED, SETS, find, fixed_ids, recognise
from turnkeeper.errors import InputError, RowError

from .conftest import Write

TRIMMED = {"history": [], "query": "q"}
FIRST: list[tuple[str, dict[str, Any]]] = [
    ("canard", {"QuAC_dialog_id": "C_1"}),
    ("canard", {**TRIMMED, "id": "C_1#2"}),
    ("qrecc", {"Conversation_no": 1, "Question": "q"}),
    ("cast", {"number": 31, "turn": []}),
    ("cast", {**TRIMMED, "id": "cast20_81_1"}),
    ("mtrag", {"task_id": "a<::>1", "input": []}),
    ("mtrag", {**TRIMMED, "task_id": "a<::>1", "gold_passages": []}),
    ("nevir", {"id": "1-1", "q1": "a", "q2": "b"}),
    ("quest", {"query": "q", "original_query": "q", "metadata": {}}),
    ("quest", {"id": "q", "gold_exclude": [], "silver_exclude": []}),
    ("excluir", {"id": "e", "silver_exclude": []}),
]


@pytest.mark.parametrize(("name", "first"), FIRST)
def test_a_file_is_known_by_its_first_object(name: str, first: dict[str, Any], jsonl: Write) -> None:
    assert recognise(jsonl("some.jsonl", first)).name == name


def test_a_file_of_no_set_asks_for_the_set(jsonl: Write) -> None:
    with pytest.raises(RowError, match=r"some\.jsonl:1: of no set .* --set canard\|qrecc"):
        recognise(jsonl("some.jsonl", {**TRIMMED, "id": "own-1"}))


@pytest.mark.parametrize("name", sorted(SETS))
def test_every_set_says_where_it_comes_from(name: str) -> None:
    one = find(name)
    assert all(map(len, (one.title, one.provenance, one.licence, one.citation))) and one.files
    assert one.task in ("rewrite", "exclusions") and any("trimmed" in file for file in one.files)


def test_an_unknown_set_lists_the_known() -> None:
    with pytest.raises(InputError, match="'magic'; there is: canard, qrecc, cast, mtrag, nevir, quest, excluir"):
        find("magic")
    with pytest.raises(InputError, match="there are some for: canard, cast, mtrag"):
        fixed_ids("quest")


@pytest.mark.parametrize(("name", "count"), [("canard", 150), ("cast", 150), ("mtrag", 341)])
def test_the_fixed_ids_are_those_of_the_plain_lists(name: str, count: int, repository: Path) -> None:
    listed = (repository / "benchmarks" / "public_ids" / f"{name}.txt").read_text(encoding="utf-8").split()
    assert list(fixed_ids(name)) == listed and len(set(listed)) == len(listed) == count
    assert set(FIXED) == {"canard", "cast", "mtrag"}
