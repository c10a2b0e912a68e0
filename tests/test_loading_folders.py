"""`load(program=FOLDER)`: the best program for the LM in that folder, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnkeeper import load
from turnkeeper.errors import InputError

from .scripted import scripted


def test_the_program_for_the_lm_is_taken_from_the_folder(repository: Path) -> None:
    shipped = repository / "optimized"
    [manifest, *_] = sorted((shipped / "reformulate").glob("*.manifest.json"))
    lm = scripted("{}")
    lm.model = json.loads(manifest.read_text())["lm"]["model"]
    assert (
        load("reformulate", lm=lm, program=shipped).program_id == load("reformulate", lm=lm).program_id != "zero-shot"
    )


def test_a_folder_without_one_for_the_lm_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no cite program for scripted/"):
        load("cite", lm=scripted("{}"), program=tmp_path)
