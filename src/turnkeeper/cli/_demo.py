"""`turnkeeper demo`: a shipped conversation over a shipped corpus, all four behaviours, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ._options import ApiBaseOption, LmOption
from ._render import command, console, note, print_json, safe

if TYPE_CHECKING:
    from rich.console import Console

    from ..conversation import ConversationTurn
    from ..data.demo import DemoStep


@command
def demo(
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    program: Annotated[str, typer.Option("--program", help="auto or zero-shot.")] = "auto",
    json_: Annotated[bool, typer.Option("--json", help="The trace: one JSON object a turn on stdout.")] = False,
) -> None:
    """Show a conversation turn by turn: what came in, was searched, excluded, cited, is open, and what it cost.

    Exit code 1 when an LM call failed.
    """
    from .._turn.playing import Player, trace_of
    from ..data.demo import failures, row, talk
    from ._run_conversation import conversation_of, load_steps

    note(f"loading {lm} ...")
    player = Player(conversation_of(load_steps(lm, api_base, program, "normal")), row(), "demo")
    steps = list(talk())
    results: list[ConversationTurn] = []
    missed: list[str] = []
    screen = console()
    played = player.play()
    for step in steps:
        if step.user is None:
            if not json_:
                _show_event(screen, step)
            continue
        result = next(played)
        failed = failures(step, trace_of(result))
        if json_:
            print_json({"shows": step.shows, "missed": failed, **trace_of(result)})
        else:
            _show(screen, step, result, results[-1] if results else None, failed)
        results.append(result)
        missed += failed
    _close(results, missed, json_)
    if any(warning.code == "lm_error" for result in results for warning in result.warnings):
        note("an LM call failed")
        raise typer.Exit(1)


def _close(results: list[ConversationTurn], missed: list[str], json_: bool) -> None:
    times = sorted(result.latency_ms for result in results)
    fallbacks = sum(result.fallback for result in results)
    calls = sum(result.lm_calls for result in results)
    note(
        f"{len(results)} turns, {fallbacks} with a fallback, {calls} LM calls, "
        f"median {times[len(times) // 2] / 1000:.1f} s a turn"
    )
    if missed and not json_:
        note(f"{len(missed)} of the things that the turns should show did not come out on this LM (marked with !)")


def _show_event(screen: Console, step: DemoStep) -> None:
    from rich.text import Text

    screen.print()
    screen.print(Text.assemble(("    ", ""), (safe(step.shows), "italic magenta")))


def _show(
    screen: Console, step: DemoStep, result: ConversationTurn, before: ConversationTurn | None, missed: list[str]
) -> None:
    from rich.text import Text

    def line(label: str, text: str, style: str = "") -> None:
        screen.print(Text.assemble((f"  {label:<10}", "dim"), (safe(text), style)))

    screen.print()
    screen.print(Text.assemble((f"{result.turn:>2}  ", "bold"), (safe(step.shows), "italic dim")))
    line("user", result.query, "bold")
    if result.kind not in ("question", "clarification"):
        line("kind", f"{result.kind}: answered from the session, nothing is searched")
    else:
        line("searched", result.standalone_query, "green" if result.action == "rewrite" else "")
        if result.expansion_terms:
            line("expanded", "; ".join(result.expansion_terms))
    if result.negation_constraints or (before is not None and before.negation_constraints):
        line("excluded", "; ".join(result.negation_constraints) or "nothing any more", "red")
    if result.found:
        line("found", ", ".join(result.found))
    if result.dropped:
        line("dropped", ", ".join(result.dropped), "red")
    for number, text in enumerate(part for part in result.answer.splitlines() if part.strip()):
        line("answer" if number == 0 else "", text, "cyan")
    cited = [f"{doc_id} (new)" for doc_id in result.new_citations] + [f"{i} (again)" for i in result.reused_citations]
    if cited:
        line("cited", ", ".join(cited))
    for one in result.resolved_questions:
        line("resolved", one.question, "green")
    for entry in result.open_questions:
        line("open", f"{entry.question} (since turn {entry.first_asked_turn}, tried {entry.attempts}x)", "yellow")
    for warning in result.warnings:
        line("warning", f"{warning.code}: {warning.message}", "yellow")
    for one_missed in missed:
        line("!", one_missed, "red")
    steps = ", ".join(f"{s.name} {s.latency_ms:.0f} ms" for s in result.steps if s.latency_ms >= 1)
    line("", f"{result.status}, {result.lm_calls} LM calls, {result.latency_ms:.0f} ms ({steps})", "dim")
