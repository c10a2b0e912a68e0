"""`benchmarks/draw_ids.py`: which queries may be drawn, and that the same are drawn again."""

from __future__ import annotations

import importlib
import json
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PAIRS = [{"id": f"{n}-2", "q1": "Which ferry did not sail?", "q2": "Which sailed?"} for n in range(40)]
MARKED = [{"id": f"e-{n}", "query": "harbours without docks", "silver_exclude": ["docks"][n % 2 :]} for n in range(40)]


@pytest.fixture
def draw_ids(monkeypatch: pytest.MonkeyPatch, repository: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("draw_ids")


def written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def odd(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 1


def test_the_same_are_drawn_in_any_order_of_the_file(draw_ids: ModuleType, tmp_path: Path, capsys: Any) -> None:
    drawn = []
    for rows in (PAIRS, PAIRS[::-1]):
        assert draw_ids.main([written(tmp_path / "nevir.jsonl", rows), "--rows", "7"]) == 0
        drawn.append(capsys.readouterr().out.split())
    assert drawn[0] == drawn[1] == sorted(drawn[0]) and len(set(drawn[0])) == 7
    assert draw_ids.main([str(tmp_path / "nevir.jsonl"), "--rows", "7", "--seed", "8"]) == 0
    assert capsys.readouterr().out.split() != drawn[0]


def test_both_queries_of_a_pair_are_of_the_half_of_their_pair(
    draw_ids: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    assert draw_ids.main([written(tmp_path / "nevir.jsonl", PAIRS)]) == 0
    unread = [row["id"] for row in PAIRS if odd(row["id"])]
    assert capsys.readouterr().out.split() == sorted(f"{name}/{q}" for name in unread for q in ("q1", "q2"))


def test_where_exclusions_are_marked_only_marked_queries_are_drawn(
    draw_ids: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    assert draw_ids.main([written(tmp_path / "excluir.jsonl", MARKED)]) == 0
    fit = [row["id"] for row in MARKED if row["silver_exclude"] and odd(row["id"])]
    assert capsys.readouterr().out.split() == sorted(fit)


def test_bad_input_gives_exit_code_2(draw_ids: ModuleType, tmp_path: Path, capsys: Any) -> None:
    read = [row for row in PAIRS if not odd(row["id"])]
    turn = {"id": "cast19_90_2", "history": [], "query": "Who owns it?"}
    for path, said in (
        (written(tmp_path / "read.jsonl", read), "no query may be drawn"),
        (written(tmp_path / "cast.jsonl", [turn]), "cast is no set of exclusions"),
        (str(tmp_path / "gone.jsonl"), "gone.jsonl: cannot be read"),
    ):
        assert draw_ids.main([path]) == 2
        found = capsys.readouterr()
        assert said in found.err and not found.out
