"""Structured events, one a step, as JSON: to the stdlib logger `turnkeeper` at INFO, or to the application's sink.

The library configures no logging: without a handler of the application the events are silent. Three rules hold on
every path, in this order: secrets are masked, the application's redactor sees each text, and with
`TURNKEEPER_LOG_TEXT=0` only fields known to hold no text are kept.

Field names (all optional):
    codes and ids: event, step, behaviour, action, program, lm, adapter, form, session_id, tenant, turn_id, request_id,
        risk_level, code, source, timestamp
    flags and counts: ok, fallback, cached, attempts, calls, turn, before, after, prompt_tokens, completion_tokens,
        reused_tokens, latency_ms, retrieval_latency_ms
    text: original, result, raw_output, window, and whatever is not named above; of `violations` and `warnings` the
        codes are no text, messages and spans are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import structlog

from . import settings
from ._secrets import MASK, mask_secrets, names_secret

__all__ = ["CODE_FIELDS", "COUNT_FIELDS", "MASK", "bound", "emit", "mask_secrets", "set_redactor", "set_sink"]

Sink = Callable[[Mapping[str, Any]], None]
Redactor = Callable[[str], str]

CODE_FIELDS = frozenset(
    "event step behaviour action program lm adapter form session_id tenant turn_id request_id risk_level code source"
    " timestamp".split()
)
COUNT_FIELDS = frozenset(
    "ok fallback cached attempts calls turn before after prompt_tokens completion_tokens reused_tokens latency_ms"
    " retrieval_latency_ms".split()
)
_NESTED_FIELDS = frozenset(("violations", "warnings", "result", "usage"))  # kept for the codes and counts inside
BY_TERM = frozenset(("glossary", "aliases"))
"""Fields that may hold an object whose keys are words of the application."""
MAX_TEXT = 100_000
"""Characters of one text that an event keeps."""
MAX_DEPTH = 12

_sink: Sink | None = None
_redactor: Redactor | None = None
_logger = logging.getLogger("turnkeeper")
_bound: ContextVar[Mapping[str, Any]] = ContextVar("turnkeeper_event_fields", default=MappingProxyType({}))


def set_sink(sink: Sink | None) -> None:
    """Send events to a callable instead of the logger; None goes back. An event is a plain dict, JSON-ready."""
    global _sink
    _sink = sink


def set_redactor(redactor: Redactor | None) -> None:
    """Pass each text of an event through a callable (PII, access-controlled text); None goes back.

    If it raises, or gives anything but a string, the event loses all its text fields.
    """
    global _redactor
    _redactor = redactor


@contextmanager
def bound(**fields: Any) -> Iterator[None]:
    """Give every event of this context the fields as well, until the block ends; an event's own come first.

    A conversation binds `session_id`, `tenant` and `turn`, so that what the behaviours tell of one turn can be joined.
    """
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def emit(event: str, **fields: Any) -> None:
    """Emit one event. Never raises: what fails here is named by a warning of the stdlib logger `turnkeeper`."""
    if _sink is None and not _logger.isEnabledFor(logging.INFO):
        return
    try:
        _events.info(event, **{**_bound.get(), **fields})
    except Exception as error:
        _complain("an event could not be emitted", error)


def _complain(what: str, error: Exception) -> None:
    # The class alone: the message of a foreign error may quote the text that must not be logged.
    _logger.warning("turnkeeper: %s: %s", what, type(error).__name__)


def _hides(field: str, value: Any) -> bool:
    return value is not None and not isinstance(value, (bool, int, float)) and names_secret(field)


def _plain(value: Any, depth: int = 0) -> Any:
    """Make a value JSON-ready: models dumped, secrets masked, texts bounded."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        masked = mask_secrets(value[: 2 * MAX_TEXT])
        return masked if len(masked) <= MAX_TEXT else f"{masked[:MAX_TEXT]}[{len(value) - MAX_TEXT} more characters]"
    if depth >= MAX_DEPTH:
        return f"[{type(value).__name__}]"
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if isinstance(value, Mapping):
        return {mask_secrets(str(k)): MASK if _hides(str(k), v) else _plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth + 1) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(v, depth + 1) for v in value), key=str)
    return type(value).__name__ if isinstance(value, BaseException) else _plain(str(value), depth)


def _redacted(value: Any, redactor: Redactor, name: str = "", codes: frozenset[str] = CODE_FIELDS) -> Any:
    if isinstance(value, str):
        if name in codes:
            return value
        text = redactor(value)
        if not isinstance(text, str):
            raise TypeError("a redactor must return a string")
        return text
    if isinstance(value, dict):
        if name == "metadata":  # the application's own fields
            codes = frozenset()
        if name in BY_TERM:
            return redacted_terms(value, lambda each: _redacted(each, redactor))
        return {k: _redacted(v, redactor, k, codes) for k, v in value.items()}
    if isinstance(value, list):
        return [_redacted(v, redactor, name, codes) for v in value]
    return value


def redacted_terms(names: Mapping[str, Any], redacted: Callable[[Any], Any]) -> dict[str, Any]:
    """Redact an object whose keys are words; keys that become one have the values of both, where those are lists."""
    found: dict[str, Any] = {}
    for term, held in names.items():
        shown, others = redacted(term), redacted(held)
        before = found.get(shown)
        found[shown] = [*before, *others] if isinstance(before, list) and isinstance(others, list) else others
    return found


def _without_text(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Keep documented codes and counts alone; an unknown field counts as text."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _NESTED_FIELDS and isinstance(value, dict):
            kept[name] = _without_text(value)
        elif name in _NESTED_FIELDS and isinstance(value, list):
            kept[name] = [_without_text(v) for v in value if isinstance(v, dict)]
        elif name in COUNT_FIELDS and isinstance(value, (bool, int, float)):
            kept[name] = value
        elif name in CODE_FIELDS and (value is None or isinstance(value, (str, bool, int, float))):
            kept[name] = value
    return kept


def _clean(_logger: Any, _method: str, fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(dict(fields))
    redactor = _redactor
    if not settings.log_text():
        return _without_text(plain)
    if redactor is None:
        return plain
    try:
        return dict(_plain(_redacted(plain, redactor)))
    except Exception as error:
        _complain("the redactor failed, text fields are dropped", error)
        return _without_text(plain)


def _deliver(_logger: Any, _method: str, fields: Any) -> dict[str, Any]:
    sink = _sink
    if sink is None:
        return dict(fields)
    try:
        sink(fields)
    except Exception as error:
        _complain("the event sink failed", error)
    raise structlog.DropEvent


_events: Any = (
    structlog.wrap_logger(  # explicit processors: the application's own structlog configuration stays its own
        _logger,
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _clean,
            _deliver,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=False,
    )
)
