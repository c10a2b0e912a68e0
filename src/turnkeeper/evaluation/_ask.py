"""One row asked of a program and scored; the one place that tells an error from a bad answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import dspy
from dspy.utils.exceptions import AdapterParseError
from dspy.utils.usage_tracker import UsageTracker, track_usage

from ..behaviours import Behaviour, GoldenRow
from ..errors import IntegrityError, SetupError
from ..signatures.types import GuardedResult
from .keys import row_digest
from .scored import Scored


class _Answer(NamedTuple):
    """What came of asking; with an `error` there is no prediction to score."""

    prediction: dict[str, Any]
    error: str | None = None
    fallback: bool = False
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def ask(
    program: Any,
    row: GoldenRow,
    metric: Callable[..., Any],
    lm: Any,
    adapter: Any,
    bare: bool,
    behaviour: Behaviour,
) -> Scored:
    """Run a program on a row and score what it says; see `runner.evaluate`."""
    started = time.perf_counter()
    asked = behaviour.asked(row)  # a row of another behaviour is the caller's mistake, and no error row
    answer = _bare(program, asked, lm, adapter, behaviour) if bare else _guarded(program, asked, behaviour)
    latency = round((time.perf_counter() - started) * 1000, 3)
    scored: dict[str, Any] = {}
    if answer.error is None:
        scored = score(row, answer.prediction, metric)
    return Scored(
        id=row.id,
        kind=row.kind,
        family=row.family,
        language=row.language,
        row_digest=row_digest(row),
        prediction=answer.prediction,
        error=answer.error,
        fallback=answer.fallback,
        lm_calls=answer.calls,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        latency_ms=latency,
        **scored,
    )


def score(row: GoldenRow, prediction: Mapping[str, Any], metric: Callable[..., Any]) -> dict[str, Any]:
    """Score a recorded prediction: `score`, `feedback`, and `components` and `violations` where the metric tells."""
    result = metric(row, prediction)
    number = getattr(result, "score", result)
    return {
        "score": float(number),
        "feedback": str(getattr(result, "feedback", "")),
        "components": dict(getattr(result, "components", None) or {}),
        "violations": tuple(getattr(result, "violations", None) or ()),
    }


def _bare(program: Any, asked: Mapping[str, Any], lm: Any, adapter: Any, behaviour: Behaviour) -> _Answer:
    tracker = UsageTracker()
    said: dict[str, Any] = {}
    failure: str | None = None
    try:
        with dspy.context(lm=lm, adapter=adapter, disable_history=True, trace=None), track_usage() as tracker:
            said = _fields(program(**behaviour.prepared(asked)), behaviour.fields)
    except AdapterParseError:
        pass  # the model's doing, not an outage: the empty prediction scores 0
    except (SetupError, IntegrityError):
        raise
    except Exception as error:
        failure = type(error).__name__
    return _Answer(said, failure, False, *_cost(tracker))


def _guarded(guard: Any, asked: Mapping[str, Any], behaviour: Behaviour) -> _Answer:
    result: GuardedResult = guard(**asked)
    failed = next((w.message for w in result.warnings if w.code == "lm_error"), None)
    usage = result.usage
    return _Answer(
        _fields(result, behaviour.fields),
        None if failed is None else failed.rstrip(".").rpartition(" ")[2],
        result.fallback,
        usage.calls,
        usage.prompt_tokens,
        usage.completion_tokens,
    )


def _fields(prediction: Any, names: Sequence[str]) -> dict[str, Any]:
    found = {name: getattr(prediction, name, None) for name in names}
    return {name: _jsonable(value) for name, value in found.items() if value is not None}


def _jsonable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_jsonable(item) for item in value]
    dump = getattr(value, "model_dump", None)
    return (
        dump(mode="json") if dump is not None else value if isinstance(value, (str, int, float, bool)) else str(value)
    )


def _cost(tracker: UsageTracker) -> tuple[int, int, int]:
    entries = [entry for entries in tracker.usage_data.values() for entry in entries]
    return (
        len(entries),
        sum(int(entry.get("prompt_tokens") or 0) for entry in entries),
        sum(int(entry.get("completion_tokens") or 0) for entry in entries),
    )
