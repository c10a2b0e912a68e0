"""Read and write artifacts: JSON only, digests checked, written atomically. `turnkeeper.loading` builds the module."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..errors import InputError, IntegrityError
from .manifest import Manifest

MAX_BYTES = 16 * 1024 * 1024
"""A program is demos and instructions; anything larger is not one."""


class Artifact(NamedTuple):
    """A compiled program as it lies on disk, verified."""

    manifest: Manifest
    state: dict[str, Any]
    path: Path

    @property
    def program_id(self) -> str:
        """Return `<slug>@<first 8 digits of the state's digest>`, the id in results and events."""
        return f"{self.manifest.slug}@{self.manifest.state_sha256[:8]}"


def shipped_dir() -> Path:
    """Return the folder of the programs that come with the package."""
    return Path(str(files(__name__.rpartition(".")[0])))


def manifest_path(state_path: Path) -> Path:
    """Return the manifest that belongs to a state file."""
    return state_path.with_name(state_path.name.removesuffix(".json") + ".manifest.json")


def read_artifact(path: Path | str) -> Artifact:
    """Read and verify one artifact.

    Args:
        path: The state file, `<slug>.json`.

    Raises:
        InputError: The file or its manifest is missing, too large, or not of this shape; the message names the field.
        IntegrityError: The state's bytes are not those the manifest was written for.
    """
    path = Path(path)
    beside = manifest_path(path)
    for file in (path, beside):
        if not file.is_file():
            raise InputError(
                f"{file}: no such file; an artifact is `<slug>.json` with `<slug>.manifest.json` beside it"
            )
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"{file}: larger than {MAX_BYTES} bytes, so not a compiled program")
    raw = path.read_bytes()
    try:
        manifest = Manifest.model_validate_json(beside.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{beside}: field `{'.'.join(map(str, first['loc']))}`: {first['msg']}") from None
    found = hashlib.sha256(raw).hexdigest()
    if found != manifest.state_sha256:
        raise IntegrityError(f"{path}: sha256 is {found}, but its manifest says {manifest.state_sha256}")
    try:
        state = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    for name, predictor in state.items() if isinstance(state, dict) else [("", None)]:
        if name != "metadata" and (not isinstance(predictor, dict) or predictor.get("lm") is not None):
            raise InputError(f"{path}: predictor `{name}` must be an object with `lm` null, since an LM may hold keys")
    return Artifact(manifest, state, path)


def write_artifact(folder: Path, state: dict[str, Any], **said: Any) -> Artifact:
    """Write a state and its manifest so that a reader sees both or neither.

    Args:
        folder: The programs folder; the files go to `<folder>/<behaviour>/<slug>.json`.
        state: The program's `dump_state()` with every `lm` null.
        **said: The manifest's fields, without `state_sha256`.

    Raises:
        InputError: A predictor of the state carries an LM.
    """
    for name, predictor in state.items():
        if name != "metadata" and predictor.get("lm") is not None:
            raise InputError(f"predictor `{name}` carries an LM; save the program with its LM set to null")
    raw = (json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
    manifest = Manifest(**said, state_sha256=hashlib.sha256(raw).hexdigest())
    path = Path(folder, manifest.behaviour, f"{manifest.slug}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    # The manifest last: a state without its manifest is not found, a manifest never names bytes that are not there.
    _replace(path, raw)
    _replace(manifest_path(path), (manifest.model_dump_json(indent=1) + "\n").encode())
    return Artifact(manifest, state, path)


def find_artifacts(folder: Path, behaviour: str) -> list[Path]:
    """Return the state files of a behaviour in a programs folder, sorted by name."""
    inside = Path(folder, behaviour)
    return sorted(
        p for p in inside.glob("*.json") if not p.name.endswith(".manifest.json") and manifest_path(p).is_file()
    )


def _replace(path: Path, raw: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
