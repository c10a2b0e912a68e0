"""A folder of text, Markdown and JSONL as passages: what `turnkeeper chat DOCS` talks about."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..signatures.types import Passage
from ._chunks import chunks
from .passages import read_passages

KINDS = (".txt", ".md", ".jsonl")
"""Files that are read; others are passed over."""
MAX_FILES = 20_000
"""Files of one folder that are accepted."""
MAX_FILE_BYTES = 20_000_000
"""Size of a text or Markdown file that is accepted; JSONL is read line by line and has no bound."""

Reporter = Callable[[int, int, str], None]
"""Called with the files done, the files in all, and the one that was read last."""


class Skipped(NamedTuple):
    """A file that was passed over, relative to the folder, and why."""

    path: str
    why: str


class Documents:
    """The documents of a folder, or of one file.

    Ids are stable: the path relative to the folder, with `#` and a number for each piece of a text; a JSONL passage
    keeps the id of its line. So the same folder gives the same citations tomorrow.

    Attributes:
        root: The folder.
        files: What will be read, in order.
        skipped: What is passed over.
    """

    def __init__(self, where: str | Path) -> None:
        """List the files; nothing is read yet. Hidden files and folders are passed over, links out of the folder too.

        Raises:
            InputError: There is no such place, it cannot be listed, or it holds too many files or none to read.
        """
        place = Path(where)
        if not place.exists():
            raise InputError(f"{place}: there is no such folder or file")
        self.root = place if place.is_dir() else place.parent
        self.skipped: list[Skipped] = []
        found = self._listed(place) if place.is_dir() else [place]
        self.files = [file for file in found if self._wanted(file)]
        if not self.files:
            raise InputError(f"{place}: holds no file to read; {', '.join(KINDS)} are read")

    def passages(self, report: Reporter | None = None) -> Iterator[Passage]:
        """Yield the passages, file by file.

        Raises:
            InputError: A file is no UTF-8 text, cannot be read, or uses an id that another file has; the message names
                file and line.
            RowError: A line of a JSONL file holds no passage.
        """
        owners: dict[str, str] = {}
        for number, file in enumerate(self.files, start=1):
            name = self._name(file)
            for passage in self._of_file(file, name):
                owner = owners.setdefault(passage.doc_id, name)
                if owner != name:
                    raise InputError(f"{file}: the document id {passage.doc_id[:80]!r} is one of {owner} already")
                yield passage
            if report is not None:
                report(number, len(self.files), name)

    def _of_file(self, file: Path, name: str) -> Iterator[Passage]:
        if file.suffix.lower() == ".jsonl":
            yield from read_passages(file)  # several passages of a document are fine
            return
        pieces = list(chunks(_text(file), markdown=file.suffix.lower() == ".md"))
        for number, piece in enumerate(pieces, start=1):
            title = " - ".join((*piece.headings[-2:],)) or Path(name).stem.replace("_", " ").replace("-", " ")
            doc_id = name if len(pieces) == 1 else f"{name}#{number}"
            yield Passage(doc_id=doc_id, title=title, text=piece.text, metadata={"path": name, "line": piece.line})

    def _listed(self, folder: Path) -> list[Path]:
        found: list[Path] = []
        for parent, folders, names in os.walk(folder, onerror=_cannot_list):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [Path(parent, name) for name in sorted(names) if not name.startswith(".")]
            if len(found) > MAX_FILES:
                raise InputError(f"{folder}: holds more than {MAX_FILES:,} files; name a smaller folder")
        return found

    def _wanted(self, file: Path) -> bool:
        name = self._name(file)
        if file.suffix.lower() not in KINDS:
            self.skipped.append(Skipped(name, f"is none of {', '.join(KINDS)}"))
        elif not file.is_file() or not file.resolve().is_relative_to(self.root.resolve()):
            self.skipped.append(Skipped(name, "is no file of this folder"))
        elif file.suffix.lower() != ".jsonl" and file.stat().st_size > MAX_FILE_BYTES:
            self.skipped.append(Skipped(name, f"is larger than {MAX_FILE_BYTES:,} bytes"))
        else:
            return True
        return False

    def _name(self, file: Path) -> str:
        return file.relative_to(self.root).as_posix()


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}:{line}: is no UTF-8 text (byte {error.start + 1})") from None
    if "\0" in text:
        raise InputError(f"{file}:{text.count(chr(10), 0, text.index(chr(0))) + 1}: holds a NUL byte; is it a text?")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cannot_list(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be listed: {error.strerror}")
