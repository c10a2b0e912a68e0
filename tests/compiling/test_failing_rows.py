"""Rows that the LM does not answer: no low score, no record, and asked again by the same command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.data.reformulate import GoldenRow

from .reading import all_rows

Options = Callable[..., CompileOptions]


@contextmanager
def failing(lm: dspy.LM, *rows: GoldenRow, least: int = 0) -> Iterator[None]:
    """Refuse these rows wherever at least so many demos are shown."""
    asked = {" ".join(row.query.split()) for row in rows}
    answer = lm.engine.reply

    def reply(system: str, said: Any) -> str:
        demos = sum(role == "assistant" for role, _ in said)
        if demos >= least and any(query in said[-1][1] for query in asked):
            raise dspy.lm15.InvalidRequestError("no")
        return str(answer(system, said))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lm.engine, "reply", reply)
        yield


def test_test_rows_that_failed_are_no_record_and_are_counted(options: Options, lm: dspy.LM, golden_dir: Path) -> None:
    with failing(lm, *all_rows(golden_dir)[-2:]):
        outcome = compile_program(options(test=True), lm)
    assert outcome.artifact is not None and outcome.test is None
    assert str(outcome.untested).startswith("2 of 8 test rows failed (")


def test_a_candidate_with_a_failed_row_is_no_loser_and_that_is_said(
    options: Options, lm: dspy.LM, golden_dir: Path
) -> None:
    dev = all_rows(golden_dir)[40:54]
    with failing(lm, dev[0], least=1):
        outcome = compile_program(options(candidates=2), lm)
    assert outcome.artifact is None
    assert str(outcome.reason).startswith("none of 2 candidates is better than zero-shot on dev, 2 not compared since")
    assert "the same command asks these rows again" in str(outcome.reason)


def test_candidates_that_are_simply_worse_are_no_failures(options: Options, lm: dspy.LM) -> None:
    lm.engine.least = 99
    outcome = compile_program(options(candidates=2), lm)
    assert outcome.reason == "none of 2 candidates is better than zero-shot on dev"


def test_the_same_command_then_finds_the_winner_that_it_would_have_found(
    options: Options, lm: dspy.LM, golden_dir: Path, tmp_path: Path
) -> None:
    undisturbed = compile_program(options(out=tmp_path / "b", journal=tmp_path / "b.jsonl"), lm).artifact
    with failing(lm, *all_rows(golden_dir)[40:54], least=1):
        compile_program(options(), lm)
    again = compile_program(options(), lm).artifact
    assert undisturbed is not None and again is not None
    assert again.path.read_bytes() == undisturbed.path.read_bytes()
