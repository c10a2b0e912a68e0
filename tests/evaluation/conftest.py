"""A golden set of four rows in a folder, and an artifact that was tested on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.behaviours import find
from turnkeeper.data.reformulate import Gold, GoldenRow, digest, load
from turnkeeper.data.rows import dumps
from turnkeeper.evaluation.records import Recorded, replay
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.optimized import Artifact, fingerprint, write_artifact
from turnkeeper.signatures.types import Turn

TALK = (
    Turn(role="user", content="Tell me about the Orvane kettle."),
    Turn(role="assistant", content="It boils a litre in two minutes."),
)


def golden_row(number: int, verb: str, kind: str) -> GoldenRow:
    gold = Gold(
        standalone_query=f"Does the Orvane kettle {verb}?",
        action="rewrite",
        resolved_references=(),
        acceptable=(),
        must_contain=("Orvane kettle",),
        must_not_contain=(),
    )
    return GoldenRow(
        id=f"r{number}", kind=kind, domain="kitchen", language="en", family=f"f{number}", history=TALK,
        query=f"Does it {verb}?", gold=gold,
    )  # fmt: skip


ROWS = [golden_row(n, verb, ("thing", "noise")[n % 2]) for n, verb in enumerate(("leak", "whistle", "rust", "beep"))]


def write_rows(folder: Path, rows: list[GoldenRow]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev", "test"):
        text = "".join(dumps(row.model_dump(mode="json")) + "\n" for row in rows)
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def golden_dir(tmp_path: Path) -> Path:
    write_rows(tmp_path / "golden", ROWS)
    return tmp_path / "golden"


@pytest.fixture
def artifact(tmp_path: Path, golden_dir: Path) -> Callable[..., Artifact]:
    """`artifact("tiny", r1="a wrong answer")`: predictions are the golds but for the rows that are named."""

    def make(slug: str = "tiny", *, metrics: dict[str, Any] | None = None, **wrong: str) -> Artifact:
        said = {row.id: wrong.get(row.id, row.gold.standalone_query) for row in load("test", golden_dir)}
        predictions = [{"id": i, "prediction": {"standalone_query": t, "action": "rewrite"}} for i, t in said.items()]
        rows = [
            replay(Recorded(**p), row, find("reformulate"))  # type: ignore[arg-type]
            for p, row in zip(predictions, load("test", golden_dir), strict=True)
        ]
        figures = {
            "mean": sum(r.score or 0 for r in rows) / len(rows),
            "components": {n: sum(r.components[n] for r in rows) / len(rows) for n in rows[0].components},
        }
        program = Reformulate("rewrite")
        return write_artifact(
            tmp_path / "programs",
            program.dump_state(),
            behaviour="reformulate",
            slug=slug,
            lm={"model": "scripted/tiny"},
            adapter="compact",
            form="rewrite",
            optimizer={"name": "labeled"},
            golden_sha256={split: digest(split, golden_dir) for split in ("train", "dev", "test")},
            fingerprint=fingerprint({name: p.signature for name, p in program.named_predictors()}),
            metrics={"test": figures, "test_predictions": predictions} if metrics is None else metrics,
        )

    return make
