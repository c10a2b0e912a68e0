"""`turnkeeper demo`: a shipped conversation taken through the behaviours, turn by turn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import ApiBaseOption, LmOption
from ._render import command, console, note, print_json, safe

if TYPE_CHECKING:
    from rich.console import Console

    from ..data.demo import DemoTurn
    from ..signatures.reformulate import ReformulateResult


@command
def demo(
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    program: Annotated[str, typer.Option("--program", help="auto, zero-shot, or the path of an artifact.")] = "auto",
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a turn on stdout.")] = False,
) -> None:
    """Show a conversation turn by turn: what came in, what is searched, and why. Exit code 1 when an LM call failed."""
    from ..data.demo import conversation
    from ..signatures.types import Turn
    from . import _behaviours

    note(f"loading {lm} ...")
    keeper = _behaviours.load_program("reformulate", lm=lm, program=program, risk_level="normal", api_base=api_base)
    history: list[Turn] = []
    results: list[ReformulateResult] = []
    screen = console()
    for number, turn in enumerate(conversation(), start=1):
        started = time.perf_counter()
        result = keeper(history=list(history), query=turn.user, access_scope=turn.access_scope)
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        if json_:
            print_json(_row(number, turn, result, milliseconds))
        else:
            _show(screen, number, turn, result, milliseconds, known=results[-1] if results else None)
        results.append(result)
        history += [Turn(role="user", content=turn.user), Turn(role="assistant", content=turn.assistant)]
    fallbacks = sum(result.fallback for result in results)
    attempts = sum(result.lm_attempts for result in results)
    note(f"{len(results)} turns, {fallbacks} fallbacks, {attempts} LM attempts, program {results[-1].program}")
    failed = sum(any(warning.code == "lm_error" for warning in result.warnings) for result in results)
    if failed:
        note(f"the LM call failed in {failed} turns")
        raise typer.Exit(1)


def _row(number: int, turn: DemoTurn, result: ReformulateResult, milliseconds: float) -> dict[str, Any]:
    dumped = result.model_dump(mode="json")
    return {"turn": number, "shows": turn.shows, "user": turn.user, **dumped, "latency_ms": milliseconds}


def _show(
    screen: Console,
    number: int,
    turn: DemoTurn,
    result: ReformulateResult,
    milliseconds: float,
    known: ReformulateResult | None,
) -> None:
    from rich.text import Text

    def line(label: str, text: str, style: str = "") -> None:
        screen.print(Text.assemble((f"  {label:<10}", "dim"), (safe(text), style)))

    screen.print()
    screen.print(Text.assemble((f"{number:>2}  ", "bold"), (safe(turn.shows), "italic dim")))
    line("user", turn.user, "bold")
    line("searched", result.standalone_query, "green" if result.ok else "yellow")
    for reference in result.resolved_references:
        line("resolved", f"{reference.mention} -> {reference.referent}")
    if known is None or known.access_constraints_applied != result.access_constraints_applied:
        line("scope", "; ".join(result.access_constraints_applied) or "none")
    for warning in result.warnings:
        line("warning", f"{warning.code}: {warning.message}", "yellow")
    for violation in result.violations:
        line("violation", f"{violation.code}: {violation.message}", "red")
    fallback = ", fallback" if result.fallback else ""
    line("", f"{result.action}, {result.lm_attempts} LM attempts{fallback}, {milliseconds:.0f} ms", "dim")
    line("assistant", turn.assistant, "dim")
