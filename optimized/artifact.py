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

from ..errors import InputError, IntegrityError, SetupError
from ._state import require_plain
from .manifest import Manifest

MAX_BYTES = 16 * 1024 * 1024
"""A program is demos and instructions; anything larger is not one."""
_SHOWN = 300  # characters of a path in a message


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
    if not path.name:
        raise InputError(f"{str(path)!r} names no file; an artifact is `<slug>.json`")
    beside = manifest_path(path)
    raw, said = _bytes(path), _bytes(beside)
    try:
        manifest = Manifest.model_validate_json(said)
    except ValidationError as error:
        raise InputError(f"{beside}: {_first(error)}") from None
    found = hashlib.sha256(raw).hexdigest()
    if found != manifest.state_sha256:
        raise IntegrityError(f"{path}: sha256 is {found}, but its manifest says {manifest.state_sha256}")
    try:
        state = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    return Artifact(manifest, require_plain(state, str(path)), path)


def _bytes(file: Path) -> bytes:
    shown = str(file) if len(str(file)) <= _SHOWN else f"{str(file)[:_SHOWN]}..."
    try:
        if not file.is_file():
            raise InputError(
                f"{shown}: no such file; an artifact is `<slug>.json` with `<slug>.manifest.json` beside it"
            )
        with file.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a name too long, or with a NUL in it, is an error before it is no file
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{shown}: cannot be read: {reason}") from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"{shown}: larger than {MAX_BYTES} bytes, so not a compiled program")
    return raw


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"field `{'.'.join(map(str, first['loc']))}`: {first['msg']}"


def write_artifact(folder: Path, state: dict[str, Any], **said: Any) -> Artifact:
    """Write a state and its manifest so that a reader sees both or neither.

    Args:
        folder: The programs folder; the files go to `<folder>/<behaviour>/<slug>.json`.
        state: The program's `dump_state()` with every `lm` null.
        **said: The manifest's fields, without `state_sha256`.

    Raises:
        InputError: The state or a field of the manifest is one that `read_artifact` would refuse.
    """
    require_plain(state, "state")
    raw = (json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
    try:
        manifest = Manifest(**said, state_sha256=hashlib.sha256(raw).hexdigest())
    except ValidationError as error:
        raise InputError(f"manifest: {_first(error)}") from None
    path = Path(folder, manifest.behaviour, f"{manifest.slug}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    # The manifest last: a state without its manifest is not found, a manifest never names bytes that are not there.
    _replace({path: raw, manifest_path(path): (manifest.model_dump_json(indent=1) + "\n").encode()})
    return Artifact(manifest, state, path)


def find_artifacts(folder: Path, behaviour: str) -> list[Path]:
    """Return the state files of a behaviour in a programs folder, sorted by name.

    Raises:
        SetupError: The folder is there and cannot be read: taking it for an empty one would be silent.
    """
    inside = Path(folder, behaviour)
    try:
        return sorted(
            p for p in inside.glob("*.json") if not p.name.endswith(".manifest.json") and manifest_path(p).is_file()
        )
    except PermissionError as error:
        raise SetupError(
            f"{inside}: cannot be read ({error.strerror}); allow it, or name another folder in TURNKEEPER_PROGRAMS"
        ) from None


def _replace(files: dict[Path, bytes]) -> None:
    """Write files whole: all bytes are on disk before the first is put in place, so a full disk spoils no old pair."""
    staged: dict[Path, str] = {}
    try:
        for path, raw in files.items():
            handle, staged[path] = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(staged[path], 0o644)
        for path, name in staged.items():
            os.replace(name, path)
    except BaseException:
        for name in staged.values():
            Path(name).unlink(missing_ok=True)
        raise
