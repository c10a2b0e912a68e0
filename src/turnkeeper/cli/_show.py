"""`turnkeeper show`: the exact messages that a program sends; no LM is called and no weights are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import BehaviourArgument
from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..evaluation.sent import Sent


@command
def show(
    behaviour: BehaviourArgument,
    program: Annotated[str, typer.Option("--program", help="auto, zero-shot, or the path of an artifact.")] = "auto",
    lm: Annotated[
        str, typer.Option("--lm", help="The LM: `auto` looks up a program for it, and tokens are its.")
    ] = "embedded",
    row: Annotated[
        str | None, typer.Option("--row", help="Id of a golden row; one row a predictor without it.")
    ] = None,
    diff: Annotated[str | None, typer.Option("--diff", help="Another program: show where its messages differ.")] = None,
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a call on stdout.")] = False,
) -> None:
    """Show the messages as the adapter sends them, prefilled answer included, and how many tokens each call has.

    Tokens are those of the messages and the prefilled text: for a model in this process whose file is here by its own
    tokenizer and chat template, for all others by LiteLLM without asking anybody, which the output calls an estimate.
    """
    calls = _calls(behaviour, program, lm, row, golden)
    if diff is not None:
        _differences(program, diff, calls, _calls(behaviour, diff, lm, row, golden))
        return
    for call in calls:
        if json_:
            print_json({**call._asdict(), "messages": [{"role": r, "content": t} for r, t in call.messages]})
        else:
            typer.echo("\n".join(map(safe, call.lines())) + "\n")


def _calls(behaviour: str, program: str, lm: str, row: str | None, golden: Path | None) -> list[Sent]:
    from .. import load
    from ..behaviours import find
    from ..errors import InputError
    from ..evaluation.sent import capture_lm, first_calls, sent
    from ..lms.counting import counter_of
    from ._evaluation import golden_rows, model_of

    entry = find(behaviour)
    model = model_of(lm)
    guard = load(behaviour, capture_lm(model), program=program)
    counter = counter_of(lm, model)
    note(f"{program}: {guard.program_id}; tokens {'not counted' if counter is None else f'counted by {counter.by}'}")
    rows = golden_rows(behaviour, golden)
    if row is None:
        return first_calls(entry, guard.program, guard.lm, guard.adapter, list(rows.values()), counter)
    if row not in rows:
        raise InputError(f"--row {row}: no such row in the golden set")
    call = sent(entry, guard.program, guard.lm, guard.adapter, rows[row], counter)
    if call is None:
        note(f"{row}: rules suffice, no LM is asked")
    return [] if call is None else [call]


def _differences(one: str, other: str, before: list[Sent], after: list[Sent]) -> None:
    from difflib import unified_diff

    old, new = ([line for call in calls for line in call.lines()] for calls in (before, after))
    found = list(unified_diff(old, new, one, other, lineterm=""))
    for line in found:
        typer.echo(safe(line))
    if not found:
        note("no difference")
    sizes = [[f"{call.predictor} {call.size}" for call in calls if call.size] for calls in (before, after)]
    if all(sizes):
        note("; ".join(f"{name}: {', '.join(said)}" for name, said in zip((one, other), sizes, strict=True)))
