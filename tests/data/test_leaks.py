"""That a golden set whose splits share something is refused, with the row that does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.leaks import require_apart
from turnkeeper.errors import InputError, RowError

from .test_reformulate import GOOD


def golden_set(folder: Path, **splits: list[dict[str, Any]]) -> Path:
    for split, rows in splits.items():
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def other(number: int, **changes: Any) -> dict[str, Any]:
    history = [{"role": "user", "content": f"Do you sell the Aldra lamp in size {number}?"}]
    return {**GOOD, "id": f"o-{number}", "family": f"o{number}", "history": history, **changes}


def test_the_shipped_set_keeps_its_splits_apart() -> None:
    require_apart()


def test_an_unknown_behaviour_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no golden set 'magic'; there is: carry_forward, cite, expand, reformulate"):
        require_apart(behaviour="magic")


def test_rows_of_one_split_may_share_a_family(tmp_path: Path) -> None:
    require_apart(golden_set(tmp_path, train=[other(1), other(2, family="o1")], dev=[other(3)], test=[other(4)]))


def test_a_set_without_a_test_split_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(RowError, match="family"):
        require_apart(golden_set(tmp_path, train=[other(1)], dev=[other(2, family="o1")]))


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"id": "o-2"}, "id", "'o-2' stands in train.jsonl:2 already"),
        ({"family": "o2"}, "family", "the family 'o2' stands in train.jsonl:2 already"),
        ({"history": other(2)["history"]}, "query", "the same history with the same query stands in train.jsonl:2"),
    ],
)
def test_what_two_splits_share_is_named(changes: dict[str, Any], field: str, says: str, tmp_path: Path) -> None:
    rows = {"train": [other(1), other(2)], "dev": [other(3)], "test": [other(4), other(5, **changes)]}
    with pytest.raises(RowError, match=says) as caught:
        require_apart(golden_set(tmp_path, **rows))
    assert (Path(caught.value.file).name, caught.value.line, caught.value.field) == ("test.jsonl", 2, field)


def test_capitals_and_white_space_do_not_hide_a_turn(tmp_path: Path) -> None:
    shouted = other(3, history=other(1)["history"], query="IS  it\tdimmable?")
    with pytest.raises(RowError, match="the same query"):
        require_apart(golden_set(tmp_path, train=[other(1)], dev=[shouted]))


def test_the_same_query_in_another_conversation_is_no_leak(tmp_path: Path) -> None:
    require_apart(golden_set(tmp_path, train=[other(1)], dev=[other(2)]))
