"""Digests of large files, computed once and remembered while size and modification time stay the same."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from .. import settings
from ..errors import IntegrityError

_CHUNK = 1 << 22


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file in hex, read at most once for the same path, size and modification time."""
    path = path.resolve()
    marker, seen = _marker(path)
    try:
        known = json.loads(marker.read_text("utf-8"))
        digest = known.pop("sha256")
        if known == seen and isinstance(digest, str):
            return digest
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        pass  # no marker, or a damaged one: read the file again
    digest = _read(path)
    remember(path, digest)
    return digest


def remember(path: Path, digest: str) -> None:
    """Note a digest that was computed while the file was written. A cache that can't be written is no error."""
    marker, seen = _marker(path.resolve())
    draft = marker.with_suffix(f".{os.getpid()}.tmp")
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({**seen, "sha256": digest}), "utf-8")
        os.replace(draft, marker)
    except OSError:
        return


def _marker(path: Path) -> tuple[Path, dict[str, str | int]]:
    stat = path.stat()
    name = hashlib.sha256(str(path).encode()).hexdigest()[:32] + ".json"
    seen: dict[str, str | int] = {"path": str(path), "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    return settings.cache_dir() / "digests" / name, seen


def require(path: Path, size: int, sha256: str) -> Path:
    """The path, if the file is byte for byte the expected one.

    Raises:
        IntegrityError: Another size or digest; the message names both.
    """
    actual = path.stat().st_size
    if actual != size:
        raise IntegrityError(f"{path}: {actual:,} bytes, expected {size:,} (sha256 {sha256}); delete it and pull again")
    digest = sha256_of(path)
    if digest != sha256:
        raise IntegrityError(f"{path}: sha256 {digest}, expected {sha256}; delete it and pull again")
    return path


def _read(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
