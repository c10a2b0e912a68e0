"""The gate: what it lets pass, and each deliberate regression that must fail it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from turnkeeper.behaviours import find
from turnkeeper.data.reformulate import load
from turnkeeper.errors import InputError
from turnkeeper.evaluation.gate import Checked, gate
from turnkeeper.evaluation.thresholds import Thresholds, read_thresholds
from turnkeeper.metrics import reformulate as checks
from turnkeeper.modules import reformulate as module
from turnkeeper.optimized import Artifact, shipped_dir
from turnkeeper.signatures.reformulate_forms import RewriteQuery
from turnkeeper.signatures.types import Violation

from ..timing import assert_within
from .conftest import ROWS, write_rows

Make = Callable[..., Artifact]


def check(artifact: Artifact, golden_dir: Path, **options: object) -> Checked:
    (found,) = gate(artifact.path.parent.parent, golden_dir=golden_dir, **options)  # type: ignore[arg-type]
    return found


def fields(found: Checked) -> list[str]:
    return [finding.field for finding in found.findings]


def test_an_untouched_artifact_passes(artifact: Make, golden_dir: Path) -> None:  # REF-16
    found = check(artifact(), golden_dir, thresholds=Thresholds({"score": 1.0, "residual": 1.0}, {"thing": 1.0}))
    assert found.findings == [] and [row.score for row in found.rows] == [1.0] * 4


def test_a_broken_check_fails_it(artifact: Make, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = artifact()
    broken = [Violation(code="residual_reference", message="It refers back.")]
    monkeypatch.setattr(checks, "check", lambda **given: broken)
    found = check(made, golden_dir)
    assert (
        fields(found) == ["metrics.test"] and "components.residual was 1.0000, is 0.0000" in found.findings[0].message
    )


def test_a_blind_check_fails_it(artifact: Make, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = artifact(r1="Does it whistle?")
    monkeypatch.setattr(checks, "check", lambda **given: [])
    assert fields(check(made, golden_dir)) == ["metrics.test"]


def test_a_stale_golden_row_fails_it(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    gold = ROWS[0].gold.model_copy(update={"standalone_query": "Will the Orvane kettle leak soon?"})
    write_rows(golden_dir, [ROWS[0].model_copy(update={"gold": gold}), *ROWS[1:]])
    assert set(fields(check(made, golden_dir))) == {
        "golden_sha256.train", "golden_sha256.dev", "golden_sha256.test", "metrics.test"
    }  # fmt: skip


def test_a_removed_golden_row_is_named(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    write_rows(golden_dir, ROWS[:3])
    found = check(made, golden_dir)
    assert any("(r3 for one)" in finding.message for finding in found.findings)


def test_a_new_golden_row_without_a_prediction_is_named(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    write_rows(golden_dir, [*ROWS, ROWS[0].model_copy(update={"id": "r9", "family": "f9"})])
    found = check(made, golden_dir)
    assert any("no recorded prediction (r9 for one)" in finding.message for finding in found.findings)


def test_an_edited_signature_fails_it(artifact: Make, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = artifact()
    monkeypatch.setattr(module, "RewriteQuery", RewriteQuery.with_instructions("Say it again."))
    found = check(made, golden_dir)
    assert fields(found) == ["fingerprint"] and "`instructions` of predictor `rewrite`" in found.findings[0].message


def test_a_mean_below_its_threshold_fails_it(artifact: Make, golden_dir: Path) -> None:
    made = artifact(r1="Does it whistle?")
    found = check(made, golden_dir, thresholds=Thresholds({"residual": 0.9}, {"noise": 0.9, "thing": 0.9}))
    assert fields(found) == ["residual", "kinds.noise"]
    assert "0.7500, below the threshold 0.9" in found.findings[0].message


def test_a_threshold_of_a_kind_without_rows_is_named(artifact: Make, golden_dir: Path) -> None:
    found = check(artifact(), golden_dir, thresholds=Thresholds({}, {"dates": 0.9}))
    assert found.findings == [] and found.notes == ["no row for the threshold of `kinds.dates`: not checked"]


def test_a_damaged_state_is_a_finding_and_not_the_end(artifact: Make, golden_dir: Path) -> None:
    bad, fine = artifact("bad"), artifact("fine")
    bad.path.write_bytes(bad.path.read_bytes() + b" ")
    first, second = gate(fine.path.parent.parent, golden_dir=golden_dir)
    assert fields(first) == ["artifact"] and second.findings == []


def test_a_record_of_another_shape_is_named(artifact: Make, golden_dir: Path) -> None:
    found = check(artifact(metrics={"test_predictions": [{"id": 3}]}), golden_dir)
    assert fields(found) == ["artifact"] and "test_predictions.0" in found.findings[0].message


def test_every_finding_says_what_to_run(artifact: Make, golden_dir: Path) -> None:
    made = artifact()
    write_rows(golden_dir, ROWS[:3])
    assert all("turnkeeper compile reformulate" in f.remedy for f in check(made, golden_dir).findings)


def test_a_hand_written_program_is_checked_for_its_fingerprint(artifact: Make, golden_dir: Path) -> None:
    found = check(artifact(metrics={}), golden_dir, thresholds=Thresholds({"score": 1.0}, {}))
    assert found.findings == [] and "fingerprint and digests only" in found.notes[0]


def test_a_folder_without_programs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no reformulate program"):
        gate(tmp_path)


def test_the_shipped_programs_pass_in_seconds() -> None:
    def passes() -> None:
        assert [finding for checked in gate(shipped_dir()) for finding in checked.findings] == []

    assert_within(20, lambda _: passes, rounds=3)


def test_the_thresholds_of_the_repository_can_be_read(repository: Path) -> None:
    kinds = {row.kind for row in load("test")}
    assert set(read_thresholds(repository / "pyproject.toml", "reformulate", find("reformulate").gated).kinds) <= kinds


def thresholds(tmp_path: Path, text: str) -> Thresholds:
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return read_thresholds(path, "reformulate", find("reformulate").gated)


def test_thresholds_are_read(tmp_path: Path) -> None:
    table = "[tool.turnkeeper.gate.reformulate]"
    text = f"{table}\nscore = 0.8\ngood = 1\nkinds = {{ thing = 0.5 }}"
    assert thresholds(tmp_path, text) == Thresholds({"score": 0.8, "good": 1.0}, {"thing": 0.5})


def test_no_file_and_no_table_give_no_thresholds(tmp_path: Path) -> None:
    assert read_thresholds(tmp_path / "none.toml", "reformulate", find("reformulate").gated) == Thresholds({}, {})
    assert thresholds(tmp_path, "[tool.other]\nx = 1") == Thresholds({}, {})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scores = 0.8", "scores`: unknown"),
        ("score = 80", "from 0 to 1"),
        ("score = true", "from 0 to 1"),
        ("kinds = 3", "a table"),
        ("score = ", "not TOML"),
    ],
)
def test_a_threshold_that_cannot_be_used(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        thresholds(tmp_path, f"[tool.turnkeeper.gate.reformulate]\n{line}")
