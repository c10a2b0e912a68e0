"""Recorded turns under another program: what differs is counted by field, and a check that fails now is worse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.behaviours import find
from turnkeeper.data.rows import Row
from turnkeeper.errors import RowError, SetupError
from turnkeeper.harvest import read_events
from turnkeeper.harvest.replay import Difference, replay, rows_of
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice, Violation

from .recording import lamp, record
from .test_drafts import recorded


def told(text: str, **fields: Any) -> ReformulateResult:
    return ReformulateResult(standalone_query=text, lm_attempts=1, **fields)


def failed(text: str) -> ReformulateResult:
    return told(text, ok=False, fallback=True, violations=(Violation(code="too_long", message="Shorter."),))


def scripted(*answers: ReformulateResult | Exception) -> Callable[[Row[Any]], ReformulateResult]:
    left = list(answers)

    def ask(row: Row[Any]) -> ReformulateResult:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask


@pytest.fixture
def turns(tmp_path: Path) -> Any:
    path = record(tmp_path / "events.jsonl", "reformulate", [lamp(number) for number in range(3)])
    return read_events(path)[1]


def between(turns: Any, before: Any, after: Any) -> Difference:
    return replay(rows_of(turns, "events"), scripted(*after), behaviour="reformulate", before=scripted(*before))


def test_the_rows_hold_what_the_turns_were_asked(turns: Any) -> None:
    rows = rows_of(turns, "events")
    assert [row.data.query for row in rows] == ["is it dimmable?"] * 3
    assert "Birla" in rows[1].data.history[1].content and [row.line for row in rows] == [1, 2, 3]


def test_what_differs_is_counted_by_field(turns: Any) -> None:
    done = between(turns, [told("a"), told("b"), told("c")], [told("a"), told("x"), told("y", action="unchanged")])
    assert done.fields() == {"standalone_query": 2, "action": 1}
    assert [turn.id for turn in done.changed] == ["line-2", "line-3"] and not done.worse and not done.better


def test_a_check_that_no_longer_passes_is_worse_and_the_other_way_round_better(turns: Any) -> None:
    done = between(turns, [told("a"), failed("b"), failed("c")], [failed("a"), told("b"), failed("c")])
    assert [turn.id for turn in done.worse] == ["line-1"] and [turn.id for turn in done.better] == ["line-2"]
    assert done.as_json()["fallbacks"] == {"before": 2, "after": 2}


def test_a_turn_that_could_not_be_asked_is_in_no_count(turns: Any) -> None:
    away = told("q", ok=False, fallback=True, warnings=(Notice(code="lm_error", message="The LM call failed: E."),))
    done = between(turns, [told("a")] * 3, [away, ValueError("down"), told("z")])
    assert done.as_json()["errors"] == 2 and done.as_json()["changed"] == 1 and not done.worse


def test_what_ails_all_turns_stops_the_replay(turns: Any) -> None:
    with pytest.raises(SetupError):
        between(turns, [told("a")] * 3, [SetupError("no weights")])


def test_one_program_is_held_against_what_was_recorded(turns: Any) -> None:
    good = [turn.result["standalone_query"] for turn in turns]
    same = [
        told(text, resolved_references=turn.result["resolved_references"])
        for text, turn in zip(good, turns, strict=True)
    ]
    rows = rows_of(turns, "events")
    assert replay(rows, scripted(*same), behaviour="reformulate", recorded=turns).changed == []
    other = [*same[:2], failed("is it dimmable?")]
    done = replay(rows, scripted(*other), behaviour="reformulate", recorded=turns)
    assert [turn.id for turn in done.worse] == ["line-3"] and "standalone_query" in done.worse[0].changed


def test_an_event_that_lacks_its_inputs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    event = {"event": "cite", "original": "when?", "window": [], "inputs": {"turn": 0}, "result": {"answer": "x"}}
    path.write_text(json.dumps(event) + "\n")
    with pytest.raises(RowError, match=r"events\.jsonl:1: field `turn`"):
        rows_of(read_events(path)[1], str(path))


@pytest.mark.parametrize("behaviour", ["reformulate", "expand", "cite", "carry_forward"])
def test_events_of_every_behaviour_can_be_asked_again(behaviour: str, tmp_path: Path) -> None:
    rows = [row for row in find(behaviour).load("dev", None) if getattr(row, "access_scope", None) is None][:5]
    turns = read_events(recorded(tmp_path / "events.jsonl", behaviour, rows))[1]
    asked = rows_of(turns, "events")
    name = "query" if behaviour in ("reformulate", "expand") else "question"
    assert [getattr(row.data, name) for row in asked] == [getattr(row, name) for row in rows]
    if behaviour in ("cite", "carry_forward"):
        assert [row.data.context for row in asked] == [row.context for row in rows]
