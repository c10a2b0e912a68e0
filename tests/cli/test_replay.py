"""`turnkeeper replay`: two programs, or one against the record; what it prints and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.cli import _evaluation
from turnkeeper.signatures.reformulate import ReformulateResult

from ..harvest.recording import lamp, record


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return record(tmp_path / "events.jsonl", "reformulate", [lamp(number) for number in range(3)])


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """`shout` answers in capitals, `fail` breaks a rule, any other repeats what was asked."""

    def load(behaviour: str, *, lm: str, program: str, **options: Any) -> Any:
        def guard(*, query: str, **inputs: Any) -> ReformulateResult:
            text = f"{query.upper()}\x1b[2J" if program == "shout" else query
            return ReformulateResult(standalone_query=text, ok=program != "fail", fallback=program == "fail")

        return guard

    monkeypatch.setattr(_evaluation, "loaded", load)


def test_two_programs_side_by_side(cli: Callable[..., Any], events: Path, programs: None, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = cli("replay", events, "--program", "plain", "--program", "shout", "--last", 2, "--out", out)
    assert done.code == 0, done.err
    assert "2 of 2 turns would be answered otherwise" in done.out and "    + IS IT DIMMABLE?\\x1b[2J" in done.out
    assert [json.loads(line)["changed"] for line in out.read_text().splitlines()] == [["standalone_query"]] * 2


def test_a_check_that_no_longer_passes_gives_exit_code_1(cli: Callable[..., Any], events: Path, programs: None) -> None:
    done = cli("replay", events, "--program", "plain", "--program", "fail", "--json")
    assert done.code == 1 and done.rows()[0]["worse"] == ["line-1", "line-2", "line-3"]
    assert done.rows()[0]["fallbacks"] == {"before": 0, "after": 3}


def test_one_program_against_the_record(cli: Callable[..., Any], events: Path, programs: None) -> None:
    done = cli("replay", events, "--program", "plain")
    assert done.code == 0 and "    - is the Aldra lamp dimmable?" in done.out and "    + is it dimmable?" in done.out


def test_three_programs_are_refused(cli: Callable[..., Any], events: Path, programs: None) -> None:
    done = cli("replay", events, *["--program", "a"] * 3)
    assert done.code == 2 and "at most two" in done.err
