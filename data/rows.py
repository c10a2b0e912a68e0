"""Rows of JSONL files, read with the file, the line and the field named.

A row model holds the fields that a behaviour knows. Fields beyond it are kept as they are and carried to the output.
Nulls of optional fields count as absent. Blank lines and a byte order mark at the start of the file hold no data and
are passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError

from ..errors import InputError, RowError
from ..signatures.types import (
    AccessScope,
    CitationRegistry,
    DomainContext,
    Exclusion,
    Frozen,
    MetadataFilter,
    OpenQuestion,
    Passage,
    Turn,
)
from ._jsonl import JsonError, dumps, json_name, lines, parse_object, without_surrogates

__all__ = [
    "ROWS", "BadRow", "CarryForwardRow", "CiteRow", "ExclusionsRow", "ExpandRow", "ReformulateRow", "Row", "dumps",
    "read", "read_strict", "row_model",
]  # fmt: skip

MAX_ID_LENGTH = 1_000


class ReformulateRow(Frozen):
    """A row of `check reformulate` and `run reformulate`; `prediction` may be any JSON, it is what gets checked."""

    history: tuple[Turn, ...]
    query: str
    access_scope: AccessScope | None = None
    metadata_filters: tuple[MetadataFilter, ...] = ()
    prediction: Any = None


class ExclusionsRow(Frozen):
    """A row of `exclusions`; with `exclusions` null the state is rebuilt from the history."""

    history: tuple[Turn, ...]
    query: str
    domain_context: DomainContext | None = None
    exclusions: tuple[Exclusion, ...] | None = None


class ExpandRow(ExclusionsRow):
    """A row of `check expand` and `run expand`; `prediction` may be any JSON, it is what gets checked."""

    standalone_query: str | None = None
    access_scope: AccessScope | None = None
    metadata_filters: tuple[MetadataFilter, ...] = ()
    prediction: Any = None


class CiteRow(Frozen):
    """A row of `check cite` and `run cite`; `prediction` may be any JSON, it is what gets checked.

    `context` is what this turn's retrieval found, under the ids that may be cited: empty for nothing, null where the
    retrieval failed.
    """

    turn: int = Field(ge=1)
    history: tuple[Turn, ...] = ()
    registry: CitationRegistry
    context: tuple[Passage, ...] | None
    question: str
    access_scope: AccessScope | None = None
    prediction: Any = None


class CarryForwardRow(Frozen):
    """A row of `check carry_forward` and `run carry_forward`; `prediction` may be any JSON, it is what gets checked.

    `ledger` holds the questions that were open before this turn; ids may be left out. `context` is what this turn's
    retrieval found, for pending questions too: empty for nothing, null where the retrieval failed.
    """

    turn: int = Field(ge=1)
    history: tuple[Turn, ...] = ()
    ledger: tuple[OpenQuestion, ...]
    question: str
    context: tuple[Passage, ...] | None
    registry: CitationRegistry | None = None
    access_scope: AccessScope | None = None
    standalone_query: str | None = None
    prediction: Any = None


ROWS: dict[str, type[BaseModel]] = {
    "reformulate": ReformulateRow,
    "expand": ExpandRow,
    "cite": CiteRow,
    "carry_forward": CarryForwardRow,
}
"""Behaviour -> row model."""

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Row(Generic[R]):
    """A good row.

    Attributes:
        line: Line in the file, from 1.
        id: The row's `id`, else its `task_id`, as a string.
        data: The validated fields; lone surrogates are U+FFFD here.
        raw: The row as it was read, every field in its order.
    """

    line: int
    id: str
    data: R
    raw: Mapping[str, Any]

    def extras(self) -> dict[str, Any]:
        """Return the fields that the row model does not know (`id` is not one of them)."""
        known = type(self.data).model_fields
        return {k: v for k, v in self.raw.items() if k not in known and k != "id"}

    def digest(self) -> str:
        """Return a digest of what a prediction depends on: the known fields but `prediction`; 32 hex digits."""
        fields = self.data.model_dump(mode="json", exclude={"prediction"})
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used; `id` is known when at least that could be read."""

    line: int
    id: str | None
    error: RowError


def row_model(behaviour: str) -> type[BaseModel]:
    """Return the row model of a behaviour; raises `InputError` that lists what there is."""
    if behaviour not in ROWS:
        raise InputError(f"no behaviour {behaviour!r}; there is: {', '.join(sorted(ROWS))}")
    return ROWS[behaviour]


def read_strict(path: Path, model: type[R], *, require: tuple[str, ...] = ()) -> Iterator[Row[R]]:
    """Read rows; the first bad one raises its `RowError`. Otherwise as `read`."""
    for row in read(path, model, require=require):
        if isinstance(row, BadRow):
            raise row.error
        yield row


def read(path: Path, model: type[R], *, require: tuple[str, ...] = ()) -> Iterator[Row[R] | BadRow]:
    """Read the rows of a JSONL file in order, good and bad; memory is bounded by the longest line.

    Args:
        path: A UTF-8 file, one JSON object a line.
        model: The row model.
        require: Optional fields of the model that must be there all the same (null is a value then).

    Raises:
        InputError: The file cannot be read, or holds no row.
    """
    seen: dict[str, int] = {}
    empty = True
    try:
        with path.open("rb") as file:
            for number, line in lines(file):
                empty = False
                row = _row(path, number, line, model, require)
                if row.id is not None and row.id in seen:
                    error = _error(path, number, f"{row.id!r} stands on line {seen[row.id]} already", "id")
                    row = BadRow(number, row.id, error)
                elif row.id is not None:
                    seen[row.id] = number
                yield row
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    if empty:
        raise InputError(f"{path}: holds no row; one JSON object a line is expected")


def _error(path: Path, line: int, message: str, field: str | None = None) -> RowError:
    return RowError(message, file=str(path), line=line, field=field)


def _row(path: Path, number: int, line: bytes | None, model: type[R], require: tuple[str, ...]) -> Row[R] | BadRow:
    row_id: str | None = None
    try:
        raw = parse_object(line)
        row_id = _row_id(path, number, raw)
        for name in require:
            if name not in raw:
                raise _error(path, number, "is missing", name)
        return Row(number, row_id, _validated(path, number, raw, model), raw)
    except JsonError as error:
        return BadRow(number, row_id, _error(path, number, str(error)))
    except RowError as error:
        return BadRow(number, row_id, error)


def _row_id(path: Path, number: int, raw: Mapping[str, Any]) -> str:
    name = "id" if raw.get("id") is not None else "task_id"
    value = raw.get(name)
    if value is None:
        raise _error(path, number, "is missing (`task_id` would do)", "id")
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise _error(path, number, f"a non-empty string is expected, not {json_name(value)}", name)
    if len(str(value)) > MAX_ID_LENGTH:
        raise _error(path, number, f"longer than {MAX_ID_LENGTH} characters", name)
    return str(value)


def _validated(path: Path, number: int, raw: Mapping[str, Any], model: type[R]) -> R:
    fields = {
        name: without_surrogates(raw[name])
        for name, info in model.model_fields.items()
        if name in raw and (raw[name] is not None or info.is_required())
    }
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        message = "is missing" if first["type"] == "missing" else first["msg"]
        raise _error(path, number, message, field) from None
