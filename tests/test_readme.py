"""The examples of the README, run as they stand, in their order, on the real embedded model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dspy
import pytest

from .conftest import _WEIGHTS, _WEIGHTS_CACHE

LONGEST = 20  # lines of an example


def _examples(repository: Path) -> list[str]:
    text = (repository / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def weights(embedded_lm: dspy.LM, monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    """The weights where the examples look for them; a machine without them skips."""
    monkeypatch.delenv("TURNKEEPER_CACHE", raising=False)
    for name, value in {**_WEIGHTS, **({"TURNKEEPER_CACHE": _WEIGHTS_CACHE} if _WEIGHTS_CACHE else {})}.items():
        monkeypatch.setenv(name, value)
    return embedded_lm


def test_an_example_has_twenty_lines_at_most(repository: Path) -> None:
    examples = _examples(repository)
    assert len(examples) >= 4
    assert [len(example.splitlines()) for example in examples if len(example.splitlines()) > LONGEST] == []


def test_the_examples_run_and_give_what_they_say(
    repository: Path, weights: dspy.LM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen: dict[str, Any] = {}
    first: Any = None
    for example in _examples(repository):
        # All dev rows would take an hour here; two show that it runs.
        exec(compile(example.replace('load("dev")', 'load("dev")[:2]'), "README.md", "exec"), seen)
        first = first or seen.get("result")
    turn = seen["turn"]
    assert turn.standalone_query == "and what does the Tarn ferry cost?"
    assert "12" in turn.answer and "[Source: FER-2]" in turn.answer and turn.answer.count("Sources:") == 1
    assert turn.status == "ANSWERED" and "FER-2" in turn.cited and not turn.fallback
    assert seen["last"].turn == turn.turn + 1 and "40" in seen["last"].answer and "FER-1" in seen["last"].cited
    assert first.standalone_query == "does the Tarn ferry run at night?"
    assert first.access_constraints_applied == ("regions in [nord]", "restricted terms: 1")
    assert seen["found"].passages[0].doc_id == "alder"
    assert seen["done"].mean() >= 0.0 and not seen["done"].errors
