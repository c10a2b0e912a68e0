"""Killed in the middle of a commit: an acknowledged turn is there exactly once, and no half of another one."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from .crashing import AT_MOST, BEFORE, compiled, crash_at

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the shim is written for Linux")


@pytest.fixture
def shim(tmp_path: Path) -> Path:
    made = compiled(tmp_path)
    if made is None:
        pytest.skip("no C compiler for the fault-injecting shim")
    return made


def holds(row: dict[str, Any]) -> None:
    """What must hold after a crash at any point."""
    acknowledged = [int(turn) for turn in re.findall(r"\[(\d+)\]", row["trace"])]
    turns = row["turns"]
    assert turns == list(range(1, len(turns) + 1))
    assert acknowledged == list(range(BEFORE + 1, BEFORE + 1 + len(acknowledged)))
    # The one that was under way when the process died may be there, whole, or not at all.
    assert len(turns) - max([BEFORE, *acknowledged]) in (0, 1)
    assert row["keys"] == [None] * BEFORE + [f"k-{turn}" for turn in turns[BEFORE:]]
    assert row["sources"] == [f"D-{turn}" for turn in turns]
    assert row["next"] == len(turns) + 1


@pytest.mark.parametrize("pages", [0, 20])
def test_killed_at_any_point_of_a_commit(pages: int, shim: Path, tmp_path: Path) -> None:
    points = [*range(1, 9), 40, 55, 56, 57, 58, 77]
    rows = crash_at(shim, tmp_path, points, pages=pages)
    assert [row["point"] for row in rows] == points
    for row in rows:
        assert row["killed"]
        holds(row)
    assert len({len(row["turns"]) for row in rows}) > 1  # the points are spread over several commits


def test_an_fsync_is_seen_before_each_acknowledgement_and_one_is_enough(shim: Path, tmp_path: Path) -> None:
    (row,) = crash_at(shim, tmp_path, [0])
    assert not row["killed"]
    holds(row)
    commits = re.findall(r"([a-z]*)\[\d+\]", row["trace"])
    assert len(commits) == AT_MOST - BEFORE
    assert all(commit.endswith("f") for commit in commits)
    # The first one also writes the head of the log file, and makes that durable.
    assert [commit.count("f") for commit in commits[1:]] == [1] * (len(commits) - 1)
