"""The key of an experiment's cell: a digest of all that its result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..behaviours import Behaviour
from ..evaluation.keys import code_digest
from ..lms._digest import sha256_of
from .journal import key_of

_SHARED = ("behaviour", "budget", "test", "teacher", "reflection_lm", "candidates", "guarded")
_TABLES = ("limits", "options")


def cell_key(
    said: Mapping[str, Any], place: Mapping[str, Any], lm: str, behaviour: Behaviour, golden: Path | None
) -> str:
    """Return the key of a cell: what the file says of it, the golden splits that are asked, weights, the code.

    Args:
        said: The file.
        place: The cell's values on the axes, but for the LM.
        lm: The LM.
        behaviour: What the rows are of.
        golden: Folder of its own golden set.

    Raises:
        InputError: A split cannot be read.
    """
    shared = {name: said.get(name) for name in (*_SHARED, *_TABLES)}
    weights = [_weights(spec) for spec in (lm, said.get("teacher"), said.get("reflection_lm"))]
    return key_of(dict(place), lm, shared, _digests(said, behaviour, golden), weights, code_digest())


def _digests(said: Mapping[str, Any], behaviour: Behaviour, golden: Path | None) -> list[str]:
    """Return the digests of the splits; an own golden set may lack the test split, unless a guarded run needs it."""
    there = golden is None or (golden / "test.jsonl").is_file()
    asked = said.get("guarded", False) or (said.get("test", True) and there)
    return [behaviour.digest(split, golden) for split in ("train", "dev", *(["test"] if asked else []))]


def _weights(spec: str | None) -> str | None:
    """Return the digest of a GGUF file that an LM names; those of the catalogue stand in the code."""
    kind, _, path = (spec or "").strip().partition(":")
    try:
        file = Path(path).expanduser()
        return sha256_of(file) if kind == "gguf" and file.is_file() else None
    except OSError:  # a name that is too long, say: the LM says so when it is asked for
        return None
