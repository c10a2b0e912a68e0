"""The replay of searches: how journals become matrices, and what each policy may and may not do."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("racing_replay")


def journal(path: Path, *candidates: list[tuple[int, float]]) -> Path:
    lines: list[dict[str, Any]] = [{"journal": "turnkeeper", "format": 1}]
    for number, rows in enumerate(candidates):
        for row, score in rows:
            scored = {"id": f"x-dev-{row:03}", "kind": "k", "family": f"f{row}", "score": score, "lm_calls": 1}
            lines.append({"key": f"{number}-{row}", "scored": scored})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def whole(score: float, rows: int = 8) -> list[tuple[int, float]]:
    return [(row, score) for row in range(rows)]


def matrix(bench: Any, *means: float, rows: int = 40, seed: int = 0) -> Any:
    draw = random.Random(seed)
    scores = [[float(draw.random() < mean) for _ in range(rows)] for mean in means]
    return bench.Matrix("m", scores, [[1] * rows for _ in means], [f"f{n}" for n in range(rows)], [], 0)


def test_candidates_are_read_off_the_order_of_rows(bench: Any, tmp_path: Path) -> None:
    path = journal(tmp_path / "j", whole(0.1), whole(0.2), whole(0.3)[:4], [(1, 0.4), (5, 0.4)])
    assert [len(rows) for rows in bench.candidates_of(path)] == [8, 8, 4, 2]


def test_cut_candidates_are_counted_and_left_out(bench: Any, tmp_path: Path) -> None:
    path = journal(tmp_path / "j", whole(0.1), whole(0.2), whole(0.3)[:4], [(1, 0.4), (5, 0.4)])
    [found] = bench.matrices_of(path)
    assert (len(found.scores), found.cut, found.shared, found.rows) == (2, [4], 1, 8)


def test_one_complete_candidate_is_no_matrix(bench: Any, tmp_path: Path) -> None:
    assert bench.matrices_of(journal(tmp_path / "j", whole(0.1), whole(0.2)[:4])) == []


def test_the_test_split_is_no_search(bench: Any, tmp_path: Path) -> None:
    path = journal(tmp_path / "j", whole(0.1), whole(0.2))
    path.write_text(path.read_text().replace("x-dev-", "x-test-"))
    assert bench.matrices_of(path) == []


def test_a_torn_line_and_another_file(bench: Any, tmp_path: Path) -> None:
    path = journal(tmp_path / "j", whole(0.1), whole(0.2))
    path.write_text(path.read_text() + '{"key": "z", "sco')
    assert len(bench.candidates_of(path)) == 2
    (tmp_path / "other").write_text('{"id": 1}\n')
    with pytest.raises(SystemExit, match="is no journal"):
        bench.candidates_of(tmp_path / "other")


@pytest.mark.parametrize("seed", range(20))
def test_the_exact_stop_never_changes_the_winner(bench: Any, seed: int) -> None:
    found = matrix(bench, 0.6, 0.62, 0.3, 0.64, 0.1, seed=seed)
    result = bench.replay(found, bench.exact, 50, seed)
    assert result["same"] == 1.0 and result["loss"] == 0.0 and result["calls"] < 1.0


def test_of_equals_the_earlier_wins_as_in_the_search(bench: Any) -> None:
    tied = bench.Matrix("m", [[1.0] * 8, [1.0] * 8], [[1] * 8] * 2, ["f"] * 8, [], 0)
    assert bench.best_of(tied) == bench.exact(tied, range(8)).winner == 0
    assert bench.exact(tied, range(8)).calls == 9  # one row of the second, then one row short of eight cannot exceed


def test_halving_asks_the_loser_of_two_for_half_of_the_rows(bench: Any) -> None:
    two = bench.Matrix("m", [[0.0] * 8, [1.0] * 8], [[1] * 8] * 2, ["f"] * 8, [], 0)
    race = bench.halving(two, range(8))
    assert race.winner == 1 and race.calls == 12  # four rows of both, and the rest of the winner's


def test_the_paired_test_drops_the_hopeless_and_keeps_the_close(bench: Any) -> None:
    far, close = matrix(bench, 0.05, 0.95), matrix(bench, 0.5, 0.52, seed=3)
    assert bench.paired(far, range(40)).calls < 64 and bench.paired(far, range(40)).winner == 1
    assert bench.paired(close, range(40)).calls == 80


def test_a_policy_is_supported_by_results_alone(bench: Any) -> None:
    good = {"worse": 0.01, "calls": 0.4}
    assert (
        bench.supported([good])
        and not bench.supported([])
        and not bench.supported([good, {"worse": 0.2, "calls": 0.1}])
    )
    assert not bench.supported([{"worse": 0.0, "calls": 0.6}])


def test_the_command_prints_what_was_left_out(bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = journal(tmp_path / "j", whole(0.1), whole(0.9), whole(0.3)[:4])
    bench.main([str(path), "--orders", "10"])
    told = capsys.readouterr().out
    assert "2 complete candidates; 1 cut by the exact early stop" in told and "(4 rows not asked" in told
    bench.main([str(path), "--orders", "10", "--json"])
    assert json.loads(capsys.readouterr().out)["results"]["j, 8 rows"]["exact"]["same"] == 1.0
