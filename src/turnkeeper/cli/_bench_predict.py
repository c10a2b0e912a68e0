"""The predictions that `turnkeeper bench` measures: asked of a program, or read from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from .._secrets import mask_addresses
from ..data.rows import Row, read_strict
from ..errors import InputError
from ..signatures.types import Notice, Usage
from . import _behaviours
from ._batch import ask_all, kept_row, lm_failed, output_row
from ._evaluation import COPY
from ._files import refuse_same
from ._progress import Progress
from ._render import note
from ._runfile import RunFile


class Options(NamedTuple):
    """How predictions are made; the fields are those of `turnkeeper run`."""

    lm: str
    api_base: str | None
    program: str
    form: str | None
    adapter: str | None
    threads: int
    out: Path | None
    overwrite: bool


class GivenRow(BaseModel):
    """An output row of `run`, of this or another program; an error row has no prediction."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    prediction: dict[str, Any] | None = None
    program: str | None = None
    fallback: bool = False
    warnings: tuple[Notice, ...] = ()
    usage: Usage = Usage()
    latency_ms: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)


class Predicted(NamedTuple):
    """The answer for one row, as its output row has it.

    Attributes:
        prediction: Empty when there is none.
        missing: Whether there is none: the row failed, or a file of predictions does not hold it.
    """

    prediction: dict[str, Any]
    missing: bool = True
    fallback: bool = False
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ms: float = 0.0
    lm_error: bool = False


def answers_for(
    behaviour: str, rows: list[Row[Any]], predictions: Path | None, options: Options, file: Path
) -> tuple[list[Predicted], dict[str, Any]]:
    """Return one answer a row, from a file of predictions or from the program of the options.

    Returns:
        The answers, and what the report says of their origin.

    Raises:
        InputError: No row, or options that contradict each other.
    """
    if not rows:
        raise InputError(f"{file}: no row is left to measure")
    if options.out is not None:
        refuse_same(file, options.out)
        if predictions is not None or options.program == COPY:
            raise InputError("--out is for the predictions of a program that is asked")
    if predictions is not None:
        return given(predictions, rows)
    if options.program == COPY:
        if behaviour != "reformulate":
            raise InputError("--program copy: must be detector, auto, zero-shot, or the path of an artifact")
        return copied(rows)
    return predict(behaviour, rows, options)


def query_of(answer: Predicted) -> str:
    """Return the standalone query of an answer; an empty text when it has none."""
    said = answer.prediction.get("standalone_query")
    return said if isinstance(said, str) else ""


def phrases_of(answer: Predicted) -> list[str]:
    """Return the excluded phrases of an answer; nothing when it has none."""
    said = answer.prediction.get("negation_constraints")
    return [phrase for phrase in said if isinstance(phrase, str)] if isinstance(said, list) else []


def predict(behaviour: str, rows: Sequence[Row[Any]], options: Options) -> tuple[list[Predicted], dict[str, Any]]:
    """Ask a program for every row; rows of an earlier `--out` of the same program are not asked again.

    Returns:
        One answer a row, and what the report says of the program.
    """
    entry = _behaviours.find(behaviour)
    settings: dict[str, str | None] = {
        "behaviour": behaviour, "lm": options.lm, "program": options.program, "risk_level": "normal",
        "form": options.form, "adapter": options.adapter,
        "api_base": None if options.api_base is None else mask_addresses(options.api_base),
    }  # fmt: skip
    opened: Any = nullcontext(None)
    if options.out is not None:
        opened = RunFile(
            options.out, settings, overwrite=options.overwrite, kept_row=lambda row: kept_row(row, entry.result)
        )
    about: dict[str, Any] = {"program": options.program, "lm": options.lm}
    with opened as file:
        kept = {} if file is None else file.kept
        done = {row.id: kept[row.id, row.digest()] for row in rows if (row.id, row.digest()) in kept}
        about["reused"] = len(done)
        if done:
            note(f"reused {len(done)} of {len(rows)} rows of {options.out}")
        if len(done) < len(rows):
            keeper = _behaviours.load_program(
                behaviour, lm=options.lm, program=options.program, risk_level="normal", api_base=options.api_base,
                form=options.form, adapter=options.adapter,
            )  # fmt: skip
            about |= _found(keeper)
            if file is not None:
                file.start(**_found(keeper))
            _ask(behaviour, keeper, [row for row in rows if row.id not in done], options.threads, file, done, len(rows))
        elif file is not None:
            file.start()
        if file is not None:
            made = {(row.id, row.digest()) for row in rows}
            others = [row for key, row in file.kept.items() if key not in made]  # of a longer run, worth keeping
            file.finish([*(done[row.id] for row in rows), *others])
    return [answer_of(done[row.id]) for row in rows], {**about, "program_id": _programs(done.values())}


def _programs(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the id of the program that made the rows; several, when rows of another file were mixed."""
    return ", ".join(dict.fromkeys(name for row in rows if (name := row.get("program")))) or None


def _found(keeper: Any) -> dict[str, str]:
    found = {
        "program_id": getattr(keeper, "program_id", None),
        "model": getattr(getattr(keeper, "lm", None), "model", None),
    }
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _ask(
    behaviour: str, keeper: Any, todo: list[Row[Any]], threads: int, file: Any, done: dict[str, Any], total: int
) -> None:
    entry = _behaviours.find(behaviour)
    try:
        with Progress(f"bench {behaviour}", total) as progress:
            progress.update(len(done))
            for answer in ask_all(lambda row: entry.ask(keeper, row), todo, threads):
                made = output_row(answer, entry.prediction, "bench")
                if file is not None:
                    file.append(made)
                done[answer.row.id] = made
                progress.update(len(done))
    except KeyboardInterrupt:
        again = f"are kept in {file.path}; the same command goes on" if file else "are lost; --out would keep them"
        note(f"{len(done)} of {total} rows {again}")
        raise


def answer_of(row: dict[str, Any]) -> Predicted:
    """Return what an output row of `run` says."""
    if not isinstance(row.get("prediction"), dict):
        return Predicted({})
    usage = row.get("usage") or {}
    return Predicted(
        prediction=row["prediction"], missing=False, fallback=bool(row.get("fallback")), calls=usage.get("calls", 0),
        prompt_tokens=usage.get("prompt_tokens", 0), completion_tokens=usage.get("completion_tokens", 0),
        latency_ms=row.get("latency_ms") or 0.0, lm_error=lm_failed(row),
    )  # fmt: skip


def given(path: Path, rows: Sequence[Row[Any]]) -> tuple[list[Predicted], dict[str, Any]]:
    """Return the answers of a file of output rows of `run`; what it does not hold counts as an empty answer."""
    there = {row.id: row.data.model_dump() for row in read_strict(path, GivenRow)}
    asked = [there.get(row.id, {}) for row in rows]
    return [answer_of(row) for row in asked], {"predictions": str(path), "program_id": _programs(asked)}


def copied(rows: Sequence[Row[Any]]) -> tuple[list[Predicted], dict[str, Any]]:
    """Return the user's own words as the answers: what every program must beat."""
    return [Predicted({"standalone_query": row.data.query}, missing=False) for row in rows], {"program": COPY}
