"""`turnkeeper replay`: recorded turns under another program, before it is released."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import AdapterOption, ApiBaseOption, FormOption, LmOption
from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..harvest.replay import Difference, Replayed, Told

_MOST_SHOWN = 40


@command
def replay(
    events: Annotated[Path, typer.Argument(help="Events as turnkeeper emits them, one JSON object a line.")],
    program: Annotated[
        list[str],
        typer.Option("--program", help="auto, zero-shot or PATH; twice: A, then B. Once: against what was recorded."),
    ],
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    behaviour: Annotated[str | None, typer.Option("--behaviour", help="Where the file holds turns of several.")] = None,
    form: FormOption = None,
    adapter: AdapterOption = None,
    last: Annotated[int | None, typer.Option("--last", min=1, help="The newest so many turns only.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="JSONL: every turn under both programs.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="The counts as one JSON object on stdout.")] = False,
) -> None:
    """Ask recorded turns again and show what would change: fields, checks that no longer pass, answers.

    Exit code 1 when a turn that passed its checks no longer does, or one could not be asked.
    """
    from ..errors import InputError
    from ..harvest import read_events
    from ..harvest.replay import replay as run
    from ..harvest.replay import rows_of
    from ._behaviours import find
    from ._evaluation import loaded
    from ._files import refuse_same
    from ._progress import Progress

    if len(program) > 2:
        raise InputError("--program: at most two, the one that is released and the one that may be")
    if out is not None:
        refuse_same(events, out)
    name, turns, _ = read_events(events, behaviour)
    turns = turns[-last:] if last else turns
    rows = rows_of(turns, str(events))
    ask = find(name).ask
    guards = [loaded(name, lm=lm, program=one, api_base=api_base, form=form, adapter=adapter) for one in program]
    asks = [_asking(ask, guard) for guard in guards]
    with Progress(f"replay {name}", len(rows)) as progress:
        done = run(
            rows, asks[-1], behaviour=name, before=asks[0] if len(asks) == 2 else None, recorded=turns,
            on_turn=progress.update,
        )  # fmt: skip
    if out is not None:
        _write(out, done)
    if json_:
        print_json(done.as_json())
    else:
        _show(done)
    if done.worse or len(done.compared) < len(done.turns):
        raise typer.Exit(1)


def _asking(ask: Any, guard: Any) -> Any:
    return lambda row: ask(guard, row)


def _write(path: Path, done: Difference) -> None:
    from ._files import atomic_lines

    with atomic_lines(path) as write:
        for turn in done.turns:
            write({
                "id": turn.id, "line": turn.line, "asked": turn.asked, "changed": list(turn.changed),
                "before": {**turn.before._asdict(), "fields": dict(turn.before.fields)},
                "after": {**turn.after._asdict(), "fields": dict(turn.after.fields)},
            })  # fmt: skip


def _show(done: Difference) -> None:
    from ._evaluation import table

    found, compared = done.as_json(), len(done.compared)
    typer.echo(f"{done.behaviour}: {len(done.changed)} of {compared} turns would be answered otherwise")
    if found["errors"]:
        note(f"{found['errors']} turns could not be asked and are in no count")
    before, after = found["fallbacks"]["before"], found["fallbacks"]["after"]
    table(typer.echo, ["", "turns"], [[name, count] for name, count in found["fields"].items()])
    typer.echo(f"fallbacks: {before} -> {after}")
    typer.echo(f"checks: {len(done.worse)} passed and no longer do, {len(done.better)} did not and do now")
    flips = [("no longer passes", turn) for turn in done.worse] + [("passes now", turn) for turn in done.better]
    shown = {turn.id for _, turn in flips}
    flips += [("otherwise", turn) for turn in done.changed if turn.id not in shown]
    for said, turn in flips[:_MOST_SHOWN]:
        _turn(done.behaviour, said, turn)
    if len(flips) > _MOST_SHOWN:
        note(f"{len(flips) - _MOST_SHOWN} more; --out writes all of them")


def _turn(behaviour: str, said: str, turn: Replayed) -> None:
    typer.echo(safe(f"  {said}: {turn.id}: {turn.asked}"))
    typer.echo(safe(f"    - {_text(behaviour, turn.before)}"))
    typer.echo(safe(f"    + {_text(behaviour, turn.after)}"))


def _text(behaviour: str, told: Told) -> str:
    from ..behaviours import find

    marks = [*told.codes, *(["fallback"] if told.fallback else [])]
    return find(behaviour).said(told.fields) + (f"  ({', '.join(marks)})" if marks else "")
