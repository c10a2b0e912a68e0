"""The entry of carry_forward: demos of every call teach what the gold says, and a run's rows are known again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from turnkeeper.behaviours import find
from turnkeeper.cli._batch import Answer, kept_row, output_row
from turnkeeper.cli._behaviours import BEHAVIOURS
from turnkeeper.compiling.demos import gold_pool
from turnkeeper.data.rows import CarryForwardRow, Row
from turnkeeper.modules.carry_forward import CarryForward

from ..modules.carrying import LIFT, NOW, OPENING, decision, keeper, table

ENTRY = find("carry_forward")


@pytest.mark.parametrize("form", ENTRY.forms)
def test_every_call_of_a_row_gives_a_demo_that_the_metric_accepts(form: Any) -> None:
    rows = ENTRY.load("train", None)[:12]
    task: Any = SimpleNamespace(
        behaviour=ENTRY, form=form, train=rows, metric=ENTRY.metric, program=lambda state=None: CarryForward(form)
    )
    made = [demo for row in rows for demo in ENTRY.demos(row, form)]
    assert len(gold_pool(task, 1.0)) == len(made) > 0
    assert all(demo.fields["correction_feedback"] == "" for demo in made)


def test_a_prediction_becomes_the_gold_that_it_is() -> None:
    row = next(row for row in ENTRY.load("train", None) if row.gold.resolved_questions)
    answered = ENTRY.answered(row, ENTRY.gold(row))
    assert ENTRY.gold(answered) == ENTRY.gold(row) and ENTRY.answered(row, {}) is None


def test_copying_resolves_nothing_and_loses_nothing() -> None:
    row = next(row for row in ENTRY.load("train", None) if row.ledger and row.context)
    kept = ENTRY.copied(ENTRY.inputs(row))
    assert kept["resolved_questions"] == ()
    assert {entry.question for entry in row.ledger} <= {u.question for u in kept["updated_unresolved_questions"]}


def test_a_row_of_run_is_known_again() -> None:
    data = CarryForwardRow(turn=4, ledger=(LIFT,), question=NOW, context=(OPENING,))
    row = Row(1, "r1", data, {"id": "r1"})
    entry = BEHAVIOURS["carry_forward"]
    guard = keeper(table(decision(1, "It opens again on 12 December", [1]), decision(2)))
    written = output_row(Answer(row, entry.ask(guard, row), None, 1.0), entry.prediction, "in.jsonl")
    assert written["ok"] and written["prediction"]["ledger"][0]["question"] == NOW
    assert kept_row(written, entry.result) is not None
