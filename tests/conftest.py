"""Fixtures for all tests: isolated settings and caches, a scripted LM, and the two real embedded models."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy
import pytest
from hypothesis import HealthCheck, settings

from .scripted import Reply, scripted

if TYPE_CHECKING:
    from collections.abc import Callable

# Read before any test: the weights are shared by all tests, everything else is not.
_WEIGHTS = {name: value for name, value in os.environ.items() if name.startswith("TURNKEEPER_WEIGHTS")}
_WEIGHTS_CACHE = os.environ.get("TURNKEEPER_CACHE")

# Started in the background, this process is made to ignore Ctrl-C, and so is every program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long one example takes, or is drawn, says nothing on a busy machine; what may take how long has tests of its own.
settings.register_profile("any machine", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees the settings, caches or working folder of the user or of another test."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("TURNKEEPER_") or name.endswith("_API_KEY")]:
        if name != "TURNKEEPER_THREADS":  # a fact of the machine, and outputs do not depend on it here
            monkeypatch.delenv(name)
    monkeypatch.setenv("TURNKEEPER_CACHE", str(home / "cache"))
    monkeypatch.setenv("DSPY_CACHEDIR", str(home / "dspy"))
    monkeypatch.chdir(tmp_path_factory.mktemp("cwd"))
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    yield
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)


@pytest.fixture
def scripted_lm() -> Callable[..., dspy.LM]:
    """`scripted_lm("reply", ValueError("down"), lambda request: "...")`; see `scripted.scripted`."""

    def make(*replies: Reply, **options: Any) -> dspy.LM:
        return scripted(*replies, **options)

    return make


def _real_lm(name: str) -> dspy.LM:
    pytest.importorskip("llama_cpp", reason="needs pip install 'turnkeeper[embedded]'")
    from turnkeeper.errors import SetupError
    from turnkeeper.lms import resolve_lm

    with pytest.MonkeyPatch.context() as settings:
        settings.delenv("TURNKEEPER_CACHE", raising=False)
        for variable, value in {**_WEIGHTS, **({"TURNKEEPER_CACHE": _WEIGHTS_CACHE} if _WEIGHTS_CACHE else {})}.items():
            settings.setenv(variable, value)
        try:
            return resolve_lm(f"embedded:{name}", cache=False)
        except SetupError as problem:
            pytest.skip(str(problem))


@pytest.fixture(scope="session")
def light_lm() -> dspy.LM:
    """The light 135M model: for machinery, not for quality. Its weights come through the library."""
    return _real_lm("smollm2-135m")


@pytest.fixture(scope="session")
def embedded_lm() -> dspy.LM:
    """The default embedded model. Its weights come through the library (1.1 GB, once)."""
    return _real_lm("qwen2.5-coder-1.5b")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent
