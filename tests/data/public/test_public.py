"""The sets by name and by what a file holds, the fixed ids, and the rule of a set without a list."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import DRAWS, FIXED, SETS, Draw, PublicTurn, find, fixed_ids, recognise
from turnkeeper.errors import InputError, RowError
from turnkeeper.signatures.types import Turn

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
    with pytest.raises(InputError, match="there are some for: canard, cast, mtrag, nevir, quest, excluir"):
        fixed_ids("qrecc")


COUNTS = [("canard", 150), ("cast", 150), ("mtrag", 341), ("nevir", 200), ("quest", 43), ("excluir", 200)]


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_the_fixed_ids_are_those_of_the_plain_lists(name: str, count: int, repository: Path) -> None:
    listed = (repository / "benchmarks" / "public_ids" / f"{name}.txt").read_text(encoding="utf-8").split()
    assert list(fixed_ids(name)) == listed and len(set(listed)) == len(listed) == count


def test_every_set_has_either_a_list_or_a_rule() -> None:
    assert set(FIXED) == {name for name, _ in COUNTS}
    assert set(FIXED).isdisjoint(DRAWS) and set(FIXED) | set(DRAWS) == set(SETS)


@pytest.mark.parametrize("name", ["canard", "cast", "nevir", "quest", "excluir"])
def test_the_fixed_ids_are_of_the_half_that_no_rule_was_tuned_on(name: str) -> None:
    rows = {one.split("/")[0] for one in fixed_ids(name)}  # a pair of NevIR is one row with two queries
    assert {sha256(row.encode()).digest()[0] % 2 for row in rows} == {1}


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [("nevir", "1007-3/q1", "996-2/q1"), ("quest", "quest-10", "quest-98"), ("excluir", "excluir-1015", "excluir-993")],
)
def test_ids_are_spelled_as_in_the_files(name: str, first: str, last: str) -> None:
    assert (fixed_ids(name)[0], fixed_ids(name)[-1]) == (first, last)


def drawable(number: int, **more: Any) -> PublicTurn:
    said = (Turn(role="user", content="Tell me of the old mill."),)
    fields = {"history": said, "query": "who built it", "rewrite": "Who built the old mill?", **more}
    return PublicTurn(id=f"{number}_2", conversation=str(number), **fields)


def test_a_rule_draws_the_turns_with_the_smallest_digests_in_the_order_of_the_file() -> None:
    turns = [drawable(number) for number in range(40)]
    ranked = sorted((sha256(f"7:{turn.id}".encode()).hexdigest(), turn.id) for turn in turns)
    drawn = Draw(seed=7, rows=6).of(turns)
    assert {turn.id for turn in drawn} == {name for _, name in ranked[:6]}
    assert [int(turn.conversation) for turn in drawn] == sorted(int(turn.conversation) for turn in drawn)
    assert Draw(seed=7, rows=6).of(reversed(turns)) == drawn[::-1]
    assert Draw(seed=8, rows=6).of(turns) != drawn
    assert Draw(seed=7, rows=60).of(turns) == turns


def test_a_rule_draws_no_turn_that_cannot_be_measured() -> None:
    turns = [drawable(1), drawable(2, history=()), drawable(3, rewrite=None), drawable(4)]
    assert [turn.id for turn in Draw(seed=7, rows=3).of(turns)] == ["1_2", "4_2"]
