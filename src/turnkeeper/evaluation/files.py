"""Evaluations on disk: one scored row a line, and a sidecar that says of what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..behaviours import DEFAULT, find, names
from ..data.rows import dumps
from ..errors import InputError
from .scored import Scored


class Saved(NamedTuple):
    """A read evaluation.

    Attributes:
        about: What the sidecar says: behaviour, split, golden digest, lm, program, bare; empty without one.
    """

    path: Path
    rows: list[Scored]
    about: dict[str, Any]

    @property
    def name(self) -> str:
        """Return the file's name without its ending, for tables."""
        return self.path.name.removesuffix(".jsonl")

    def said(self, row: Scored) -> str:
        """Return the text that stands for a row's prediction; all of it for a behaviour that is not known here."""
        name = self.about.get("behaviour", DEFAULT)
        return find(name).said(row.prediction) if name in names() else dumps(row.prediction)


def about_path(path: Path) -> Path:
    """Return the sidecar of an evaluation file."""
    return path.with_name(path.name + ".meta.json")


def line(scored: Scored) -> str:
    """Return a row as one line of JSON."""
    return dumps(scored.model_dump(mode="json"))


def read(path: Path) -> Saved:
    """Read the output of `turnkeeper evaluate`.

    Raises:
        InputError: The file cannot be read, holds no row or one that is no scored row; file, line and field are named.
    """
    try:
        raw = path.read_bytes()
        about = json.loads(about_path(path).read_bytes()) if about_path(path).is_file() else {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    except ValueError:
        raise InputError(f"{about_path(path)}: is damaged; evaluate again") from None
    rows: dict[str, Scored] = {}
    for number, text in enumerate(raw.split(b"\n"), start=1):
        if not text.strip():
            continue
        try:
            row = Scored.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"]))
            place = f"{path}:{number}" + (f": field `{field}`" if field else "")
            raise InputError(f"{place}: {first['msg']}; expected the output of `turnkeeper evaluate`") from None
        if row.id in rows:
            raise InputError(f"{path}:{number}: field `id`: {row.id!r} stands there twice")
        rows[row.id] = row
    if not rows:
        raise InputError(f"{path}: holds no row; expected the output of `turnkeeper evaluate`")
    return Saved(path, list(rows.values()), about if isinstance(about, dict) else {})


def about_lines(about: Mapping[str, Any]) -> Iterable[str]:
    """Return what a sidecar says as `name value` pairs, for people."""
    return [f"{name} {value}" for name, value in about.items() if value is not None]
