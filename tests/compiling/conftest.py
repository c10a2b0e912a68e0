"""A small golden set, an LM that reads it, and options for a compile of a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import CompileOptions

from .reading import all_rows, reading_lm, small_golden


@pytest.fixture(scope="session")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"))


@pytest.fixture
def lm(golden_dir: Path) -> dspy.LM:
    return reading_lm(all_rows(golden_dir), share=80)


@pytest.fixture
def options(golden_dir: Path, tmp_path: Path) -> Callable[..., CompileOptions]:
    def make(**changes: Any) -> CompileOptions:
        said: dict[str, Any] = {
            "form": "referents", "adapter": "compact", "golden": golden_dir, "out": tmp_path / "programs",
            "journal": tmp_path / "journal.jsonl", "test": False, **changes,
        }  # fmt: skip
        return CompileOptions(**said)

    return make
