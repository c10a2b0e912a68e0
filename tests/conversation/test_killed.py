"""A turn that is killed and submitted again; `benchmarks/killed_turns.py` does the same at fifty points."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .killing import holds, kill_at


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals of POSIX")
def test_a_turn_that_is_killed_and_submitted_again_is_there_once_and_as_if_undisturbed(tmp_path: Path) -> None:
    rows = kill_at(tmp_path, 6, seed=4)
    assert len(rows) == 6
    assert [row for row in rows if not holds(row)] == []
    assert {row["before"] for row in rows} == {2, 3}  # some were killed before the commit, some after it


def test_what_is_not_there_once_is_noticed() -> None:
    good = {
        "killed": True, "acknowledged": True, "before": 3, "replayed": True, "same": True, "as_undisturbed": True,
        "turns": [1, 2, 3], "keys": ["1", "2", "the-third-turn"],
    }  # fmt: skip
    assert holds(good)
    for broken in (
        {"before": 2}, {"turns": [1, 2, 3, 4]}, {"turns": [1, 2]}, {"keys": ["1", "2", None]}, {"replayed": False},
        {"as_undisturbed": False}, {"same": False}, {"killed": False},
    ):  # fmt: skip
        assert not holds({**good, **broken})
