"""The second behaviour, registered; its golden set; an LM for it, also where the commands look for one."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from turnkeeper import behaviours
from turnkeeper.cli import _compile

from ..cli.conftest import cli  # noqa: F401
from .shelving import ENTRY, shelving_lm, write_golden


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behaviours, "_REGISTERED", {})
    behaviours.register("shelve", lambda: ENTRY)


@pytest.fixture
def golden_dir(tmp_path: Path) -> Path:
    return write_golden(tmp_path / "golden")


@pytest.fixture
def lm(monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    made = shelving_lm()
    monkeypatch.setattr(_compile, "resolve", lambda spec, api_base: made)
    monkeypatch.setattr("turnkeeper.resolve_lm", lambda *given, **options: made, raising=False)
    return made
