"""New ids in the manner of those that a session has: "DOC-001" is followed by "DOC-002"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..signatures.types import Convention

FIRST = "DOC-000"
"""What a session's first id follows where no id shows how to name it."""
FIRST_ADDRESS = "urn:source:0"
"""The same under `url`: an address that was made up would lead somewhere else."""
_DIGITS = re.compile(r"\d+")
_SEPARATOR = re.compile(r"[-_ .:/#\u00a7]")
_MOST_DIGITS = 9


class Pattern(NamedTuple):
    """An id without its number; `width` digits at least, filled up with zeros."""

    prefix: str
    width: int
    suffix: str

    def id_of(self, number: int) -> str:
        return f"{self.prefix}{number:0{self.width}d}{self.suffix}"

    def numbers(self, ids: Iterable[str]) -> Iterator[int]:
        """Yield the numbers of the ids that follow the pattern."""
        for doc_id in ids:
            inner = doc_id[len(self.prefix) : len(doc_id) - len(self.suffix)]
            if (
                doc_id.startswith(self.prefix)
                and doc_id.endswith(self.suffix)
                and inner.isascii()
                and inner.isdecimal()
            ):
                if len(inner) <= _MOST_DIGITS:
                    yield int(inner)


def pattern_of(ids: Sequence[str], convention: Convention | None) -> Pattern:
    """Return the pattern of the newest id that has a number, else that of a word; addresses are never continued.

    Args:
        ids: In the order in which they came.
        convention: The session's.
    """
    if convention == "url":
        return _numbered(FIRST_ADDRESS) or Pattern("", 1, "")
    names = [doc_id for doc_id in ids if "://" not in doc_id]
    for doc_id in reversed(names):
        if (found := _numbered(doc_id)) is not None:
            return found
    if names:
        last = [m.end() for m in _SEPARATOR.finditer(names[-1])]
        return Pattern(names[-1][: last[-1]] if last else f"{names[-1]}-", 1, "")
    return _numbered(FIRST) or Pattern("", 1, "")


def free_ids(ids: Sequence[str], taken: Collection[str], convention: Convention | None) -> Iterator[str]:
    """Yield new ids, endlessly: none is taken, and none differs from a taken one in spelling alone.

    Under `numeric` and `footnote` they are the numbers behind the highest one.

    Args:
        ids: Those whose pattern is continued, in the order in which they came.
        taken: All that must not be given again.
        convention: The session's.
    """
    if convention in ("numeric", "footnote"):
        pattern = Pattern("^" if convention == "footnote" else "", 1, "")
    else:
        pattern = pattern_of(ids, convention)
    spelled = {_spelled(doc_id) for doc_id in taken}
    number = max(pattern.numbers((*ids, *taken)), default=0)
    while True:
        number += 1
        doc_id = pattern.id_of(number)
        if (key := _spelled(doc_id)) not in spelled:
            spelled.add(key)
            yield doc_id


def _numbered(doc_id: str) -> Pattern | None:
    runs = [m for m in _DIGITS.finditer(doc_id) if m[0].isascii() and len(m[0]) <= _MOST_DIGITS]
    if not runs:
        return None
    last = runs[-1]
    return Pattern(doc_id[: last.start()], len(last[0]), doc_id[last.end() :])


def _spelled(doc_id: str) -> str:
    """Return an id without case, punctuation and leading zeros; itself where nothing would be left."""
    low = unicodedata.normalize("NFKC", doc_id).casefold()
    kept = "".join(c for c in low if c.isalnum())
    return re.sub(r"(?<!\d)0+(?=\d)", "", kept) or doc_id
