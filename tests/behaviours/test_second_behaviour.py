"""A second behaviour through everything that compiles, evaluates, gates, shows, verifies and tracks one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper import load
from turnkeeper.adapters import get_adapter
from turnkeeper.compiling import CompileOptions, Outcome, Teleprompter, compile_program
from turnkeeper.compiling.experiment import read_experiment
from turnkeeper.compiling.plan import plan_of
from turnkeeper.evaluation import evaluate
from turnkeeper.evaluation.baselines import CopyQuery
from turnkeeper.optimized import read_artifact

from ..cli.conftest import Cli
from .shelving import Shelve, metric, rows_of

OPTIONS = ("--form", "shelf", "--adapter", "compact")


def compiled(lm: dspy.LM, golden_dir: Path, **changes: Any) -> Outcome:
    said = {"behaviour": "shelve", "form": "shelf", "adapter": "compact", "golden": golden_dir, "candidates": 3}
    return compile_program(CompileOptions(**{**said, **changes}), lm)


@pytest.fixture
def artifact(lm: dspy.LM, golden_dir: Path) -> Path:
    outcome = compiled(lm, golden_dir)
    assert outcome.artifact is not None, outcome.reason
    return outcome.artifact.path


def test_compile_writes_an_artifact_of_it(cli: Cli, lm: dspy.LM, golden_dir: Path) -> None:
    done = cli("compile", "shelve", *OPTIONS, "--golden", golden_dir, "--no-track")
    assert done.code == 0, done.err
    manifest = read_artifact(Path(done.out.strip())).manifest
    assert (manifest.behaviour, manifest.form, manifest.dev_score) == ("shelve", "shelf", 1.0)
    assert manifest.metrics["copy"]["mean"] == manifest.metrics["zero_shot"]["mean"] == 0.2
    assert manifest.metrics["test"]["components"] == {"exact": 1.0, "form": 1.0}
    assert manifest.metrics["demos"]["shelf"] > 0


def test_the_same_compile_asks_nothing_again_and_gives_the_same_bytes(lm: dspy.LM, golden_dir: Path) -> None:
    first = compiled(lm, golden_dir)
    calls, held = lm.engine.calls, first.artifact.path.read_bytes()  # type: ignore[union-attr]
    again = compiled(lm, golden_dir)
    assert lm.engine.calls == calls and again.reused == again.rows == first.rows
    assert again.artifact.path.read_bytes() == held  # type: ignore[union-attr]


@pytest.mark.parametrize("optimizer", ["bootstrap", "bootstrap-rs"])
def test_a_teacher_makes_demos_of_it(optimizer: str, lm: dspy.LM, golden_dir: Path) -> None:
    outcome = compiled(lm, golden_dir, optimizer=optimizer, parameters={"threshold": 1.0, "sizes": [2]})
    assert outcome.artifact is not None and outcome.artifact.manifest.metrics["demos"] == {"shelf": 2}


def test_a_gold_that_its_metric_does_not_accept_is_a_doubt(lm: dspy.LM, golden_dir: Path) -> None:
    (row, *rest) = rows_of("dev")
    bad = row.model_copy(update={"gold": row.gold.model_copy(update={"shelf": "the cellar"})})
    (golden_dir / "dev.jsonl").write_text("".join(r.model_dump_json() + "\n" for r in (bad, *rest)))
    options = CompileOptions(behaviour="shelve", golden=golden_dir)
    from turnkeeper.compiling import Budget

    assert "row sh-dev-0: its own gold scores 0.00" in plan_of(options, lm, Budget()).doubts[0]


def test_it_loads_and_the_guard_runs_it(lm: dspy.LM, artifact: Path) -> None:
    keeper = load("shelve", lm, program=artifact)
    assert keeper(item="Ragna brought the twine", owner="Ragna").shelf == "shed"
    assert load("shelve", lm).program_id == keeper.program_id != "zero-shot"
    assert load("shelve", lm, program="zero-shot").program.form == "shelf"


def test_evaluate_gives_its_components(cli: Cli, lm: dspy.LM, golden_dir: Path, artifact: Path) -> None:
    done = cli("evaluate", "shelve", "--golden", golden_dir, "--program", artifact, "--split", "test", "--json")
    (said,) = done.rows()
    assert (said["behaviour"], said["rows"], said["fallback_rate"]) == ("shelve", 6, 0.0)
    assert said["components"].keys() == {"score", "exact", "form"} and said["good"]["mean"] == 1.0


def test_copying_is_what_its_entry_says(cli: Cli, golden_dir: Path) -> None:
    (said,) = cli("evaluate", "shelve", "--golden", golden_dir, "--program", "copy", "--json").rows()
    assert said["components"]["score"]["mean"] == 0.2 and said["lm_calls"] == 0


def test_compare_and_report_show_its_own_text(
    cli: Cli, lm: dspy.LM, golden_dir: Path, artifact: Path, tmp_path: Path
) -> None:
    files = [tmp_path / "copy.jsonl", tmp_path / "good.jsonl"]
    for file, program in zip(files, ("copy", artifact), strict=True):
        cli("evaluate", "shelve", "--golden", golden_dir, "--program", program, "--bare", "--out", file)
    done = cli("compare", *files)
    assert "bad to good: sh-dev-0 (food): 'a' -> 'cellar'" in done.out
    cli("report", *files, "--out", tmp_path / "page.html")
    assert "cellar" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_row_of_another_behaviour_is_said_and_no_error_row(golden_dir: Path, lm: dspy.LM) -> None:
    with pytest.raises(AttributeError, match="history"):
        evaluate(Shelve(), rows_of("dev"), metric, lm=lm, adapter=get_adapter("compact"), bare=True)


def test_a_guarded_copy_knows_its_behaviour() -> None:
    done = evaluate(CopyQuery("shelve"), rows_of("dev"), metric, bare=True)
    assert done.mean() == pytest.approx(0.2) and done.errors == 0


def test_gate_holds_it_against_its_own_thresholds(cli: Cli, artifact: Path, golden_dir: Path) -> None:
    Path("pyproject.toml").write_text(
        "[tool.turnkeeper.gate.shelve]\nexact = 1.0\n[tool.turnkeeper.gate.shelve.kinds]\nfood = 1.0"
    )
    done = cli("gate", "shelve", "--golden", golden_dir)
    assert done.code == 0 and "scripted-shelving-labeled.json: passes (6 rows)" in done.out, done.err


def test_gate_fails_when_a_gold_changes(cli: Cli, artifact: Path, golden_dir: Path) -> None:
    Path("pyproject.toml").write_text("[tool.turnkeeper.gate.shelve]\nexact = 1.0")
    (row, *rest) = rows_of("test")
    moved = row.model_copy(update={"gold": row.gold.model_copy(update={"shelf": "attic"})})
    (golden_dir / "test.jsonl").write_text("".join(r.model_dump_json() + "\n" for r in (moved, *rest)))
    done = cli("gate", "shelve", "--golden", golden_dir)
    assert done.code == 1 and "exact: the mean of 6 rows is 0.8333" in done.out
    assert "golden_sha256.test" in done.out and "run: turnkeeper compile shelve" in done.out


def test_a_threshold_of_another_behaviour_is_refused(cli: Cli, artifact: Path, golden_dir: Path) -> None:
    Path("pyproject.toml").write_text("[tool.turnkeeper.gate.shelve]\nresidual = 0.9")
    done = cli("gate", "shelve", "--golden", golden_dir)
    assert done.code == 2 and "shelve.residual`: unknown; there is: exact, form, good, score" in done.err


def test_gate_live_asks_it_again(cli: Cli, lm: dspy.LM, artifact: Path, golden_dir: Path) -> None:
    done = cli("gate", "shelve", "--golden", golden_dir, "--live")
    assert done.code == 0 and "asked again: 6 rows, 6 with the same text, every score as recorded" in done.out


def test_gate_without_a_name_checks_each_that_has_programs(cli: Cli, artifact: Path, golden_dir: Path) -> None:
    done = cli("gate", "--programs", artifact.parent.parent, "--golden", golden_dir)
    assert done.code == 0 and done.out.startswith("optimized/shelve/") and "(6 rows)" in done.out
    both = cli("gate", "--golden", golden_dir)  # the shipped programs of reformulate count, and the set is not theirs
    assert both.code == 2 and "is the set of one behaviour; name it: carry_forward, cite, expand," in both.err


def test_show_gives_the_messages_that_it_sends(cli: Cli, artifact: Path, golden_dir: Path) -> None:
    done = cli("show", "shelve", "--golden", golden_dir, "--program", artifact, "--row", "sh-dev-1")
    assert done.code == 0 and "row sh-dev-1, predictor shelf" in done.out, done.err
    assert "Item: somebody brought the tin soldiers" in done.out and "[assistant]" in done.out
    each = cli("show", "shelve", "--golden", golden_dir, "--program", "zero-shot")
    assert each.out.count("predictor shelf") == 1


def test_verify_asks_recorded_rows_again(cli: Cli, lm: dspy.LM, artifact: Path, golden_dir: Path) -> None:
    done = cli("verify", artifact, "--golden", golden_dir, "--rows", 4)
    assert done.code == 0 and "same; 4 rows, 4 with the same text" in done.out, done.err


def test_a_grid_takes_its_default_form(golden_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    file.write_text('behaviour = "shelve"\ngolden = "golden"\n[grid]\nseed = [0, 1]')
    cells = read_experiment(file, tmp_path / "out").cells
    assert [(cell.options.behaviour, cell.options.form) for cell in cells] == [("shelve", "shelf")] * 2


def test_a_teleprompter_asks_masked_inputs_and_scores_the_rows_themselves(lm: dspy.LM, golden_dir: Path) -> None:
    from turnkeeper.compiling import Budget

    seen: list[Any] = []

    class Scoring:
        def __init__(self, metric: Any) -> None:
            self.metric = metric

        def compile(self, student: dspy.Module, *, trainset: list[dspy.Example]) -> dspy.Module:
            seen.extend((e.inputs().toDict(), self.metric(e, {"shelf": e.gold.shelf}).score) for e in trainset)
            return student

    task = plan_of(CompileOptions(behaviour="shelve", golden=golden_dir), lm, Budget()).tasks[0]
    assert list(Teleprompter(lambda task: Scoring(task.metric)).propose(task))
    assert seen[1] == ({"item": "somebody brought the spare quilt"}, 1.0) and {score for _, score in seen} == {1.0}


def test_reflection_reads_its_inputs(lm: dspy.LM, golden_dir: Path) -> None:
    from turnkeeper.compiling import Budget
    from turnkeeper.compiling._gepa import _Adapter

    task = plan_of(CompileOptions(behaviour="shelve", golden=golden_dir), lm, Budget()).tasks[0]
    (shown, *_) = _Adapter(task, {})._seen([(row, None) for row in task.train], "shelf")
    assert shown["Inputs"] == {"item": "a neighbour brought the plum jam"}


def test_a_released_model_takes_and_gives_its_columns(lm: dspy.LM, artifact: Path, monkeypatch: Any) -> None:
    pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
    from types import SimpleNamespace

    from turnkeeper.behaviours import find
    from turnkeeper.compiling.served import ServedProgram, signature

    monkeypatch.setattr(
        "turnkeeper.load", lambda name, lm_spec=None, **o: load(name, lm, program=o["program"]), raising=False
    )
    model = ServedProgram()
    model.load_context(SimpleNamespace(artifacts={"program": str(artifact.parent)}, model_config={}))
    answers = model.predict(None, [{"item": "a rake"}, {"item": "Ragna brought the mead", "owner": "Ragna"}])
    assert list(answers["shelf"]) == ["shed", "cellar"] and list(answers["ok"]) == [True, True]
    found = signature(find("shelve"))
    assert found.inputs.input_names() == ["item", "owner"]
    assert found.outputs.input_names() == list(answers.columns)


def test_a_compile_is_tracked_with_its_texts(
    lm: dspy.LM, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
    from mlflow import MlflowClient

    from turnkeeper.tracking import MlflowObserver

    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    options = CompileOptions(behaviour="shelve", form="shelf", adapter="compact", golden=golden_dir, candidates=1)
    with MlflowObserver(uri) as tracker:
        compile_program(options, lm, observers=(tracker,))
    assert tracker.problem is None
    store = MlflowClient(tracking_uri=uri)
    run = store.get_run(tracker.run_id)
    assert store.get_experiment(run.info.experiment_id).name == "turnkeeper/shelve"
    assert {"dev/exact", "copy/score", "test/form"} <= run.data.metrics.keys()
    table = json.loads(Path(store.download_artifacts(tracker.run_id, "test_rows.json")).read_text())
    row = dict(zip(table["columns"], table["data"][0], strict=True))
    assert [row[name] for name in ("query", "prediction", "gold", "history")] == [
        "a neighbour brought the quince jelly",
        "cellar",
        "cellar",
        "owner: None",
    ]
