"""A golden set in a folder, a program on a scripted LM, an artifact, two evaluations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.cli import _behaviours
from turnkeeper.modules._guard import Guard
from turnkeeper.modules._reformulate_rules import ReformulateBehaviour
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.optimized import Artifact, fingerprint, write_artifact

from ...evaluation.conftest import ROWS, golden_row, write_rows
from ..conftest import Cli

WRONG = [f"Does it {verb}?" for verb in ("leak", "whistle", "rust", "beep")]
RIGHT = [row.gold.standalone_query for row in ROWS]


@pytest.fixture
def golden_dir(tmp_path: Path) -> Path:
    write_rows(tmp_path / "golden", ROWS)
    return tmp_path / "golden"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, scripted_lm: Callable[..., dspy.LM]) -> Callable[..., dspy.LM]:
    """`program("reply", ...)` makes every command load a program whose LM says that."""

    def make(*replies: Any, model: str | None = None) -> dspy.LM:
        said = [json.dumps({"standalone_query": r}) if isinstance(r, str) else r for r in replies]
        lm = scripted_lm(*said)
        lm.model = model or "scripted/one"
        adapter = get_adapter("compact")
        guard = Guard(ReformulateBehaviour(), Reformulate("rewrite"), lm=lm, adapter=adapter, cache_size=0)
        monkeypatch.setattr(_behaviours, "load_program", lambda *a, **o: guard)
        return lm

    return make


@pytest.fixture
def artifact(tmp_path: Path, golden_dir: Path) -> Artifact:
    predictions = [{"id": r.id, "prediction": {"standalone_query": t}} for r, t in zip(ROWS, RIGHT, strict=True)]
    bare = Reformulate("rewrite")
    return write_artifact(
        tmp_path / "programs", bare.dump_state(), behaviour="reformulate", slug="tiny", lm={"model": "scripted/one"},
        adapter="compact", form="rewrite", optimizer={"name": "labeled"}, metrics={"test_predictions": predictions},
        fingerprint=fingerprint({name: p.signature for name, p in bare.named_predictors()}),
    )  # fmt: skip


def evaluate(cli: Cli, golden_dir: Path, *options: object) -> Any:
    return cli("evaluate", "reformulate", "--golden", golden_dir, *options)


@pytest.fixture
def two(cli: Cli, golden_dir: Path, tmp_path: Path, program: Any) -> tuple[Path, Path]:
    """Copying, and a program that is right; over eight rows."""
    verbs = ("leak", "whistle", "rust", "beep", "glow", "stink", "tilt", "crack")
    write_rows(golden_dir, [golden_row(n, verb, "thing") for n, verb in enumerate(verbs)])
    evaluate(cli, golden_dir, "--program", "copy", "--bare", "--out", tmp_path / "copy.jsonl")
    program(*(f"Does the Orvane kettle {verb}?" for verb in verbs))
    evaluate(cli, golden_dir, "--bare", "--out", tmp_path / "good.jsonl")
    return tmp_path / "copy.jsonl", tmp_path / "good.jsonl"
