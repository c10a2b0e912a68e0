"""Readers of public data sets, from files that the user has; no text of them is shipped.

One module a set: `canard`, `qrecc` and `cast` yield turns with a person's rewrite, `mtrag` with an LLM's, `nevir`,
`quest` and `excluir` queries with what they exclude. Each reads the published files and the trimmed JSONL, and holds
provenance, licence, citation and file formats in its `SET`. Which rows are measured is fixed: `ids` lists them, for
QReCC `draws` has a rule.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InputError
from . import canard, cast, excluir, mtrag, nevir, qrecc, quest
from ._files import objects
from ._rows import PublicQuery, PublicSet, PublicTurn
from .draws import DRAWS, Draw
from .ids import FIXED, fixed_ids
from .mtrag import MtragPassage, read_pool

__all__ = [
    "DRAWS", "FIXED", "SETS", "Draw", "MtragPassage", "PublicQuery", "PublicSet", "PublicTurn", "find", "fixed_ids",
    "read_pool", "recognise",
]  # fmt: skip

SETS: dict[str, PublicSet[Any]] = {one.SET.name: one.SET for one in (canard, qrecc, cast, mtrag, nevir, quest, excluir)}
"""Name -> set."""


def find(name: str) -> PublicSet[Any]:
    """Return a set by name; raises `InputError` that lists what there is."""
    if name not in SETS:
        raise InputError(f"no public set {name!r}; there is: {', '.join(SETS)}")
    return SETS[name]


def recognise(path: Path) -> PublicSet[Any]:
    """Return the set that a file is of, by its first object.

    Raises:
        InputError: It is of none, or of more than one.
    """
    first = next(objects(path))
    found = [one for one in SETS.values() if one.recognises(first.raw)]
    if len(found) != 1:
        raise first.place.error(f"of no set that is known by its fields; say --set {'|'.join(SETS)}")
    return found[0]
