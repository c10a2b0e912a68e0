"""Past one machine: Spark workers load a released program, without pickle, and ask one LM server for 200 rows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper import load
from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.data import reformulate as golden
from turnkeeper.metrics.reformulate import metric

from .reading import ReadingEngine, reading_lm
from .serving import listening

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
pytest.importorskip("pyspark", reason="needs pip install 'turnkeeper[spark]'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("java") or os.environ.get("JAVA_HOME")), reason="Spark needs java, or JAVA_HOME"
    ),
]


def sparked(model: str, address: str, rows: Sequence[dict[str, Any]], folder: Path, uri: str) -> list[dict[str, Any]]:
    source, target = folder / "rows.jsonl", folder / "answers.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "NO_PROXY": "127.0.0.1",
            "MLFLOW_TRACKING_URI": uri, "MLFLOW_DISABLE_TELEMETRY": "true",
            "LITELLM_LOCAL_MODEL_COST_MAP": "true"}  # fmt: skip
    script = Path(__file__).with_name("sparked.py")
    command = [sys.executable, str(script), model, address, str(source), str(target)]
    done = subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_200_rows_in_order_and_a_bad_one_costs_no_other(
    options: Callable[..., CompileOptions], lm: dspy.LM, tmp_path: Path
) -> None:
    from turnkeeper.compiling.release import release

    artifact = compile_program(options(), lm).artifact
    assert artifact is not None
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    done = release(artifact.path, lm="openai/reading", uri=uri)
    chosen = [row for row in golden.load("train") if row.language == "en"][:200]
    rows = [
        {"id": n, "query": row.query, "history": [turn.model_dump() for turn in row.history], "access_scope": None}
        for n, row in enumerate(chosen)
    ]
    asks = [n for n, row in enumerate(chosen) if row.gold.resolved_references]
    babble, bad = asks[len(asks) // 3], asks[len(asks) // 2]
    rows[bad]["access_scope"] = "{no JSON"

    engine = ReadingEngine(chosen, least=0)
    plainly = engine.reply

    def reply(system: str, said: Sequence[tuple[str, str]]) -> str:
        return "no such thing" if f"Query: {chosen[babble].query}\n" in said[-1][1] else plainly(system, said)

    engine.reply = reply  # type: ignore[method-assign]
    with listening(engine) as address:
        answers = sparked(done.uri, address, rows, tmp_path, uri)

    assert [said["id"] for said in answers] == list(range(200))
    alone = load("reformulate", reading_lm(chosen, least=0), program=artifact.path)
    for n, (row, said) in enumerate(zip(chosen, answers, strict=True)):
        if n not in (babble, bad):
            expected = alone(history=list(row.history), query=row.query)
            assert said["standalone_query"] == expected.standalone_query, row.id
            assert (said["ok"], said["fallback"], said["error"]) == (expected.ok, expected.fallback, ""), row.id
    scores = [metric(row, said).score for row, said in zip(chosen, answers, strict=True)]
    assert sum(scores) / len(scores) > 0.85
    assert answers[babble]["fallback"] and answers[babble]["standalone_query"] == chosen[babble].query
    assert answers[bad]["fallback"] and answers[bad]["standalone_query"] == "" and not answers[bad]["ok"]
    assert answers[bad]["error"] == "field `access_scope`: is no JSON"
    assert engine.calls < 300, "no row is asked twice"
