"""cite through compile, evaluate, compare, report, gate, show, verify, run and the served model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from turnkeeper import load
from turnkeeper.behaviours import find
from turnkeeper.cli import _behaviours, _compile
from turnkeeper.data.cite import SPLITS
from turnkeeper.data.cite import load as load_golden
from turnkeeper.optimized import read_artifact
from turnkeeper.signatures.cite import ABSTENTION

from ..cli.conftest import Cli, jsonl, read_jsonl
from .citing import citing_lm, small_golden

COUNTS = {"train": 40, "dev": 10, "test": 10}


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("cite") / "golden", **COUNTS)


@pytest.fixture
def lm(golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    made = citing_lm([row for split in SPLITS for row in load_golden(split, golden_dir)])
    monkeypatch.setattr(_compile, "resolve", lambda spec, api_base: made)
    monkeypatch.setattr("turnkeeper.resolve_lm", lambda *given, **options: made, raising=False)
    return made


@pytest.fixture
def artifact(cli: Cli, lm: dspy.LM, golden_dir: Path) -> Path:
    return compiled(cli, golden_dir)


def compiled(cli: Cli, golden_dir: Path, form: str = "handles", *options: object) -> Path:
    done = cli(
        "compile", "cite", "--form", form, "--adapter", "compact", "--candidates", 2, "--golden", golden_dir,
        "--no-track", *options,
    )  # fmt: skip
    assert done.code == 0, done.err
    return Path(done.out.strip())


@pytest.mark.parametrize("form", ["handles", "claims"])
def test_compile_writes_an_artifact_that_beats_zero_shot(cli: Cli, lm: dspy.LM, golden_dir: Path, form: str) -> None:
    manifest = read_artifact(compiled(cli, golden_dir, form)).manifest
    assert (manifest.behaviour, manifest.form) == ("cite", form)
    assert manifest.dev_score is not None and manifest.dev_score > 0.85 > 0.5 > manifest.metrics["zero_shot"]["mean"]
    assert manifest.metrics["demos"][form] > 0
    assert set(manifest.metrics["test"]["components"]) == set(find("cite").components)
    assert 0.3 < manifest.metrics["copy"]["mean"] < 0.9


def test_the_demos_of_an_artifact_are_free_of_the_sessions_markers(artifact: Path) -> None:
    demos = json.loads(artifact.read_text(encoding="utf-8"))["handles"]["demos"]
    told = [demo["answer"] for demo in demos]
    assert told and not any("[Source:" in text or "Sources:" in text for text in told)
    assert all(demo["correction_feedback"] == "" for demo in demos)


def test_what_a_teacher_answers_is_turned_back_into_numbers(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    path = compiled(cli, golden_dir, "handles", "--optimizer", "bootstrap", "--option", "sizes=[2]")
    told = [demo["answer"] for demo in json.loads(path.read_text(encoding="utf-8"))["handles"]["demos"]]
    assert len(told) == 2 and all(re.search(r"\[\d\]", text) or text == "NO_EVIDENCE" for text in told)
    assert not any("Sources:" in text or "[Source:" in text for text in told)


def test_it_loads_and_the_guard_runs_it(lm: dspy.LM, artifact: Path, golden_dir: Path) -> None:
    keeper = load("cite", lm, program=artifact)
    right = 0
    for row in load_golden("test", golden_dir):
        result = keeper(**find("cite").asked(row))
        right += result.answer.rstrip(".") == row.gold.answer.rstrip(".") and result.ok
    assert right >= COUNTS["test"] - 1
    assert load("cite", lm).program_id == keeper.program_id


def test_evaluate_compare_and_report(cli: Cli, lm: dspy.LM, golden_dir: Path, artifact: Path, tmp_path: Path) -> None:
    files = [tmp_path / "copy.jsonl", tmp_path / "good.jsonl"]
    for file, program in zip(files, ("copy", artifact), strict=True):
        options = ("--golden", golden_dir, "--program", program, "--bare", "--out", file, "--json")
        (said,) = cli("evaluate", "cite", *options).rows()
        assert set(said["components"]) == {"score", *find("cite").components}
    done = cli("compare", *files)
    assert done.code in (0, 1) and "bad to good" in done.out, done.err
    cli("report", *files, "--out", tmp_path / "page.html")
    assert "Sources:" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_copying_runs_behind_the_guard(cli: Cli, golden_dir: Path) -> None:
    (said,) = cli("evaluate", "cite", "--golden", golden_dir, "--program", "copy", "--json").rows()
    assert said["lm_calls"] == 0 and said["components"]["score"]["mean"] > 0.3


def test_gate_holds_it_and_fails_when_a_gold_changes(
    cli: Cli, artifact: Path, golden_dir: Path, tmp_path: Path
) -> None:
    thresholds = "[tool.turnkeeper.gate.cite]\nscore = 0.9\nids = 1.0\nabstention = 0.9"
    Path("pyproject.toml").write_text(thresholds, encoding="utf-8")
    done = cli("gate", "cite", "--golden", golden_dir)
    assert done.code == 0 and "passes" in done.out, done.out + done.err
    Path("pyproject.toml").write_text("[tool.turnkeeper.gate.cite]\nresidual = 0.9", encoding="utf-8")
    assert "cite.residual`: unknown" in cli("gate", "cite", "--golden", golden_dir).err
    Path("pyproject.toml").write_text(thresholds, encoding="utf-8")
    moved = small_golden(tmp_path / "moved", **COUNTS)
    lines = (moved / "test.jsonl").read_text(encoding="utf-8").splitlines()
    (moved / "test.jsonl").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    stale = cli("gate", "cite", "--golden", moved)
    assert stale.code == 1 and "golden_sha256.test" in stale.out


def test_show_and_verify(cli: Cli, lm: dspy.LM, artifact: Path, golden_dir: Path) -> None:
    row = load_golden("dev", golden_dir)[0]
    done = cli("show", "cite", "--golden", golden_dir, "--program", artifact, "--row", row.id)
    assert done.code == 0 and f"row {row.id}, predictor handles" in done.out, done.err
    assert "Sources:\n" in done.out and "[assistant]" in done.out
    again = cli("verify", artifact, "--golden", golden_dir, "--rows", 3)
    assert again.code == 0 and "same; 3 rows, 3 with the same text" in again.out, again.err


def test_run_gives_the_row_format_that_check_takes(
    cli: Cli, lm: dspy.LM, artifact: Path, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_behaviours, "load_program", lambda *a, **o: load("cite", lm, program=artifact))
    rows = [given(row) for row in load_golden("test", golden_dir)[:4]]
    out = tmp_path / "out.jsonl"
    done = cli("run", "cite", "--in", jsonl(tmp_path / "in.jsonl", *rows), "--out", out)
    assert done.code == 0, done.err
    made = read_jsonl(out)
    assert [row["id"] for row in made] == [row["id"] for row in rows]
    fields = {"answer", "sources", "new_citations", "reused_citations", "citation_consistency_check"}
    assert all(set(row["prediction"]) == fields and row["ok"] and not row["fallback"] for row in made)
    checked = [{**row, "prediction": one["prediction"]} for row, one in zip(rows, made, strict=True)]
    held = cli("check", "cite", "--in", jsonl(tmp_path / "made.jsonl", *checked), "--json")
    assert held.code == 0 and all(row["ok"] for row in held.rows())


def given(row: Any) -> dict[str, Any]:
    fields: dict[str, Any] = row.model_dump(
        mode="json", include={"id", "turn", "history", "registry", "context", "question", "access_scope"}
    )
    return fields


def test_run_without_evidence_abstains_and_a_bad_row_is_named(
    cli: Cli, lm: dspy.LM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_behaviours, "load_program", lambda *a, **o: load("cite", lm, program="zero-shot"))
    empty = {"id": "e", "turn": 1, "registry": {}, "context": [], "question": "How deep is the lock?"}
    failed = {**empty, "id": "f", "context": None}
    bad = {**empty, "id": "g", "turn": 0}
    out = tmp_path / "out.jsonl"
    done = cli("run", "cite", "--in", jsonl(tmp_path / "in.jsonl", empty, failed, bad), "--out", out)
    first, second, third = read_jsonl(out)
    assert done.code == 2 and first["prediction"]["answer"] == second["prediction"]["answer"] == ABSTENTION
    assert "retrieval_failed" in {w["code"] for w in second["warnings"]} - {w["code"] for w in first["warnings"]}
    assert third["error"]["field"] == "turn" and lm.engine.calls == 0


def test_a_released_model_takes_and_gives_its_columns(lm: dspy.LM, artifact: Path, golden_dir: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
    from turnkeeper.compiling.served import ServedProgram, signature

    monkeypatch.setattr(
        "turnkeeper.load", lambda name, lm_spec=None, **o: load(name, lm, program=o["program"]), raising=False
    )
    model = ServedProgram()
    model.load_context(SimpleNamespace(artifacts={"program": str(artifact.parent)}, model_config={}))
    row = next(r for r in load_golden("test", golden_dir) if r.registry.entries and not r.gold.abstain)
    asked = {
        "query": row.question,
        "context": json.dumps(given(row)["context"]),
        "registry": json.dumps(given(row)["registry"]),
        "turn": str(row.turn),
        "history": given(row)["history"],
    }
    answers = model.predict(None, [asked, {**asked, "context": "null", "registry": None, "history": None}])
    assert answers["answer"][0] == row.gold.answer and answers["answer"][1] == ABSTENTION
    assert json.loads(answers["registry"][0])["convention"] == row.registry.convention
    found = signature(find("cite"))
    assert found.inputs.input_names() == ["query", "context", "registry", "turn", "history", "access_scope"]
    assert found.outputs.input_names() == list(answers.columns)
