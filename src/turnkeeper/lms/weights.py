"""Where the weights of a catalogued model are, and how they get there.

Sources in order: a path that the user names, the cache folder, the Hugging Face cache, the Hugging Face hub, packages.
Every file is used only if its digest is the catalogue's; the digest is read once and remembered.
"""

from __future__ import annotations

from pathlib import Path

from .. import settings
from ..errors import SetupError
from . import _packages
from ._digest import require
from ._hub import cached_in_hub, fetch_from_hub
from ._lock import locked
from ._packages import Progress
from .catalogue import ModelEntry, find

__all__ = ["Progress", "locate", "pull", "pull_entry"]


def locate(name: str) -> Path | None:
    """The verified weights on this machine, or None. Never uses the network.

    Raises:
        InputError: Unknown model name.
        SetupError: The user's setting names a file that does not exist.
        IntegrityError: The user's file, or the file in the cache folder, is another file than the catalogue's.
    """
    return _on_this_machine(find(name))


def pull(name: str, progress: Progress | None = None) -> Path:
    """The verified weights, fetched if need be. Safe to call from several processes and to repeat after an interrupt.

    Args:
        name: A catalogue name.
        progress: Called as `progress(done_bytes, total_bytes, note)`, always from the calling thread.

    Raises:
        InputError: Unknown model name.
        SetupError: Nothing can be fetched here (offline, no pip, no room); the message says what to do instead.
        IntegrityError: The bytes are not those of the catalogue.
    """
    return pull_entry(find(name), progress)


def pull_entry(entry: ModelEntry, progress: Progress | None = None) -> Path:
    """`pull` for an entry that is not in the catalogue."""
    report: Progress = progress or (lambda done, total, note: None)
    found = _on_this_machine(entry)
    if found is not None:
        return found
    if settings.offline():
        raise SetupError(
            f"the weights of {entry.name} are not on this machine and TURNKEEPER_OFFLINE is set: unset it, "
            f"or get {entry.file_name} ({entry.size:,} bytes, sha256 {entry.sha256}) and "
            f"name it in {settings.weights_variable(entry.name)}"
        )
    target = _cached_path(entry)
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = target.with_name(target.name + ".lock")
    with locked(lock, lambda: report(0, entry.size, "another process is fetching these weights")):
        found = _on_this_machine(entry)  # the process that held the lock may have brought them
        if found is None:
            found = fetch_from_hub(entry, report) or _packages.fetch(entry, target, report)
    report(entry.size, entry.size, str(found))
    return found


def _cached_path(entry: ModelEntry) -> Path:
    return settings.cache_dir() / "models" / entry.file_name


def _on_this_machine(entry: ModelEntry) -> Path | None:
    named = settings.weights_path(entry.name)
    if named is not None:
        if not named.is_file():
            raise SetupError(f"{named}: no such file; the setting TURNKEEPER_WEIGHTS names it for {entry.name}")
        return require(named, entry.size, entry.sha256)
    cached = _cached_path(entry)
    if cached.is_file():
        return require(cached, entry.size, entry.sha256)
    return cached_in_hub(entry)
