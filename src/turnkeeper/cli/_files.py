"""Output files of commands: written whole or not at all, or row by row so that a run can go on."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..data.rows import dumps
from ..errors import InputError


def refuse_same(source: Path, target: Path) -> None:
    """Raise `InputError` when the output would overwrite the input, or cannot be written where it is asked for."""
    try:
        target.stat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:  # a link to itself, a name that is too long
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"--out {str(target)[:300]}: {reason}") from None
    if target.exists() and not target.is_file():
        raise InputError(f"--out {target}: is no regular file")
    if not target.parent.is_dir():
        raise InputError(f"--out {target}: the folder {target.parent} does not exist")
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"--out {target}: is the input file; choose another")


@contextmanager
def atomic_lines(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Give a function that writes rows; the file appears complete when the block ends well, else not at all."""
    path = path.resolve()  # through a link, not over it
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            yield lambda row: _write(file, row)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(file: Any, row: Mapping[str, Any]) -> None:
    file.write(dumps(row) + "\n")


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
