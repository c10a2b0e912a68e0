"""JSON objects of a public set's file, each with the place that an error names."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ...errors import InputError, RowError
from .._jsonl import MAX_DEPTH, json_name, lines, without_surrogates

_DECODER = json.JSONDecoder(parse_constant=lambda name: None)  # MTRAG was written by pandas, with NaN for "none"
_SPACE = " \t\r\n"


class FileRow(BaseModel):
    """Base of what a row must hold; public sets carry fields that we do not use."""

    model_config = ConfigDict(frozen=True, extra="ignore")


M = TypeVar("M", bound=FileRow)


class Place(NamedTuple):
    """Where an object begins.

    Attributes:
        file: The path as the user gave it.
        line: From 1.
        item: "[3]" for the fourth object of a JSON array, which may stand on one line; empty in JSONL.
    """

    file: str
    line: int
    item: str = ""

    def error(self, message: str, field: str = "") -> RowError:
        """Return the error that names this place and a field of the object."""
        name = ".".join(part for part in (self.item, field) if part)
        return RowError(message, file=self.file, line=self.line, field=name or None)


class Found(NamedTuple):
    """One object and its place."""

    place: Place
    raw: dict[str, Any]

    def fitted(self, model: type[M]) -> M:
        """Return the object as a row model; raises `RowError` for the first field that is missing or wrong."""
        fields = {name: value for name, value in self.raw.items() if name in _names(model) and value is not None}
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise self.place.error("is missing" if first["type"] == "missing" else first["msg"], field) from None


def _names(model: type[BaseModel]) -> set[str]:
    return {str(info.validation_alias or name) for name, info in model.model_fields.items()}


def objects(path: Path) -> Iterator[Found]:
    """Yield the objects of a JSONL file or of a JSON array, plain or gzip (`.gz`).

    NaN counts as null. JSONL is read line by line; an array is read whole.

    Raises:
        InputError: The file cannot be read, or holds nothing.
        RowError: A line that is no JSON object; file and line named.
    """
    try:
        with _opened(path) as file:
            first = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
            file.seek(0)
            if not first:
                raise InputError(f"{path}: holds no row")
            yield from _array(path, file.read()) if first == b"[" else _jsonl(path, file)
    except (OSError, EOFError) as error:  # EOFError: a gzip file that was cut off
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def table(path: Path, columns: int) -> Iterator[tuple[Place, list[str]]]:
    """Yield the lines of a tab-separated file without quoting; raises `RowError` for another number of columns."""
    try:
        with _opened(path) as file:
            for number, line in lines(file):
                place = Place(str(path), number)
                cells = [cell.strip() for cell in _decoded(line, place).rstrip("\r\n").split("\t")]
                if len(cells) != columns:
                    raise place.error(f"{columns} columns between tabs are expected, not {len(cells)}")
                yield place, cells
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None


def _opened(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _decoded(line: bytes | None, place: Place) -> str:
    if line is None:
        raise place.error("the line is too long")
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise place.error(f"not UTF-8 at byte {error.start + 1}") from None


def _jsonl(path: Path, file: BinaryIO) -> Iterator[Found]:
    for number, line in lines(file):
        place = Place(str(path), number)
        text = _decoded(line, place).strip()
        value, end = _value(text, 0, place)
        if text[end:].strip():
            raise place.error("something stands after the JSON object")
        yield _found(value, place)


def _array(path: Path, data: bytes) -> Iterator[Found]:
    text = _decoded(data, Place(str(path), 1))
    at, line = text.index("[") + 1, 1 + text.count("\n", 0, text.index("["))
    counted, number = at, 0
    while True:
        while at < len(text) and text[at] in _SPACE:
            at += 1
        line, counted = line + text.count("\n", counted, at), at
        place = Place(str(path), line, f"[{number}]")
        if text[at : at + 1] == "]":
            if text[at + 1 :].strip():
                raise place.error("something stands after the array")
            if not number:
                raise InputError(f"{path}: holds no row")
            return
        if number:
            if text[at : at + 1] != ",":
                raise place.error("not JSON: a comma or the end of the array is expected")
            at += 1
            while at < len(text) and text[at] in _SPACE:
                at += 1
            line, counted = line + text.count("\n", counted, at), at
            place = place._replace(line=line)
        value, at = _value(text, at, place)
        yield _found(value, place)
        number += 1


def _value(text: str, at: int, place: Place) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise place.error(f"not JSON: {error.msg}") from None
    except RecursionError:
        raise place.error(f"nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as error:  # an integer of thousands of digits
        raise place.error(f"not JSON: {error}") from None


def _found(value: Any, place: Place) -> Found:
    if not isinstance(value, dict):
        raise place.error(f"a JSON object is expected, not {json_name(value)}")
    return Found(place, without_surrogates(value))
