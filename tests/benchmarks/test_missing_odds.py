"""`benchmarks/missing_odds.py` over a scripted LM: shifts reach the prompt, demos are left out, all is set back."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from turnkeeper import load
from turnkeeper.modules import _carry_forward_prompt as prompt
from turnkeeper.optimized import find_artifacts

from ..scripted import scripted


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("missing_odds")


def test_each_shift_is_asked_with_and_set_back(bench: ModuleType, repository: Path, capsys: Any) -> None:
    program = find_artifacts(repository / "optimized", "carry_forward")[0]
    lm = scripted(*["{}"] * 200, supports_skeleton=True)
    lm.model = json.loads(program.with_name(f"{program.stem}.manifest.json").read_text())["lm"]["model"]
    guard, before = load("carry_forward", lm, program=program), prompt._PENDING_BIAS
    assert bench.main(["--shift", "0", "--shift", "6", "--rows", "5", "--json"], guard) == 0
    none, six = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (none["shift"], six["shift"], none["rows"], six["rows"]) == (0.0, 6.0, 5, 5)
    assert none["wanted"] > 0 == none["claimed"], "the script decides nothing"
    assert prompt._PENDING_BIAS == before
    skeletons = [request.config.extensions["skeleton"] for request in lm.engine.requests]
    half = len(skeletons) // 2
    biases = [
        max((e["hole"]["offer"]["bias"] for s in part for e in s if "offer" in e.get("hole", {})), default=0.0)
        for part in (skeletons[:half], skeletons[half:])
    ]
    assert biases[0] <= prompt._CURRENT_BIAS < biases[1] <= 6.0


def test_rows_that_a_program_shows_are_left_out(bench: ModuleType, repository: Path) -> None:
    shown = bench.taught(find_artifacts(repository / "optimized", "carry_forward")[0])
    assert len(shown) == 6 and all(row.startswith("cf-train-") for row in shown)


def test_the_test_split_is_refused(bench: ModuleType) -> None:
    with pytest.raises(SystemExit) as ended:
        bench.main(["--split", "test"])
    assert ended.value.code == 2
