"""Recorded turns asked again of another program: what would change for the people who asked them.

There is no gold here. A turn counts as worse when its answer passed the checks before and no longer does; whether
another answer that passes is a better one, a person has to see.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..behaviours import Behaviour, find
from ..data.rows import Row, row_model
from ..errors import IntegrityError, RowError, SetupError
from ..signatures.types import GuardedResult
from .drafts import state_of
from .reading import Recorded

Ask = Callable[[Row[Any]], GuardedResult]


class Told(NamedTuple):
    """What one program answered to a turn.

    Attributes:
        fields: Of the prediction, as JSON; none after an error.
        ok: Whether the answer passed its checks.
        codes: Of the rules that it broke.
        error: Class of what went wrong; the LM being away is an error too, and says nothing of the program.
    """

    fields: Mapping[str, Any]
    ok: bool
    fallback: bool = False
    codes: tuple[str, ...] = ()
    error: str | None = None
    latency_ms: float = 0.0


class Replayed(NamedTuple):
    """A turn under both programs.

    Attributes:
        changed: Fields that differ, in order; none where one side has an error.
    """

    line: int
    id: str
    asked: str
    before: Told
    after: Told
    changed: tuple[str, ...]

    @property
    def compared(self) -> bool:
        """Whether both programs answered."""
        return self.before.error is None and self.after.error is None


class Difference(NamedTuple):
    """All turns, in order."""

    behaviour: str
    turns: list[Replayed]

    @property
    def compared(self) -> list[Replayed]:
        """The turns that both programs answered."""
        return [turn for turn in self.turns if turn.compared]

    @property
    def changed(self) -> list[Replayed]:
        """The turns whose answer differs."""
        return [turn for turn in self.compared if turn.changed]

    @property
    def worse(self) -> list[Replayed]:
        """The turns that passed their checks and no longer do."""
        return [turn for turn in self.compared if turn.before.ok and not turn.after.ok]

    @property
    def better(self) -> list[Replayed]:
        """The turns that did not pass their checks and do now."""
        return [turn for turn in self.compared if turn.after.ok and not turn.before.ok]

    def fields(self) -> dict[str, int]:
        """Return field -> turns in which it differs, the most frequent first."""
        return dict(Counter(name for turn in self.changed for name in turn.changed).most_common())

    def as_json(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "behaviour": self.behaviour,
            "turns": len(self.turns),
            "compared": len(self.compared),
            "errors": len(self.turns) - len(self.compared),
            "changed": len(self.changed),
            "fields": self.fields(),
            "worse": [turn.id for turn in self.worse],
            "better": [turn.id for turn in self.better],
            "fallbacks": {side: sum(getattr(turn, side).fallback for turn in self.compared) for side in _SIDES},
        }


_SIDES = ("before", "after")


def rows_of(turns: Iterable[Recorded], place: str) -> list[Row[Any]]:
    """Return recorded turns as the rows that `turnkeeper run` takes.

    Raises:
        RowError: An event holds too little of its turn: it was written by an older version, or changed since.
    """
    rows: list[Row[Any]] = []
    for turn in turns:
        state = state_of(turn)
        model = row_model(turn.behaviour)
        known = {
            name: value
            for name, value in state.items()
            if name in model.model_fields and (value is not None or model.model_fields[name].is_required())
        }
        try:
            data = model.model_validate(known)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or None
            raise RowError(first["msg"], file=place, line=turn.line, field=field) from None
        rows.append(Row(turn.line, f"line-{turn.line}", data, state))
    return rows


def recorded_answer(turn: Recorded, behaviour: Behaviour) -> Told:
    """Return what the event says was answered."""
    fields = {name: turn.result[name] for name in behaviour.fields if name in turn.result}
    failed = "lm_error" in turn.warned
    ok, fallback = bool(turn.result.get("ok", not turn.violations)), bool(turn.result.get("fallback", False))
    return Told(fields, ok, fallback, turn.violations, "lm_error" if failed else None)


def replay(
    rows: Sequence[Row[Any]],
    after: Ask,
    *,
    behaviour: str,
    before: Ask | None = None,
    recorded: Sequence[Recorded] = (),
    on_turn: Callable[[int], None] = lambda done: None,
) -> Difference:
    """Ask every turn again.

    Args:
        rows: The turns.
        after: Asks the program that may be released.
        behaviour: Its stem.
        before: Asks the program to compare with; None compares with what was recorded.
        recorded: The events of the rows, in the same order; needed without `before`.
        on_turn: Told the number of turns done.

    Raises:
        SetupError, IntegrityError: What ails one turn ails all.
    """
    entry = find(behaviour)
    turns: list[Replayed] = []
    for number, row in enumerate(rows):
        old = recorded_answer(recorded[number], entry) if before is None else _asked(before, row, entry)
        new = _asked(after, row, entry)
        asked = str(getattr(row.data, "query", None) or getattr(row.data, "question", ""))
        turns.append(Replayed(row.line, row.id, asked, old, new, _changed(old, new, entry)))
        on_turn(number + 1)
    return Difference(behaviour, turns)


def _asked(ask: Ask, row: Row[Any], behaviour: Behaviour) -> Told:
    started = time.perf_counter()
    try:
        result = ask(row)
    except (SetupError, IntegrityError):
        raise
    except Exception as error:  # one turn's failure must not cost the others
        return Told({}, False, error=type(error).__name__)
    latency = round((time.perf_counter() - started) * 1000, 1)
    dumped = result.model_dump(mode="json")
    fields = {name: dumped[name] for name in behaviour.fields if name in dumped}
    codes = tuple(violation.code for violation in result.violations)
    failed = any(warning.code == "lm_error" for warning in result.warnings)
    return Told(fields, result.ok, result.fallback, codes, "lm_error" if failed else None, latency)


def _changed(old: Told, new: Told, behaviour: Behaviour) -> tuple[str, ...]:
    if old.error is not None or new.error is not None:
        return ()
    both = [name for name in behaviour.fields if name in old.fields and name in new.fields]
    return tuple(name for name in both if _plain(old.fields[name]) != _plain(new.fields[name]))


def _plain(value: Any) -> Any:
    """Return a value without what differs between two records of the same thing: an event counts turns its own way."""
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items() if name != "turn"}
    return [_plain(held) for held in value] if isinstance(value, (list, tuple)) else value
