"""`turnkeeper models`: on top of the catalogue and the weights of the library."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.errors import IntegrityError
from turnkeeper.lms import weights
from turnkeeper.lms.catalogue import DEFAULT_MODEL, MODELS


def test_list_names_every_model_and_where_it_is(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "locate", lambda name: tmp_path / "w.gguf" if name == DEFAULT_MODEL else None)
    done = cli("models", "list", "--json")
    assert {row["name"]: row["path"] for row in done.rows()} == {
        name: str(tmp_path / "w.gguf") if name == DEFAULT_MODEL else None for name in MODELS
    }
    assert "not here" in cli("models", "list").out


def test_list_goes_on_behind_a_file_that_is_wrong(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def locate(name: str) -> Path | None:
        if name == DEFAULT_MODEL:
            raise IntegrityError("w.gguf: 3 bytes")
        return tmp_path / "w.gguf"

    monkeypatch.setattr(weights, "locate", locate)
    done = cli("models", "list", "--json")
    rows = {row["name"]: row for row in done.rows()}
    assert done.code == 2 and rows.keys() == MODELS.keys()
    assert rows[DEFAULT_MODEL]["problem"] == "w.gguf: 3 bytes" and rows["smollm2-135m"]["path"]
    assert "w.gguf: 3 bytes" in cli("models", "list").out


def test_pull_takes_the_default_and_prints_the_path(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def pull(name: str, progress: Callable[[int, int, str], None]) -> Path:
        progress(5_000_000, 10_000_000, "part 1")
        return Path(f"/cache/{name}.gguf")

    monkeypatch.setattr(weights, "pull", pull)
    done = cli("models", "pull")
    assert (done.code, done.out) == (0, f"/cache/{DEFAULT_MODEL}.gguf\n")
    assert f"{DEFAULT_MODEL}: 5/10 MB part 1" in done.err


def test_wrong_bytes_are_one_line_and_exit_code_2(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def pull(name: str, progress: Any) -> Path:
        raise IntegrityError("w.gguf: sha256 is 00, not 11")

    monkeypatch.setattr(weights, "pull", pull)
    done = cli("models", "pull")
    assert (done.code, done.err.splitlines()[-1]) == (2, "turnkeeper: w.gguf: sha256 is 00, not 11")


def test_an_unknown_model_lists_those_there_are(cli: Any) -> None:
    done = cli("models", "pull", "llama-900b")
    assert done.code == 2 and DEFAULT_MODEL in done.err
