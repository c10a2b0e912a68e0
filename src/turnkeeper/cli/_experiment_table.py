"""The table at the end of `turnkeeper experiment`: one line a cell, fallbacks before all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluation.summary import told
from ._render import console, safe

_AXES = ("behaviour", "optimizer", "lm", "adapter", "form", "demos", "train_rows", "seed")
_ALWAYS = ("optimizer", "lm", "adapter", "form", "seed")
_SEARCH = ("dev", "zero-shot", "over zero-shot [95 %]", "")
_TEST = ("fallback", "test guarded [95 %]", "calls a row", "tokens a row", "s a row")
_COST = ("calls", "tokens", "s")


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the table; axes that no cell varies are left out, and so is what was not measured."""
    from rich.table import Table

    axes = [name for name in _AXES if name in _ALWAYS or len({str(row.get(name)) for row in rows}) > 1]
    guarded = any("guarded" in row for row in rows)
    table = Table()
    fallback, *others = _TEST if guarded else ("",)
    for name in (*axes, *([fallback] if guarded else ()), *_SEARCH, "test [95 %]", *others, *_COST):
        table.add_column(name)
    for row in rows:
        told = [safe(_cell(row.get(name))) for name in axes]
        behind = _guarded(row) if guarded else []
        table.add_row(*told, *behind[:1], *_searched(row), _mean(row.get("test_interval")), *behind[1:], *_spent(row))
    screen = console()
    if not screen.is_terminal:  # a file or a pipe wraps nothing
        screen.width = 300
    screen.print(table)


def _searched(row: Mapping[str, Any]) -> tuple[str, ...]:
    gain = row["improvement"]
    if not gain:
        return (_number(row["dev"]), _number(row["zero_shot"]), "", "not better")
    return (_number(row["dev"]), _number(row["zero_shot"]), told(gain, "+.3f"), gain["verdict"])


def _guarded(row: Mapping[str, Any]) -> list[str]:
    """Return what the test split gave under guard; calls of the guarded program, tokens and time of the bare one."""
    bare, guarded = row.get("bare"), row.get("guarded")
    if not bare or not guarded:
        return [""] * len(_TEST)
    tokens = bare["prompt_tokens"] + bare["completion_tokens"]
    calls, seconds = f"{guarded['lm_calls']:.2f}", f"{bare['seconds']:.1f}"
    return [f"{guarded['fallback_rate']:.1%}", _mean(guarded), calls, f"{tokens:.0f}", seconds]


def _spent(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return (str(row["calls"]), str(row["tokens"]), f"{row['seconds']:.0f}")


def _mean(found: Mapping[str, Any] | None) -> str:
    return "" if not found else told(found, ".3f")


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
