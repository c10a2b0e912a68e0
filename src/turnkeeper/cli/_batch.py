"""The work of `turnkeeper run`: rows asked one by one or in threads, each giving an answer or an error."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..data.rows import Row
from ..errors import IntegrityError, RowError, SetupError, TurnkeeperError
from ..signatures.types import GuardedResult

PREDICTED_FIELDS = frozenset(
    "id prediction ok violations warnings lm_attempts fallback latency_ms usage program input_digest".split()
)
"""Fields of an output row that holds a prediction, extras aside."""

Ask = Callable[[Row[Any]], GuardedResult]


@dataclass(frozen=True)
class Answer:
    """What came of one row: a result, or the exception in its place."""

    row: Row[Any]
    result: GuardedResult | None
    error: Exception | None
    latency_ms: float


def ask_all(ask: Ask, rows: Sequence[Row[Any]], threads: int) -> Iterator[Answer]:
    """Yield an answer for every row, in the order in which they are done.

    Raises:
        SetupError, IntegrityError: What ails one row ails all, so the run stops.
    """
    if threads == 1:  # in the main thread, where Ctrl-C arrives at once
        for row in rows:
            yield _ask(ask, row)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="turnkeeper-run")
    try:
        waiting = iter(rows)
        running: set[Future[Answer]] = set()
        while True:
            running |= {pool.submit(_ask, ask, row) for row in islice(waiting, 2 * threads - len(running))}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _ask(ask: Ask, row: Row[Any]) -> Answer:
    started = time.perf_counter()
    result: GuardedResult | None = None
    failure: Exception | None = None
    try:
        result = ask(row)
    except (SetupError, IntegrityError):
        raise
    except Exception as error:  # one row's failure must not cost the others
        failure = error
    return Answer(row, result, failure, round((time.perf_counter() - started) * 1000, 1))


def output_row(answer: Answer, fields: Sequence[str], file: str) -> dict[str, Any]:
    """Return the output row of an answer: its own fields first, then the input's extras."""
    row, result = answer.row, answer.result
    if result is None:
        return error_row(row.id, _row_error(answer, file))
    dumped = result.model_dump(mode="json")
    return {
        "id": row.id,
        "prediction": {name: dumped[name] for name in fields},
        **{name: dumped[name] for name in ("ok", "violations", "warnings", "lm_attempts", "fallback")},
        "latency_ms": answer.latency_ms,
        "usage": dumped["usage"],
        "program": dumped["program"],
        "input_digest": row.digest(),
        **_extras(row),
    }


def kept_row(found: Any, result_type: type[GuardedResult]) -> dict[str, Any] | None:
    """Return what `output_row` wrote, extras aside, or None: the row is damaged, or the LM was away when it was made.

    Args:
        found: A line of an earlier output, parsed; anybody may have changed the file since.
        result_type: The behaviour's result, which the row must be able to become again.
    """
    if not isinstance(found, dict) or not found.keys() >= PREDICTED_FIELDS:
        return None
    row = {name: found[name] for name in found if name in PREDICTED_FIELDS}
    prediction, latency = row["prediction"], row["latency_ms"]
    if not isinstance(prediction, dict) or not isinstance(row["id"], str) or not isinstance(row["input_digest"], str):
        return None
    if isinstance(latency, bool) or not isinstance(latency, (int, float)) or not 0 <= latency < math.inf:
        return None
    guarded = {name: row[name] for name in GuardedResult.model_fields}
    try:
        result = result_type.model_validate_json(json.dumps({**prediction, **guarded}), strict=True)
    except (ValueError, RecursionError):
        return None
    made = {name: value for name, value in result.model_dump(mode="json").items() if name not in guarded}
    return row if made == prediction and not lm_failed(row) else None


def lm_failed(row: Mapping[str, Any]) -> bool:
    """Whether a row holds a fallback because the LM could not be asked."""
    return any(warning["code"] == "lm_error" for warning in row.get("warnings", ()))


def reused_row(kept: Mapping[str, Any], row: Row[Any]) -> dict[str, Any]:
    """Return a row of an earlier run with the extras that the input has now."""
    return {**{name: value for name, value in kept.items() if name in PREDICTED_FIELDS}, **_extras(row)}


def _extras(row: Row[Any]) -> dict[str, Any]:
    return {name: value for name, value in row.extras().items() if name not in PREDICTED_FIELDS and name != "error"}


def error_row(row_id: str | None, error: RowError) -> dict[str, Any]:
    """Return the output row that stands for a row without an answer."""
    place = f"{error.file}:{error.line}" + (f": field `{error.field}`" if error.field else "")
    message = str(error).removeprefix(f"{place}: ")
    return {"id": row_id, "error": {"file": error.file, "line": error.line, "field": error.field, "message": message}}


def _row_error(answer: Answer, file: str) -> RowError:
    error = answer.error
    if isinstance(error, TurnkeeperError):
        message = str(error)
    else:  # the class alone: messages of foreign libraries may quote keys or addresses
        message = f"unexpected {type(error).__name__}"
    return RowError(message, file=file, line=answer.row.line)
