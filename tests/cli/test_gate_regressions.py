"""A compiled program passes the gate as it is; each deliberate regression fails it, and the gate says which."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.metrics import reformulate as checks
from turnkeeper.modules import reformulate as module
from turnkeeper.signatures.reformulate_forms import ResolveReferents

from ..compiling.reading import all_rows, reading_lm, small_golden
from .conftest import Cli


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `golden` and `programs`; the program is right in most of its 12 test rows."""
    folder = tmp_path_factory.mktemp("compiled")
    golden_dir = small_golden(folder / "golden", train=14, dev=6, test=12)
    options = CompileOptions(
        form="referents", adapter="compact", golden=golden_dir, out=folder / "programs", journal=folder / "j.jsonl"
    )
    outcome = compile_program(options, reading_lm(all_rows(golden_dir), share=80))
    assert outcome.artifact is not None and 0 < outcome.artifact.manifest.metrics["test"]["mean"] < 1
    return folder


@pytest.fixture
def gate(cli: Cli, compiled: Path, tmp_path: Path) -> Callable[[], tuple[int, str]]:
    """Gate a copy of the folder, which stands in the test's `tmp_path`."""
    for name in ("golden", "programs"):
        shutil.copytree(compiled / name, tmp_path / name)

    def run() -> tuple[int, str]:
        done = cli("gate", "--programs", tmp_path / "programs", "--golden", tmp_path / "golden")
        return done.code, done.out

    return run


def thresholds(text: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.turnkeeper.gate.reformulate]\n{text}\n", encoding="utf-8")


def test_as_it_is_it_passes_thresholds_and_all(gate: Callable[[], tuple[int, str]], compiled: Path) -> None:
    manifest = json.loads(next((compiled / "programs").rglob("*.manifest.json")).read_text())
    figures = manifest["metrics"]["test"]
    kinds = "\n".join(f"{kind} = {mean}" for kind, mean in figures["kinds"].items())
    components = "\n".join(f"{name} = {mean}" for name, mean in figures["components"].items())
    thresholds(f"score = {figures['mean']}\n{components}\n[tool.turnkeeper.gate.reformulate.kinds]\n{kinds}")
    code, said = gate()
    assert code == 0 and "passes (12 rows)" in said and "not checked" not in said


def test_a_check_that_is_broken(gate: Callable[[], tuple[int, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "check", lambda **given: [])
    code, said = gate()
    assert code == 1 and "metrics.test: checks or golds changed the scores" in said
    assert "components.residual was 0." in said and "is 1.0000" in said


def test_a_golden_row_that_is_stale(gate: Callable[[], tuple[int, str]], tmp_path: Path) -> None:
    path = tmp_path / "golden" / "test.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    row = json.loads(first)
    path.write_text("\n".join([json.dumps({**row, "domain": "elsewhere"}), *rest]) + "\n", encoding="utf-8")
    code, said = gate()
    assert code == 1 and "golden_sha256.test: the test rows are not those it was made with" in said


def test_a_signature_that_was_edited(gate: Callable[[], tuple[int, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ResolveReferents", ResolveReferents.with_instructions("Say what it is."))
    code, said = gate()
    assert code == 1 and "fingerprint: " in said and "`instructions` of predictor `referents`" in said


@pytest.mark.parametrize("name", ["score", "good", "residual", "agreement", "action"])
def test_a_threshold_that_is_missed(name: str, gate: Callable[[], tuple[int, str]]) -> None:
    thresholds(f"scope = 1.0\n{name} = 1.0")
    code, said = gate()
    failures = [line.strip() for line in said.splitlines() if "below the threshold" in line]
    assert code == 1 and len(failures) == 1 and failures[0].startswith(f"{name}: the mean of 12 rows is 0.")


def test_a_kind_that_is_missed(gate: Callable[[], tuple[int, str]], compiled: Path) -> None:
    figures = json.loads(next((compiled / "programs").rglob("*.manifest.json")).read_text())["metrics"]["test"]
    worst = min(figures["kinds"], key=lambda kind: figures["kinds"][kind])
    best = max(figures["kinds"], key=lambda kind: figures["kinds"][kind])
    thresholds(f"kinds = {{ {worst} = 1.0, {best} = 0.1 }}")
    code, said = gate()
    assert code == 1 and f"  kinds.{worst}: the mean of " in said and f"kinds.{best}" not in said
