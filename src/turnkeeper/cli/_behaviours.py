"""What the commands need to know of each behaviour, and the one place where a program is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..data.rows import Row, row_model
from ..errors import InputError
from ..signatures.carry_forward import CarryForwardResult
from ..signatures.cite import CiteResult
from ..signatures.expand import ExpandResult
from ..signatures.reformulate import ReformulateResult
from ..signatures.types import GuardedResult, Violation


class Behaviour(NamedTuple):
    """One behaviour of the command line.

    Attributes:
        check: The programmatic checks on the row's `prediction`; pure, no LM.
        ask: One prediction of a loaded program for the row.
        prediction: Fields of the result that make up `prediction` in an output row.
        result: What `ask` returns, to validate output rows of an earlier run.
        facts: What `check` finds out beside violations, for its output row.
    """

    check: Callable[[Row[Any]], list[Violation]]
    ask: Callable[[Any, Row[Any]], GuardedResult]
    prediction: tuple[str, ...]
    result: type[GuardedResult]
    facts: Callable[[Row[Any]], dict[str, Any]] = lambda row: {}


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


def _check_expand(row: Row[Any]) -> list[Violation]:
    from ..metrics.expand import check

    data = row.data
    return check(
        history=data.history,
        query=data.query,
        prediction=data.prediction,
        domain_context=data.domain_context,
        exclusions=data.exclusions,
        standalone_query=data.standalone_query,
    )


def detected(row: Row[Any]) -> dict[str, Any]:
    """Return what the exclusion detector reads in a row, as fields of an output row."""
    from ..metrics.expand import detect

    data = row.data
    found = detect(data.history, data.query, data.domain_context, data.exclusions)
    return {"negation_constraints": list(found.active), "vague": found.vague, "revoked": list(found.revoked)}


def _ask_expand(keeper: Any, row: Row[Any]) -> GuardedResult:
    data = row.data
    result: GuardedResult = keeper(
        history=list(data.history),
        query=data.query,
        standalone_query=data.standalone_query,
        domain_context=data.domain_context,
        exclusions=None if data.exclusions is None else list(data.exclusions),
        access_scope=data.access_scope,
        metadata_filters=data.metadata_filters,
    )
    return result


def _check_cite(row: Row[Any]) -> list[Violation]:
    from ..metrics.cite import check

    data = row.data
    return check(
        registry=data.registry,
        context=data.context,
        question=data.question,
        prediction=data.prediction,
        access_scope=data.access_scope,
    )


def _cited(row: Row[Any]) -> dict[str, Any]:
    """Return what the row's prediction cites, as a field of an output row."""
    from ..metrics.cite import cited_ids

    data = row.data
    found = cited_ids(
        registry=data.registry,
        context=data.context,
        question=data.question,
        prediction=data.prediction,
        access_scope=data.access_scope,
    )
    return {"cited_ids": found}


def _ask_cite(keeper: Any, row: Row[Any]) -> GuardedResult:
    data = row.data
    result: GuardedResult = keeper(
        history=list(data.history),
        query=data.question,
        registry=data.registry,
        context=None if data.context is None else list(data.context),
        turn=data.turn,
        access_scope=data.access_scope,
    )
    return result


def _check_carry_forward(row: Row[Any]) -> list[Violation]:
    from ..metrics.carry_forward import check

    return check(**_of_carry_forward(row))


def _ledger(row: Row[Any]) -> dict[str, Any]:
    """Return what the row's prediction makes of the ledger; after a failed turn the row's own, as it was read."""
    from ..metrics.carry_forward import outcome

    after = outcome(**_of_carry_forward(row))
    unchanged = after.ledger == row.data.ledger
    ledger = row.raw["ledger"] if unchanged else [entry.model_dump(mode="json") for entry in after.ledger]
    return {"ledger_after": ledger, "human_review": after.human_review}


def _of_carry_forward(row: Row[Any]) -> dict[str, Any]:
    names = ("turn", "ledger", "question", "context", "prediction", "registry", "access_scope", "standalone_query")
    return {name: getattr(row.data, name) for name in names}


def _ask_carry_forward(keeper: Any, row: Row[Any]) -> GuardedResult:
    data = row.data
    result: GuardedResult = keeper(
        history=list(data.history),
        query=data.question,
        standalone_query=data.standalone_query,
        ledger=list(data.ledger),
        registry=data.registry,
        context=None if data.context is None else list(data.context),
        turn=data.turn,
        access_scope=data.access_scope,
    )
    return result


BEHAVIOURS: dict[str, Behaviour] = {
    "reformulate": Behaviour(
        _check_reformulate,
        _ask_reformulate,
        ("standalone_query", "resolved_references", "access_constraints_applied", "action"),
        ReformulateResult,
    ),
    "expand": Behaviour(
        _check_expand,
        _ask_expand,
        (
            "expanded_query",
            "negation_constraints",
            "expansion_terms_added",
            "negation_terms_preserved",
            "boolean",
            "exclusions",
        ),
        ExpandResult,
        detected,
    ),
    "cite": Behaviour(
        _check_cite,
        _ask_cite,
        ("answer", "sources", "new_citations", "reused_citations", "citation_consistency_check"),
        CiteResult,
        _cited,
    ),
    "carry_forward": Behaviour(
        _check_carry_forward,
        _ask_carry_forward,
        ("current_answer", "resolved_questions", "updated_unresolved_questions", "ledger", "human_review"),
        CarryForwardResult,
        _ledger,
    ),
}


def find(behaviour: str) -> Behaviour:
    """Return a behaviour; raises `InputError` that lists what there is."""
    row_model(behaviour)
    return BEHAVIOURS[behaviour]


def load_program(
    behaviour: str,
    *,
    lm: str,
    program: str,
    risk_level: str,
    api_base: str | None = None,
    form: str | None = None,
    adapter: str | None = None,
    cache_size: int = 256,
) -> Any:
    """Return the program of a behaviour, ready to run; missing weights are fetched, with a progress line.

    Args:
        form: Of a zero-shot program; for an artifact, what it must have been compiled in.
        adapter: The same.
        cache_size: Results of identical turns that the guard keeps.

    Raises:
        InputError: A name that is unknown, or an artifact of another form or adapter.
        SetupError: The LM cannot answer. Said here, since the guard would make every turn a fallback.
    """
    from .. import load, resolve_lm
    from ..adapters import adapter_names, get_adapter
    from ..lms import probe
    from ._progress import Progress

    if adapter is not None and adapter not in adapter_names():
        raise InputError(f"--adapter {adapter!r}: must be one of {', '.join(adapter_names())}")
    with Progress("weights", None, unit="MB") as progress:
        resolved = resolve_lm(lm, api_base=api_base, progress=progress.update)
    probe(resolved)
    guard = load(
        behaviour, lm=resolved, program=program, risk_level=risk_level, form=form,  # type: ignore[arg-type]
        adapter=adapter, cache_size=cache_size,
    )  # fmt: skip
    _require("--form", form, getattr(guard.program, "form", None), guard.program_id)
    if adapter is not None:
        _require("--adapter", type(get_adapter(adapter)).__name__, type(guard.adapter).__name__, guard.program_id)
    return guard


def _require(option: str, wanted: str | None, found: str | None, program: str) -> None:
    if wanted not in (None, found):
        raise InputError(f"{option}: {program} was compiled with {found}, not {wanted}; say --program zero-shot")
