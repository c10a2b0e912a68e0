"""`benchmarks/turn_latency.py`: what it times, what it adds up, and when it fails; with a reader in place of an LM."""

from __future__ import annotations

import importlib
import json
import time
from collections import deque
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ..conversation.reading import Reader, lm_of
from ..scripted import prompt_of

FACTS = {"heron cost": "The Heron costs 34 euros a day and 150 euros a week."}


class Mixed(Reader):
    """Answers the plain call too, which takes its time."""

    def __init__(self, plain_seconds: float) -> None:
        super().__init__(FACTS)
        self.plain: list[str] = []
        self._seconds = plain_seconds

    def __call__(self, request: Any) -> str:
        if "Answer with one line of JSON" in prompt_of(request):
            return super().__call__(request)
        self.plain.append(prompt_of(request))
        time.sleep(self._seconds)
        return "It costs 34 euros a day [HIRE-3]."


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("turn_latency")


def test_every_turn_stands_beside_a_plain_call_over_the_same_passages(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, out = Mixed(0.0), tmp_path / "out.json"
    code = bench.main(["--program", "zero-shot", "--bound", "1e9", "--json", str(out)], lm=lm_of(reader))
    told = json.loads(out.read_text(encoding="utf-8"))
    assert (code, told["turns"], len(told["lines"])) == (0, 10, 10)
    assert len(reader.plain) == 10 + 10  # ten of the session that warms up
    assert FACTS["heron cost"] in reader.plain[-1] and bench.QUESTIONS[-1] in reader.plain[-1]
    assert 1 <= told["calls_per_turn"] and told["median_first_token_ms"] is None
    assert {"reformulate", "expand", "retrieve", "cite", "carry_forward", "commit"} <= set(told["median_step_ms"])
    assert "ratio" in capsys.readouterr().out


def test_nothing_is_answered_from_a_cache(bench: Any) -> None:
    reader = Mixed(0.0)
    first, second = (bench.measured(lm_of(reader), "zero-shot", 2)[n : n + 10] for n in (0, 10))
    assert [line.calls for line in first] == [line.calls for line in second]
    assert first[0].calls > 0


def test_a_turn_that_takes_longer_than_the_bound_fails(bench: Any) -> None:
    slow = bench.Line("q", "ANSWERED", 3, 300.0, 100.0, 90.0, 50.0, {"cite": 100.0})
    assert bench.summary([slow])["ratio"] == 3.0
    assert bench.main(["--program", "zero-shot", "--bound", "0.0001"], lm=lm_of(Mixed(0.0))) == 1


def test_first_tokens_are_told_where_the_engine_tells(bench: Any) -> None:
    lines = [
        bench.Line("q", "ANSWERED", 2, 200.0, 100.0, first, 50.0, {"cite": 100.0}) for first in (80.0, None, 120.0)
    ]
    figures = bench.summary(lines)
    assert (figures["median_first_token_ms"], figures["median_plain_first_token_ms"]) == (100.0, 50.0)
    assert "       -" in bench.table(lines)[2]


def test_first_token_of_a_turn_comes_after_the_steps_before_its_answer(bench: Any) -> None:
    reader = Mixed(0.0)
    lm = lm_of(reader)
    stats = SimpleNamespace(calls=0, prompt_seconds=0.0)
    lm.engine.stats = stats
    answer = reader.__call__

    def told(request: Any) -> str:  # every prompt takes 50 ms to read, and no time passes in truth
        stats.calls += 1
        stats.prompt_seconds += 0.05
        return answer(request)

    lm.engine.replies = deque(repeat(told, 500))
    lines = bench.measured(lm, "zero-shot", 1)
    assert all(line.plain_first_ms == pytest.approx(50.0) for line in lines)
    for line in lines:
        before = line.steps.get("reformulate", 0.0) + line.steps.get("expand", 0.0)
        assert line.turn_first_ms is not None and 50.0 + before <= line.turn_first_ms < 50.0 + line.turn_ms


@pytest.mark.parametrize("arguments", [["--lm", "gguf:/nowhere.gguf"], ["--lm", "no such thing"]])
def test_an_lm_that_cannot_be_had_is_bad_input(arguments: list[str], bench: Any) -> None:
    assert bench.main(arguments) == 2
