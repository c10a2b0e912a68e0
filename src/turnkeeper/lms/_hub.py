"""The Hugging Face cache and hub, if `huggingface_hub` is installed; neither is needed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from .. import settings
from ..errors import IntegrityError
from ._digest import require
from ._packages import Progress
from .catalogue import ModelEntry

_CONNECT_SECONDS = 5.0


def cached_in_hub(entry: ModelEntry) -> Path | None:
    """The file in the user's Hugging Face cache; other bytes count as absent, they are not ours to refuse."""
    if entry.hub_repo is None or entry.hub_file is None or not _installed():
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(entry.hub_repo, entry.hub_file)
    if not isinstance(found, str):
        return None
    try:
        return require(Path(found), entry.size, entry.sha256)
    except (IntegrityError, OSError):
        return None


def fetch_from_hub(entry: ModelEntry, progress: Progress) -> Path | None:
    """Download from the hub, or None when it is off, unknown, or does not answer within five seconds.

    Raises:
        IntegrityError: The hub sent another file.
    """
    if entry.hub_repo is None or entry.hub_file is None or settings.hub_offline() or not _installed():
        return None
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

    progress(0, entry.size, "asking the Hugging Face hub")
    try:
        get_hf_file_metadata(hf_hub_url(entry.hub_repo, entry.hub_file), timeout=_CONNECT_SECONDS)
    except Exception as problem:  # the client's error classes differ between its versions; the packages are next
        progress(0, entry.size, f"the Hugging Face hub does not answer ({type(problem).__name__})")
        return None
    progress(0, entry.size, "downloading from the Hugging Face hub")
    try:
        path = hf_hub_download(
            entry.hub_repo, entry.hub_file, etag_timeout=_CONNECT_SECONDS, tqdm_class=_bar_class(entry.size, progress)
        )
    except Exception as problem:
        progress(0, entry.size, f"the download from the Hugging Face hub failed ({type(problem).__name__})")
        return None
    return require(Path(path), entry.size, entry.sha256)


def _installed() -> bool:
    return importlib.util.find_spec("huggingface_hub") is not None


def _bar_class(total: int, progress: Progress) -> type:
    """A progress bar that draws nothing and reports to `progress`: the library never writes to the terminal."""
    from tqdm import tqdm

    class Reporting(tqdm):  # type: ignore[misc]
        def __init__(self, *args: object, **options: object) -> None:
            options["disable"] = True
            options.pop("name", None)
            super().__init__(*args, **options)
            self._done = int(str(options.get("initial") or 0))

        def update(self, n: float | None = 1) -> bool | None:
            self._done += int(n or 0)
            progress(min(self._done, total), total, "Hugging Face hub")
            return None

    return Reporting
