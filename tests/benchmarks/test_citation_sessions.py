"""The sessions on a real LM, here with scripted ones; and the speed of the checks, on small texts."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import turnkeeper

from ..scripted import ScriptedEngine, prompt_of, scripted


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("citation_sessions")


def first_source(request: Any) -> str:
    """Say the first sentence of the first source, with its number, or in the plain arm with its marker."""
    text = request.messages[-1].text or ""
    if "Conversation:" in text:
        found = re.search(r"Sources:\n(\[[^\]]+\]) ([^:\n]+): ([^.\n]+)\.", text)
        if not found:
            return "I cannot find evidence to answer this question"
        return f"{found[3]} {found[1]}.\n\nSources:\n- {found[1][1:-1].removeprefix('Source: ')}: {found[2]}"
    found = re.search(r"\[1\] [^\n]*?: ([^.\n]+)\.", text)
    return json.dumps({"answer": f"{found[1]} [1]." if found else "NO_EVIDENCE"})


def test_there_are_six_sessions_of_twelve_turns(bench: Any) -> None:
    told = bench.sessions()
    assert [len(session.asked) for session in told] == [12] * 6
    assert {session.convention for session in told} == {"source_tag", "numeric", "bare_id", "url", "footnote"}
    assert all(not p.doc_id.strip("^").isdigit() for s in told for a in s.asked for p in a.found or ())


def test_both_arms_are_measured_side_by_side(bench: Any) -> None:
    lm = scripted(*[first_source] * 400, cache=False)
    guard = turnkeeper.load("cite", lm=lm, program="zero-shot", form="handles")
    arms = bench.run(lm, guard, bench.sessions(), 12)
    kept, plain = arms["registry and guard"], arms["text as it is"]
    assert kept["answers"] == plain["answers"] == 72
    assert (kept["stability"], kept["fabricated"], kept["drift"], kept["registry_lost"]) == (1.0, 0, 0, 0)
    assert kept["reused"] > 10 and kept["new"] > 10
    assert plain["citations"] > 0 and plain["reused"] > 0


def test_the_history_is_cut_to_three_turns(bench: Any) -> None:
    lm = scripted(*[first_source] * 100, cache=False)
    guard = turnkeeper.load("cite", lm=lm, program="zero-shot", form="handles")
    bench.run(lm, guard, bench.sessions()[:1], 12)
    engine: ScriptedEngine = lm.engine
    assert max(len(re.findall(r"\b(?:user|assistant): ", prompt_of(r))) for r in engine.requests) <= 6


def test_a_fabricated_id_and_a_foreign_marker_are_counted(bench: Any) -> None:
    arm = bench.Arm()
    arm.answer("It is so [Source: A-9]. And so [1].\n\nSources:\n- A-9: X", {"A-1": "A-1"}, "source_tag", [])
    figures = arm.figures()
    assert figures["fabricated"] == 2 and figures["drift"] == 1 and figures["stability"] is None


def test_speed_is_measured_and_linear(bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    speed = importlib.import_module("citation_speed")
    speed.main(["--bytes", "20000", "--answers", "5", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["ms an answer"] > 0 and set(figures["growth"]) == set(speed.UNITS)
    assert all(line["whole"] < 5 for line in figures["growth"].values())
