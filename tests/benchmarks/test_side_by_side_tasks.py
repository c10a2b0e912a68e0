"""The turns of `benchmarks/side_by_side.py`: what is read, cut, left out and sampled."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.reformulate import load
from turnkeeper.errors import InputError

HISTORY = [
    {"role": "user", "content": "Tell me about the Orvane kettle."},
    {"role": "assistant", "content": "It boils a litre in two minutes."},
]


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("_approaches_tasks")


@pytest.fixture
def read(tasks: Any, tmp_path: Path) -> Callable[..., Any]:
    def call(*rows: dict[str, Any]) -> Any:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return tasks.read_tasks(path)

    return call


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "history": HISTORY, "query": "Is it loud?", "human_rewrite": "Is the Orvane loud?", **more}


@pytest.mark.parametrize(
    ("fields", "references"),
    [
        ({"human_rewrite": "H?", "official_rewrite": "O?", "gold": "G?"}, ("H?",)),
        ({"human_rewrite": None, "official_rewrite": "O?"}, ("O?",)),
        ({"human_rewrite": None, "gold": "G?"}, ("G?",)),
        (
            {"human_rewrite": None, "gold": {"standalone_query": "G?", "acceptable": ["A?"], "action": "rewrite"}},
            ("G?", "A?"),
        ),
    ],
)
def test_the_first_reference_that_is_there_counts(
    fields: dict[str, Any], references: tuple[str, ...], tasks: Any, read: Any
) -> None:
    (task,) = tasks.choose(read(row("a", **fields))).tasks
    assert task.references == references


def test_a_row_may_have_a_task_id_and_fields_of_its_own(tasks: Any, read: Any) -> None:
    given = {**row("a"), "task_id": "t<::>1", "licence": "any", "turn": 4}
    del given["id"]
    assert [task.id for task in tasks.choose(read(given)).tasks] == ["t<::>1"]


def test_a_bad_row_is_named_by_file_line_and_field(read: Any) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl:2: field `gold\.standalone_query`"):
        read(row("a"), row("b", gold={"acceptable": []}))


def test_what_cannot_be_compared_is_left_out_and_counted(tasks: Any, read: Any) -> None:
    rows = read(
        row("a"), row("b", human_rewrite=None), row("c", history=[]), row("d", access_scope={"tenant": "nord"}),
        row("e", history=[{"role": "user", "content": "Is it loud?"}]), row("f", human_rewrite=" "),
    )  # fmt: skip
    chosen = tasks.choose(rows)
    assert [task.id for task in chosen.tasks] == ["a"]
    assert chosen.left_out == {tasks.WITHOUT_REFERENCE: 2, tasks.WITHOUT_HISTORY: 2, tasks.WITH_SCOPE: 1}
    assert "Left out: 1 rows with an access scope" in "\n".join(tasks.left_out_lines(chosen.left_out))


def test_the_history_is_the_last_six_messages_and_older_ones_never_come_back(tasks: Any, read: Any) -> None:
    older = [{"role": "user", "content": "How tall is the Quillmarsh bridge?"}]
    newer = [{"role": "user", "content": f"Question {n}?"} for n in range(6)]
    (task,) = tasks.choose(read(row("a", history=older + newer, query="Is the Quillmarsh bridge old?"))).tasks
    assert [turn.content for turn in task.history] == [f"Question {n}?" for n in range(6)]


def test_rows_share_a_conversation_by_family_id_or_opening(tasks: Any, read: Any) -> None:
    other = [{"role": "user", "content": "Hello?"}, *HISTORY]
    chosen = tasks.choose(
        read(row("a"), row("b"), row("c", history=other), row("d", conversation_id="k"), row("e", family="f"))
    )
    families = [task.family for task in chosen.tasks]
    assert families[0] == families[1] and families[2:] == ["Hello?", "k", "f"]
    assert len(set(families)) == 4


def test_a_sample_is_seeded_ordered_and_part_of_a_larger_one(tasks: Any, read: Any) -> None:
    rows = read(*(row(f"r{n:02d}") for n in range(40)))

    def ids(count: int, seed: int = 0) -> list[str]:
        return [task.id for task in tasks.choose(rows, count=count, seed=seed).tasks]

    assert len(ids(10)) == 10 and ids(10) == ids(10) == sorted(ids(10))
    assert set(ids(10)) < set(ids(20)) and ids(10) != ids(10, seed=1)


@pytest.mark.parametrize("count", [0, -1, 3])
def test_a_sample_larger_than_the_rows_is_refused(count: int, tasks: Any, read: Any) -> None:
    with pytest.raises(InputError, match=rf"2 of 3 rows can be compared, and --rows asks for {count}; 1 without"):
        tasks.choose(read(row("a"), row("b"), row("c", history=[])), count=count)


def test_ids_name_the_rows_in_their_order(tasks: Any, read: Any, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("C_1#2\n\n  a  \n", encoding="utf-8")
    assert list(tasks.named(read(row("a"), row("b"), row("C_1#2")), ids)) == ["C_1#2", "a"]
    with pytest.raises(InputError, match=r"ids\.txt:1: 'C_1#2' is the id of no row"):
        tasks.named(read(row("a")), ids)


@pytest.mark.parametrize("content", [b"\n", b"\xff\xfe", None])
def test_an_unusable_file_of_ids_is_named(content: bytes | None, tasks: Any, read: Any, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    if content is not None:
        ids.write_bytes(content)
    with pytest.raises(InputError, match=r"--ids .*ids\.txt: (holds no id|cannot be read)"):
        tasks.named(read(row("a")), ids)


def test_the_golden_split_is_compared_but_for_scopes_and_empty_histories(tasks: Any) -> None:
    chosen = tasks.choose(tasks.golden_tasks("test"))
    golden = {r.id: r for r in load("test") if r.history and r.access_scope is None}
    assert [task.id for task in chosen.tasks] == list(golden) and len(golden) == 160
    assert {(t.id, t.family, t.references[0]) for t in chosen.tasks} == {
        (r.id, r.family, r.gold.standalone_query) for r in golden.values()
    }
