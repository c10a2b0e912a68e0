"""A regression of each kind, planted in a program that was really compiled, of each behaviour: the gate names it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turnkeeper.behaviours import find, names
from turnkeeper.compiling import CompileOptions, compile_program
from turnkeeper.evaluation.gate import Checked, gate
from turnkeeper.evaluation.thresholds import Thresholds
from turnkeeper.lms.catalogue import DEFAULT_MODEL
from turnkeeper.lms.catalogue import find as catalogued
from turnkeeper.optimized import find_artifacts
from turnkeeper.signatures.types import Violation

from ..compiling.oracle import oracle_lm, rows_of, small_set

BROKEN = {
    "reformulate": "residual_reference", "expand": "excluded_term_present", "cite": "fabricated_id",
    "carry_forward": "silently_dropped",
}  # fmt: skip
SHARE = {"carry_forward": 60}  # right in so many of a hundred prompts, so that it is neither right nor wrong in all
Change = Callable[[dict[str, Any]], Any]


class Compiled(NamedTuple):
    """A folder with the golden set and the program of a behaviour."""

    behaviour: str
    folder: Path

    @property
    def state(self) -> Path:
        (path,) = find_artifacts(self.folder / "programs", self.behaviour)
        return path

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._beside.read_text(encoding="utf-8"))
        return found

    @property
    def _beside(self) -> Path:
        return self.state.with_name(f"{self.state.stem}.manifest.json")

    def edit(self, change: Change) -> None:
        """Change the manifest in place."""
        said = self.manifest
        change(said)
        self._beside.write_text(json.dumps(said), encoding="utf-8")

    def edit_state(self, change: Change, *, mended: bool = True) -> None:
        """Change the state in place, and with `mended` the manifest's digest of it, as a cheat would."""
        state = json.loads(self.state.read_text(encoding="utf-8"))
        change(state)
        raw = json.dumps(state).encode()
        self.state.write_bytes(raw)
        if mended:
            self.edit(lambda said: said.update(state_sha256=hashlib.sha256(raw).hexdigest()))

    def check(self, **thresholds: float) -> Checked:
        (found,) = gate(
            self.folder / "programs", behaviour=self.behaviour, golden_dir=self.folder / "golden",
            thresholds=Thresholds(thresholds, {}),
        )  # fmt: skip
        return found

    def failures(self, **thresholds: float) -> dict[str, str]:
        """What the gate finds: field -> message."""
        return {finding.field: finding.message for finding in self.check(**thresholds).findings}


@pytest.fixture(scope="module", params=names())
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    behaviour = str(request.param)
    folder = tmp_path_factory.mktemp(behaviour)
    golden = small_set(behaviour, folder / "golden", train=14, dev=8, test=12)
    options = CompileOptions(
        behaviour=behaviour, adapter="compact", golden=golden, out=folder / "programs", journal=folder / "j.jsonl"
    )
    outcome = compile_program(options, oracle_lm(behaviour, rows_of(behaviour, golden), share=SHARE.get(behaviour, 80)))
    assert outcome.artifact is not None and 0 < outcome.artifact.manifest.metrics["test"]["mean"] < 1
    return Compiled(behaviour, folder)


@pytest.fixture
def compiled(original: Compiled, tmp_path: Path) -> Compiled:
    """A copy that the test may spoil."""
    for name in ("golden", "programs"):
        shutil.copytree(original.folder / name, tmp_path / name)
    return original._replace(folder=tmp_path)


def demos_of(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The demos of the first predictor that has any."""
    found: list[dict[str, Any]] = next(said["demos"] for said in state.values() if said.get("demos"))
    return found


def test_as_it_is_it_passes_with_thresholds_at_its_own_figures(compiled: Compiled) -> None:
    figures = compiled.manifest["metrics"]["test"]
    found = compiled.check(score=figures["mean"], **figures["components"])
    assert found.findings == [] and found.notes == [] and len(found.rows) == 12


def test_a_broken_check(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    always = [Violation(code=BROKEN[compiled.behaviour], message="Broken.")]
    checks = import_module(f"turnkeeper.metrics.{compiled.behaviour}")
    monkeypatch.setattr(checks, "check", lambda **given: always)
    assert "changed the scores of the recorded predictions: mean was" in compiled.failures()["metrics.test"]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_stale_golden_row(split: str, compiled: Compiled) -> None:
    path = compiled.folder / "golden" / f"{split}.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    edited = json.dumps({**json.loads(first), "domain": "elsewhere"})
    path.write_text("\n".join([edited, *rest]) + "\n", encoding="utf-8")
    failures = compiled.failures()
    assert failures.keys() == {f"golden_sha256.{split}"}
    assert f"the {split} rows are not those it was made with" in failures[f"golden_sha256.{split}"]


def test_an_edited_signature(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module(f"turnkeeper.modules.{compiled.behaviour}")
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and hasattr(value, "with_instructions") and value.__module__.endswith("_forms"):
            monkeypatch.setattr(module, name, value.with_instructions("Say it again."))
    assert "field `instructions` of predictor" in compiled.failures()["fingerprint"]


def test_an_edited_demo(compiled: Compiled) -> None:
    compiled.edit_state(lambda state: demos_of(state).pop(), mended=False)
    assert "but its manifest says" in compiled.failures()["artifact"]


def test_an_edited_demo_that_lacks_a_field(compiled: Compiled) -> None:
    compiled.edit_state(lambda state: demos_of(state)[0].popitem())
    assert "demo 0: field" in compiled.failures()["fingerprint"]


def test_another_digest(compiled: Compiled) -> None:
    compiled.edit(lambda said: said.update(state_sha256="0" * 64))
    assert compiled.failures().keys() == {"artifact"}


def test_recorded_predictions_that_are_gone(compiled: Compiled) -> None:
    compiled.edit(lambda said: said["metrics"].pop("test_predictions"))
    assert compiled.failures(score=0.1) == {
        "metrics.test_predictions": "the figures of its test run are there, and the predictions are gone"
    }


def test_a_recorded_prediction_that_is_gone(compiled: Compiled) -> None:
    compiled.edit(lambda said: said["metrics"]["test_predictions"].pop())
    assert "1 rows of the test split have no recorded prediction" in compiled.failures()["metrics.test_predictions"]


def test_a_recorded_prediction_that_stands_there_twice(compiled: Compiled) -> None:
    compiled.edit(lambda said: said["metrics"]["test_predictions"].append(said["metrics"]["test_predictions"][0]))
    assert "1 of 13 recorded rows stand there a second time" in compiled.failures()["metrics.test_predictions"]


def test_a_recorded_prediction_that_was_bettered(compiled: Compiled) -> None:
    entry = find(compiled.behaviour)
    worst = min(compiled.check().rows, key=lambda row: row.score or 0.0)
    gold = next(entry.gold(row) for row in entry.load("test", compiled.folder / "golden") if row.id == worst.id)

    def better(said: dict[str, Any]) -> None:
        (record,) = [each for each in said["metrics"]["test_predictions"] if each["id"] == worst.id]
        record["prediction"] |= gold

    compiled.edit(better)
    assert "mean was" in compiled.failures()["metrics.test"]


def test_a_threshold_that_was_raised(compiled: Compiled) -> None:
    mean = compiled.manifest["metrics"]["test"]["mean"]
    failures = compiled.failures(score=mean + 0.01)
    assert failures.keys() == {"score"} and "the mean of 12 rows is" in failures["score"]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_golden_row_among_the_demos(split: str, compiled: Compiled) -> None:
    entry = find(compiled.behaviour)
    row = entry.load(split, compiled.folder / "golden")[3]
    (leaked, *_) = entry.demos(row, entry.forms[0])
    fields = {**leaked.fields, "correction_feedback": "Say it better."}  # which makes it no other question
    compiled.edit_state(lambda state: state[leaked.predictor]["demos"].append(json.loads(json.dumps(fields))))
    failures = compiled.failures()
    assert failures.keys() == {"demos"} and failures["demos"].endswith(f"is row {row.id} of the {split} split")


def test_other_weights_under_the_same_name(compiled: Compiled) -> None:
    known = catalogued(DEFAULT_MODEL)
    model = f"llama-cpp/{known.label}@sha256:{known.sha256[:8]}"
    compiled.edit(lambda said: said["lm"].update(model=model, sha256=known.sha256))
    assert compiled.failures() == {}
    compiled.edit(lambda said: said["lm"].update(sha256="5" * 64))
    assert "one of the two was changed" in compiled.failures()["lm.sha256"]
    older = f"llama-cpp/{known.label}@sha256:55555555"
    compiled.edit(lambda said: said["lm"].update(model=older))
    failures = compiled.failures()
    assert failures.keys() == {"lm.model"} and f"is {known.sha256[:8]} now" in failures["lm.model"]


def test_a_program_of_another_behaviour(compiled: Compiled) -> None:
    other = next(name for name in names() if name != compiled.behaviour)
    (compiled.folder / "programs" / compiled.behaviour).rename(compiled.folder / "programs" / other)
    moved = Compiled(other, compiled.folder)
    small_set(other, compiled.folder / "golden", train=2, dev=2, test=2)
    assert moved.failures() == {"behaviour": f"is a {compiled.behaviour} program in the folder of {other}"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda said: said["optimizer"]["parameters"].update(api_key="plum-jam"), "optimizer.parameters.api_key"),
        (lambda said: said["versions"].update(note="sk-abcdefghijklmnop1234"), "versions.note"),
        (lambda said: said["lm"].update(model="openai/x?api_key=abcdefgh12345678"), "lm.model"),
    ],
)
def test_a_secret_in_the_manifest(change: Change, field: str, compiled: Compiled) -> None:
    compiled.edit(change)
    failures = compiled.failures()
    assert failures.keys() == {f"manifest.{field}"}
    assert not any(secret in str(failures) for secret in ("plum-jam", "sk-abc", "abcdefgh"))


def test_a_secret_in_an_instruction(compiled: Compiled) -> None:
    def instructed(state: dict[str, Any]) -> None:
        said = next(iter(state.values()))["signature"]
        said["instructions"] += " Use sk-abcdefghijklmnop1234."

    compiled.edit_state(instructed)
    (field,) = compiled.failures()
    assert field.startswith("state.") and field.endswith(".signature.instructions")


def test_an_adapter_that_is_not_there(compiled: Compiled) -> None:
    compiled.edit(lambda said: said.update(adapter="gone"))
    assert "field `adapter`: unknown 'gone'" in compiled.failures()["fingerprint"]


def test_another_form(compiled: Compiled) -> None:
    other = find(compiled.behaviour).forms[-1]
    compiled.edit(lambda said: said.update(form=other))
    assert compiled.failures().keys() == {"fingerprint"}
