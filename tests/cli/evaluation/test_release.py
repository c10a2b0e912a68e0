"""`turnkeeper release`: the very file that is named goes through the gate, wherever it lies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.compiling.release import Released
from turnkeeper.optimized import Artifact
from turnkeeper.optimized.artifact import manifest_path

from ..conftest import Cli

GATE = "[tool.turnkeeper.gate.reformulate]\nscore = 0.9\n"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths that reached the registry; there is none behind it."""
    found: list[Path] = []

    def register(path: Path, **given: Any) -> Released:
        found.append(path)
        return Released("turnkeeper-reformulate", "1", "models:/turnkeeper-reformulate@champion", "run")

    monkeypatch.setattr("turnkeeper.compiling.release.release", register)
    return found


@pytest.fixture
def release(cli: Cli, golden_dir: Path) -> Callable[..., Any]:
    def run(path: Path) -> Any:
        Path("pyproject.toml").write_text(GATE)
        return cli("release", path, "--golden", golden_dir)

    return run


def copied(artifact: Artifact, to: Path, change: Callable[[dict[str, Any]], None] = lambda manifest: None) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(artifact.path, to)
    manifest = json.loads(manifest_path(artifact.path).read_text(encoding="utf-8"))
    change(manifest)
    manifest_path(to).write_text(json.dumps(manifest), encoding="utf-8")
    return to


def emptied(manifest: dict[str, Any]) -> None:
    for entry in manifest["metrics"]["test_predictions"]:
        entry["prediction"] = {"standalone_query": ""}


def test_a_program_that_passes_is_released(release: Any, artifact: Artifact, registered: list[Path]) -> None:
    assert release(artifact.path).code == 0 and registered == [artifact.path]


@pytest.mark.parametrize("name", ["tiny.json", "another.json"])
def test_a_candidate_is_not_judged_by_the_program_of_its_name_in_the_folder_of_the_behaviour(
    release: Any, artifact: Artifact, registered: list[Path], name: str
) -> None:
    worse = copied(artifact, artifact.path.parent.parent / "candidates" / name, emptied)
    done = release(worse)
    assert done.code == 1 and "score: the mean of 4 rows is" in done.err and registered == []


def test_a_program_outside_the_folder_of_its_behaviour_is_released_when_it_passes(
    release: Any, artifact: Artifact, registered: list[Path], tmp_path: Path
) -> None:
    lone = copied(artifact, tmp_path / "elsewhere" / "lone.json")
    assert release(lone).code == 0 and registered == [lone]


def test_a_neighbour_that_cannot_be_read_stops_no_release(
    release: Any, artifact: Artifact, registered: list[Path]
) -> None:
    broken = copied(artifact, artifact.path.with_name("broken.json"))
    broken.write_text("{", encoding="utf-8")
    assert release(artifact.path).code == 0 and registered == [artifact.path]


def test_a_program_of_an_unknown_behaviour_is_an_input_error(
    release: Any, artifact: Artifact, registered: list[Path], tmp_path: Path
) -> None:
    odd = copied(artifact, tmp_path / "odd" / "odd.json", lambda manifest: manifest.update(behaviour="juggle"))
    done = release(odd)
    assert done.code == 2 and "no behaviour 'juggle'" in done.err and registered == []


def test_a_path_that_is_no_program_is_an_input_error(release: Any, tmp_path: Path, registered: list[Path]) -> None:
    done = release(tmp_path / "none.json")
    assert done.code == 2 and "no such file" in done.err and registered == []
