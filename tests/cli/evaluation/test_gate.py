"""`turnkeeper gate` and `turnkeeper verify`: recorded predictions, without and with an LM."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.optimized import Artifact

from ...evaluation.conftest import ROWS, golden_row, write_rows
from ..conftest import Cli
from .conftest import RIGHT, WRONG


def gate(cli: Cli, artifact: Artifact, golden_dir: Path, *options: object) -> Any:
    return cli("gate", "--programs", artifact.path.parent.parent, "--golden", golden_dir, *options)


def test_gate_passes_what_is_as_recorded(cli: Cli, artifact: Artifact, golden_dir: Path) -> None:
    done = gate(cli, artifact, golden_dir)
    assert done.code == 0 and "tiny.json: passes (4 rows)" in done.out


def test_gate_reads_thresholds_and_names_artifact_field_and_remedy(
    cli: Cli, artifact: Artifact, golden_dir: Path
) -> None:
    Path("pyproject.toml").write_text("[tool.turnkeeper.gate.reformulate]\nscore = 1.0\n")
    write_rows(golden_dir, [golden_row(0, "sink", "thing"), *ROWS[1:]])
    done = gate(cli, artifact, golden_dir)
    assert done.code == 1 and "tiny.json: fails" in done.out
    assert "score: the mean of 4 rows is" in done.out and "run: turnkeeper compile reformulate" in done.out


def test_gate_as_json(cli: Cli, artifact: Artifact, golden_dir: Path) -> None:
    (said,) = gate(cli, artifact, golden_dir, "--json").rows()
    assert said["ok"] is True and said["rows"] == 4 and said["findings"] == []


@pytest.fixture
def live(
    cli: Cli, artifact: Artifact, golden_dir: Path, scripted_lm: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """`live(*replies)` runs `gate --live` on an LM that says that; `model` names another LM than the program's."""

    def run(*replies: Any, model: str = "scripted/one", options: tuple[object, ...] = ()) -> Any:
        said = [json.dumps({"standalone_query": reply}) if isinstance(reply, str) else reply for reply in replies]
        lm = scripted_lm(*said)
        lm.model = model
        monkeypatch.setattr("turnkeeper.resolve_lm", lambda *a, **o: lm, raising=False)
        done = gate(cli, artifact, golden_dir, "--live", *options)
        assert lm.engine.calls == len(replies)
        return done

    return run


def test_gate_live_says_that_nothing_moved(live: Any) -> None:
    done = live(*RIGHT)
    assert done.code == 0 and "tiny.json: passes (4 rows)" in done.out
    assert "note: asked again: 4 rows, 4 with the same text, every score as recorded" in done.out


def test_gate_live_asks_the_lm_and_judges_its_answers(live: Any) -> None:
    Path("pyproject.toml").write_text("[tool.turnkeeper.gate.reformulate]\nresidual = 0.9\n")
    done = live(*WRONG)
    assert done.code == 1 and "residual: the mean of 4 rows is 0.0000" in done.out
    assert "not good any more: r0, r1, r2, r3" in done.out and "components.residual was 1.0000, is 0.0000" in done.out


def test_gate_live_as_json(live: Any) -> None:
    (said,) = live(*RIGHT[:3], WRONG[3], options=("--json",)).rows()
    assert said["live"]["same_text"] == 3 and said["live"]["flips"]["worse"] == ["r3"] and said["ok"] is True


def test_gate_live_fails_when_the_lm_does_not_answer(live: Any) -> None:
    done = live(*RIGHT[:3], OSError("gone"))
    assert done.code == 1 and "live: 1 of 4 rows were not answered" in done.out


def test_gate_live_with_an_lm_that_no_program_is_for_is_no_pass(live: Any) -> None:
    done = live(model="scripted/two")
    assert done.code == 2 and "could be asked again of scripted/two" in done.err


def test_a_threshold_file_that_is_named_must_be_there(cli: Cli, artifact: Artifact, golden_dir: Path) -> None:
    done = gate(cli, artifact, golden_dir, "--config", "pyproject.tmol")
    assert done.code == 2 and "--config pyproject.tmol: no such file" in done.err


def test_verify_says_same(cli: Cli, artifact: Artifact, golden_dir: Path, program: Any) -> None:
    program(*RIGHT)
    done = cli("verify", artifact.path, "--golden", golden_dir)
    assert done.code == 0 and "tiny.json: same; 4 rows, 4 with the same text" in done.out


def test_verify_asks_the_lm_though_dspy_knows_the_answers(
    cli: Cli, artifact: Artifact, golden_dir: Path, program: Any
) -> None:
    lm = program(*RIGHT, *RIGHT)
    cli("verify", artifact.path, "--golden", golden_dir)
    cli("verify", artifact.path, "--golden", golden_dir)
    assert lm.engine.calls == 8


def test_verify_asks_so_many_rows_and_counts_the_changed(
    cli: Cli, artifact: Artifact, golden_dir: Path, program: Any
) -> None:
    program(*["Does it leak?"] * 2)
    (said,) = cli("verify", artifact.path, "--golden", golden_dir, "--rows", 2, "--json").rows()
    assert (said["rows"], said["same_text"], said["verdict"]) == (2, 0, "no claim: 2 changed rows")


def test_verify_names_another_lm(cli: Cli, artifact: Artifact, golden_dir: Path, program: Any) -> None:
    program(*RIGHT, model="scripted/two")
    done = cli("verify", artifact.path, "--golden", golden_dir)
    assert "compiled for scripted/one, asked of scripted/two" in done.err


def test_verify_needs_recorded_predictions(
    cli: Cli, artifact: Artifact, golden_dir: Path, program: Any, tmp_path: Path
) -> None:
    manifest = artifact.path.with_name("tiny.manifest.json")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "metrics": {}}))
    program()
    done = cli("verify", artifact.path, "--golden", golden_dir)
    assert done.code == 2 and "no recorded predictions" in done.err
