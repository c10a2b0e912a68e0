"""An experiment killed at any call goes on with the same command: no finished cell twice, no answered row twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..compiling.reading import small_golden

TIMES = ("seconds", "reused", "calls", "tokens")  # of a cell: what a resumed run spends less of


def kept(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in TIMES and name != "artifact"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_at_several_points_no_finished_cell_is_computed_twice(tmp_path: Path) -> None:
    golden = small_golden(tmp_path / "golden", train=14, dev=6, test=3)
    script = Path(__file__).with_name("experiment_killed.py")
    points = [3, 30, 50, 70]
    command = [sys.executable, str(script), str(golden), str(tmp_path), *map(str, points)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    whole, *resumed = [json.loads(line) for line in done.stdout.splitlines()]
    assert whole["begun"] == len(whole["rows"]) == 4 and whole["calls"] > max(points), whole["calls"]
    for point, after in zip(points, resumed, strict=True):
        assert after["killed"] and after["begun"] == 4 - after["before"]
        assert after["calls"] == whole["calls"] - (point - 1), "an answered row was asked again"
        assert len({row["key"] for row in after["rows"]}) == len(after["rows"]) == 4
        assert list(map(kept, after["rows"])) == list(map(kept, whole["rows"]))
    assert {after["before"] for after in resumed} >= {0, 1}, "no point stood between two cells"
