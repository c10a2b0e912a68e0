"""The gate with an LM that is asked again: what it says moved, and what fails it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from turnkeeper.behaviours import find
from turnkeeper.data.reformulate import GoldenRow
from turnkeeper.evaluation import Scored
from turnkeeper.evaluation.gate import gate
from turnkeeper.evaluation.records import Recorded, replay
from turnkeeper.evaluation.thresholds import Thresholds
from turnkeeper.modules import reformulate as module
from turnkeeper.optimized import Artifact
from turnkeeper.signatures.reformulate_forms import RewriteQuery

from .conftest import ROWS, golden_row, write_rows
from .test_gate import Make, check, fields

VERBS = ("leak", "whistle", "rust", "beep", "glow", "stink", "tilt", "crack")


def answered(artifact: Artifact, golden_dir: Path, **said: str) -> Callable[..., list[Scored]]:
    """An LM that answers what was recorded, but for the rows that are named."""

    def again(_: Artifact, rows: list[GoldenRow]) -> list[Scored]:
        record = artifact.manifest.metrics["test_predictions"]
        texts = {entry["id"]: entry["prediction"]["standalone_query"] for entry in record} | said
        entries = [Recorded(row.id, {"standalone_query": texts[row.id], "action": "rewrite"}) for row in rows]
        return [replay(entry, row, find("reformulate")) for entry, row in zip(entries, rows, strict=True)]

    return again


def test_live_answers_as_recorded_are_told(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    found = check(made, golden_dir, live=answered(made, golden_dir))
    assert found.findings == [] and found.notes == [
        "asked again: 4 rows, 4 with the same text, every score as recorded"
    ]


def test_live_answers_that_are_worse_fail_it_and_what_moved_is_named(artifact: Make, golden_dir: Path) -> None:
    write_rows(golden_dir, [golden_row(n, verb, ("thing", "noise")[n % 2]) for n, verb in enumerate(VERBS)])
    made = artifact()
    wrong = {f"r{n}": f"Does it {verb}?" for n, verb in enumerate(VERBS) if verb != "leak"}
    found = check(made, golden_dir, live=answered(made, golden_dir, **wrong))
    (finding,) = found.findings
    assert (
        finding.field == "live" and "asked again: 8 rows, 1 with the same text, 7 with another score" in finding.message
    )
    assert "mean was 1.0000, is " in finding.message and ": worse)" in finding.message
    assert (
        "components.residual was 1.0000, is 0.1250" in finding.message and "kinds.noise was 1.0000" in finding.message
    )
    assert "not good any more: r1, r2, r3, r4 and 3 more" in finding.message


def test_few_live_answers_that_moved_are_told_and_fail_nothing(artifact: Make, golden_dir: Path) -> None:
    made = artifact(r2="Does it rust?")
    found = check(made, golden_dir, live=answered(made, golden_dir, r1="Does it whistle?", r2="Does the kettle rust?"))
    assert found.findings == [] and "2 with another score" in found.notes[0] and "no claim: 2 changed" in found.notes[0]
    assert "not good any more: r1" in found.notes[0] and found.live is not None and found.live.same_text == 2


def test_live_rows_are_judged_in_place_of_the_recorded(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    limits = Thresholds({"score": 0.9}, {"noise": 0.9})
    found = check(made, golden_dir, thresholds=limits, live=answered(made, golden_dir, r1="Does it whistle?"))
    assert fields(found) == ["score", "kinds.noise"]


def test_rows_that_the_lm_did_not_answer_fail_it(artifact: Make, golden_dir: Path) -> None:
    made = artifact()

    def down(_: Artifact, rows: list[GoldenRow]) -> list[Scored]:
        return [
            row.model_copy(update={"score": None, "error": "LMTransportError"}) for row in check(made, golden_dir).rows
        ]

    found = check(made, golden_dir, thresholds=Thresholds({"score": 1.0}, {}), live=down)
    assert fields(found) == ["live"] and "4 of 4 rows were not answered (LMTransportError" in found.findings[0].message


def test_only_recorded_rows_are_asked_again(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    write_rows(golden_dir, [*ROWS, ROWS[0].model_copy(update={"id": "r9", "family": "f9"})])
    asked: list[str] = []

    def again(given: Artifact, rows: list[GoldenRow]) -> list[Scored]:
        asked.extend(row.id for row in rows)
        return answered(given, golden_dir)(given, rows)

    check(made, golden_dir, live=again)
    assert asked == ["r0", "r1", "r2", "r3"]


def test_a_program_without_a_record_is_asked_all_test_rows(artifact: Make, golden_dir: Path) -> None:
    made, record = artifact(metrics={}), artifact("record")
    limits = Thresholds({"score": 0.9}, {})
    first, second = gate(
        made.path.parent.parent, golden_dir=golden_dir, thresholds=limits,
        live=lambda a, rows: answered(record, golden_dir, r0="?", r1="?")(a, rows) if a.path == made.path else None,
    )[::-1]  # fmt: skip
    assert first.artifact == made.path and fields(first) == ["score"] and len(first.rows) == 4
    assert "asked for the first time: 4 rows" in first.notes[-1] and second.findings == []


def test_a_stale_program_is_not_asked_again(artifact: Make, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = artifact()
    monkeypatch.setattr(module, "RewriteQuery", RewriteQuery.with_instructions("Say it again."))
    found = check(made, golden_dir, live=lambda a, rows: pytest.fail("it was asked"))
    assert fields(found) == ["fingerprint"] and found.notes == ["its fingerprint is stale: not asked again"]


def test_a_threshold_of_a_component_that_no_row_has_is_named(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    bare = [row.model_copy(update={"components": {}}) for row in check(made, golden_dir).rows]
    found = check(made, golden_dir, thresholds=Thresholds({"residual": 0.9}, {}), live=lambda a, rows: bare)
    assert "no row for the threshold of `residual`: not checked" in found.notes


def test_an_artifact_of_another_lm_is_not_asked_again(artifact: Make, golden_dir: Path) -> None:
    found = check(artifact(), golden_dir, live=lambda a, rows: None)
    assert found.findings == [] and found.notes == ["compiled for scripted/tiny: not asked again"]
