"""Events as `turnkeeper.events` writes them, read back: the turns of a behaviour, and why other lines are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import names
from ..data._jsonl import JsonError, lines, parse_object, without_surrogates
from ..errors import InputError

NO_JSON = "no JSON object"
NO_TURN = "of another event"
NO_TEXT = "without text (TURNKEEPER_LOG_TEXT=0)"
NO_WORDS = "where no program was to add words"
_MARKS = {"role", "content"}


class Recorded(NamedTuple):
    """A recorded turn of a behaviour.

    Attributes:
        line: In the file, from 1.
        asked: The user's words, as the event holds them.
        history: What led up to it: the window of the prompt, oldest first.
        inputs: What the turn was asked beside: passages, registry, ledger, standalone query.
        result: The fields of the result.
        session: Of the application, where it binds `session_id` to its events (structlog's context variables).
    """

    line: int
    behaviour: str
    asked: str
    history: tuple[dict[str, str], ...]
    inputs: Mapping[str, Any]
    result: Mapping[str, Any]
    violations: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    program: str = ""
    session: str = ""


class Skipped(NamedTuple):
    """Lines that are no turn of the behaviour: reason -> how many."""

    reasons: Mapping[str, int]


def read_events(path: Path, behaviour: str | None = None) -> tuple[str, list[Recorded], Skipped]:
    """Read the turns of one behaviour from a file of events, one JSON object a line.

    Args:
        path: A UTF-8 file; lines of other loggers may stand between the events.
        behaviour: Its stem; None takes the only one that the file holds.

    Returns:
        The behaviour, its turns in the order of the file, and how many lines were passed over, by reason.

    Raises:
        InputError: The file cannot be read, holds no turn of the behaviour, or turns of several and none was named.
    """
    found: list[Recorded] = []
    reasons: Counter[str] = Counter()
    known = frozenset(names())
    try:
        with path.open("rb") as file:
            for number, line in lines(file):
                try:
                    event = without_surrogates(parse_object(line))
                except JsonError:
                    reasons[NO_JSON] += 1
                    continue
                name = event.get("event")  # an object in the Elastic Common Schema
                turn = _turn(number, event) if isinstance(name, str) and name in known else NO_TURN
                if isinstance(turn, str):
                    reasons[turn] += 1
                else:
                    found.append(turn)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    there = sorted({turn.behaviour for turn in found})
    if behaviour is None and len(there) > 1:
        raise InputError(f"{path}: holds turns of {', '.join(there)}; say which with --behaviour")
    wanted = behaviour or (there[0] if there else "")
    kept = [turn for turn in found if turn.behaviour == wanted]
    reasons[NO_TURN] += len(found) - len(kept)
    if not kept:
        said = "; ".join(f"{count} lines {reason}" for reason, count in reasons.items() if count) or "it is empty"
        raise InputError(f"{path}: holds no turn{f' of {wanted}' if wanted else ''}: {said}")
    return wanted, kept, Skipped({reason: count for reason, count in reasons.items() if count})


def _turn(line: int, event: Mapping[str, Any]) -> Recorded | str:
    asked, result = event.get("original"), event.get("result")
    inputs = event.get("inputs") if isinstance(event.get("inputs"), dict) else {}
    if not isinstance(asked, str) or not asked.strip() or not isinstance(result, dict) or not isinstance(inputs, dict):
        return NO_TEXT
    if inputs.get("rules_only") is True and not event.get("calls"):  # it says nothing of what a program adds
        return NO_WORDS
    history = inputs.get("history") or event.get("window") or ()
    return Recorded(
        line=line,
        behaviour=str(event["event"]),
        asked=asked,
        history=tuple(_messages(history)),
        inputs=inputs,
        result=result,
        violations=tuple(_codes(event.get("violations"))),
        warned=tuple(_codes(event.get("warnings"))),
        program=str(event.get("program") or ""),
        session=str(event.get("session_id") or ""),
    )


def _messages(window: Any) -> Sequence[dict[str, str]]:
    """Return the messages of a window; that of carry_forward holds questions, which are none."""
    some = window if isinstance(window, list) else []
    return [
        {"role": each["role"], "content": each["content"]}
        for each in some
        if isinstance(each, dict) and each.keys() >= _MARKS and all(isinstance(each[name], str) for name in _MARKS)
    ]


def _codes(violations: Any) -> list[str]:
    some = violations if isinstance(violations, list) else []
    return [str(each["code"]) for each in some if isinstance(each, dict) and "code" in each]


def dicts(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, copied; none of what is no list."""
    return [dict(each) for each in value if isinstance(each, dict)] if isinstance(value, (list, tuple)) else []
