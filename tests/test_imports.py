"""What importing costs, and who may import whom."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .timing import assert_within, patiently

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("dspy", "mlflow", "datasets", "llama_cpp", "litellm", "rich", "pydantic", "structlog", "numpy")


def run(*command: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env={**os.environ, **environment}, timeout=300
    )


def test_importing_the_package_is_quick() -> None:
    # Processor time: the clock also counts what else a busy machine does.
    code = "import time; t = time.process_time(); import turnkeeper; print(time.process_time() - t)"

    def measure() -> str:
        seconds = float(run(sys.executable, "-c", code).stdout)
        return "" if seconds < 0.1 else f"{seconds:.3f} s"

    patiently(measure)


@pytest.mark.parametrize("name", ["turnkeeper", "turnkeeper.cli"])
def test_importing_pulls_in_nothing_heavy(name: str) -> None:
    code = f"import sys, {name}; print(sorted(set(sys.modules) & set({HEAVY!r})))"
    assert run(sys.executable, "-c", code).stdout == "[]\n"


@pytest.mark.parametrize("name", ["turnkeeper.metrics.reformulate", "turnkeeper.data.rows"])
def test_checks_and_rows_need_no_dspy(name: str) -> None:
    code = f"import sys, {name}; print(sorted(set(sys.modules) & {{'dspy', 'litellm', 'llama_cpp'}}))"
    assert run(sys.executable, "-c", code).stdout == "[]\n"


def test_help_is_quick() -> None:
    def help_() -> None:
        assert run(sys.executable, "-m", "turnkeeper", "--help").returncode == 0

    assert_within(0.4, lambda _: help_, clock=of_processes)


def of_processes() -> float:
    """Seconds of processor time of the processes that this one has started and that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def test_an_unknown_attribute_is_named() -> None:
    import turnkeeper

    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        turnkeeper.frobnicate  # noqa: B018


def test_no_generic_name_is_installed(tmp_path: Path) -> None:
    code = (
        "import importlib.util as u; "
        "print([n for n in ('modules', 'signatures', 'metrics', 'data', 'optimized') if u.find_spec(n)])"
    )
    assert run(sys.executable, "-c", code, cwd=tmp_path).stdout == "[]\n"


def test_dependencies_point_one_way() -> None:
    run(sys.executable, str(ROOT / "scripts" / "link_packages.py"))
    command = Path(sys.executable).with_name("lint-imports")
    done = run(str(command), "--no-cache", cwd=ROOT, PYTHONPATH=str(ROOT / "build" / "typing"))
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
