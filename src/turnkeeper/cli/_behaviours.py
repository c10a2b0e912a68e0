"""What the commands need to know of each behaviour, and the one place where a program is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..data.rows import Row, row_model
from ..signatures.reformulate import ReformulateResult
from ..signatures.types import GuardedResult, Violation


class Behaviour(NamedTuple):
    """One behaviour of the command line.

    Attributes:
        check: The programmatic checks on the row's `prediction`; pure, no LM.
        ask: One prediction of a loaded program for the row.
        prediction: Fields of the result that make up `prediction` in an output row.
        result: What `ask` returns, to validate output rows of an earlier run.
    """

    check: Callable[[Row[Any]], list[Violation]]
    ask: Callable[[Any, Row[Any]], GuardedResult]
    prediction: tuple[str, ...]
    result: type[GuardedResult]


def _check_reformulate(row: Row[Any]) -> list[Violation]:
    from ..metrics.reformulate import check

    data = row.data
    return check(history=data.history, query=data.query, prediction=data.prediction, access_scope=data.access_scope)


def _ask_reformulate(keeper: Any, row: Row[Any]) -> GuardedResult:
    data = row.data
    result: GuardedResult = keeper(
        history=list(data.history),
        query=data.query,
        access_scope=data.access_scope,
        metadata_filters=data.metadata_filters,
    )
    return result


BEHAVIOURS: dict[str, Behaviour] = {
    "reformulate": Behaviour(
        _check_reformulate,
        _ask_reformulate,
        ("standalone_query", "resolved_references", "access_constraints_applied", "action"),
        ReformulateResult,
    ),
}


def find(behaviour: str) -> Behaviour:
    """Return a behaviour; raises `InputError` that lists what there is."""
    row_model(behaviour)
    return BEHAVIOURS[behaviour]


def load_program(behaviour: str, *, lm: str, program: str, risk_level: str, api_base: str | None = None) -> Any:
    """Return the program of a behaviour, ready to run; missing weights are fetched, with a progress line.

    Raises:
        SetupError: The LM cannot answer. Said here, since the guard would make every turn a fallback.
    """
    from .. import load, resolve_lm
    from ..lms import probe
    from ._progress import Progress

    with Progress("weights", None, unit="MB") as progress:
        resolved = resolve_lm(lm, api_base=api_base, progress=progress.update)
    probe(resolved)
    return load(behaviour, lm=resolved, program=program, risk_level=risk_level)  # type: ignore[arg-type]
