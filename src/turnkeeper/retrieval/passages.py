"""Passages in and out of files and stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from ..data._jsonl import JsonError, lines, parse_object, without_surrogates
from ..errors import InputError, RowError
from ..signatures.types import Passage


def read_passages(path: str | Path) -> Iterator[Passage]:
    """Yield the passages of a JSONL file (doc_id, title, text, metadata), one at a time.

    Raises:
        InputError: The file cannot be read.
        RowError: A line holds no passage; the message names file, line and field.
    """
    file = Path(path)
    try:
        opened = file.open("rb")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    with opened:
        for number, line in lines(opened):
            try:
                yield Passage.model_validate(without_surrogates(parse_object(line)))
            except JsonError as error:
                raise RowError(str(error), file=str(file), line=number) from None
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False, include_context=False)[0]
                field = ".".join(map(str, first["loc"]))[:200] or None
                raise RowError(first["msg"], file=str(file), line=number, field=field) from None


def stored(passage: Passage) -> str:
    """Return a passage as JSON, without its score; lone surrogates, which no store holds, become U+FFFD.

    Raises:
        InputError: Its metadata hold what JSON cannot; the message names the document.
    """
    try:
        fields = without_surrogates(passage.model_dump(exclude={"score"}))
        return Passage.model_validate(fields).model_dump_json(exclude={"score"})
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"document {passage.doc_id[:100]!r}: metadata is no JSON: {type(error).__name__}") from None
