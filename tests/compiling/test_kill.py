"""Killed at 20 random points and resumed: the same bytes, and no scored row is asked for twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from .reading import small_golden


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_at_20_points_the_same_command_ends_with_the_same_bytes(tmp_path: Path) -> None:
    golden = small_golden(tmp_path / "golden", train=14, dev=6, test=3)
    script = Path(__file__).with_name("killed.py")
    points = random.Random(11).sample(range(2, 41), 20)
    command = [sys.executable, str(script), str(golden), str(tmp_path), *map(str, points)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    whole, *resumed = [json.loads(line) for line in done.stdout.splitlines()]
    assert whole["calls"] > max(points) and len(resumed) == 20
    for point, after in zip(points, resumed, strict=True):
        assert after["killed"] and after["sha256"] == whole["sha256"]
        assert after["calls"] == whole["calls"] - (point - 1)
