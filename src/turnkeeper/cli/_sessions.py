"""`turnkeeper sessions`: what is stored of a session, where its citations drifted, all of it as JSON, and its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..sessions import SessionExport, SessionStore
    from ..sessions.drift import Drift

sessions = typer.Typer(help="Show, export and delete stored sessions.", no_args_is_help=True, rich_markup_mode=None)
IdArgument = Annotated[str, typer.Argument(metavar="SESSION", help="The id that the application gave.")]
StoreOption = Annotated[
    "str | None",
    typer.Option("--store", help="A file, sqlite:///FILE or postgresql://...; TURNKEEPER_SESSIONS, turnkeeper.db."),
]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose session it is.")]


@sessions.command("show")
@command
def show_session(
    session: IdArgument,
    store: StoreOption = None,
    tenant: TenantOption = "default",
    drift: Annotated[
        bool, typer.Option("--drift", help="Name each turn where format or ids diverged; exit code 1 if any did.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a turn, or with --drift a departure.")] = False,
) -> None:
    """Show the turns, sources and open questions of a session, its digests verified from the first turn on."""
    with opened(store) as kept:
        found = kept.export(session, tenant)
    if not drift:
        _show(found, json_)
        return
    from ..sessions.drift import drift as departures

    there = departures(found)
    for one in there:
        print_json(one._asdict()) if json_ else typer.echo(safe(f"turn {one.turn}: {one.code}: {one.what}"))
    note(_verdict(found, there))
    if there:
        raise typer.Exit(1)


@sessions.command("export")
@command
def export_session(
    session: IdArgument,
    store: StoreOption = None,
    tenant: TenantOption = "default",
    out: Annotated[Path | None, typer.Option("--out", help="A JSON file; standard output when left out.")] = None,
) -> None:
    """Write all that is stored of a session as one JSON object."""
    with opened(store) as kept:
        found = kept.export(session, tenant).model_dump(mode="json")
    if out is None:
        print_json(found)
        return
    from ._files import atomic_lines

    with atomic_lines(out) as write:
        write(found)
    note(f"{out}: {len(found['log'])} revisions of session {session}")


@sessions.command("delete")
@command
def delete_session(
    session: IdArgument,
    store: StoreOption = None,
    tenant: TenantOption = "default",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a session and all its texts. There is no way back."""
    with opened(store) as kept:
        if not yes:
            typer.confirm(safe(f"Delete session {session} and all its texts?"), abort=True, err=True)
        kept.delete(session, tenant)
    note(f"session {session}: deleted")


def opened(store: str | None) -> SessionStore:
    """Open the store that a command names, or that the settings do; it must be there."""
    from .. import settings
    from ..sessions import open_store

    return open_store(store or settings.sessions_store(), create=False)


def _show(found: SessionExport, json_: bool) -> None:
    state = found.state
    for line in found.log:
        if json_:
            print_json(line.model_dump(mode="json"))
        elif line.record:
            typer.echo(safe(f"{line.turn:>4} {line.record.status:<10} {line.record.query}"))
            typer.echo(safe(f"     cites {', '.join(line.record.cited) or 'nothing'}"))
        else:
            names = (*line.withdrawn, *(one.review_id for one in line.reviews))
            typer.echo(safe(f"   - {line.kind}: {', '.join(names)}"))
    origin = f", branched from {state.parent} after turn {state.parent_turn}" if state.parent else ""
    note(f"session {state.session_id}: {state.turn} turns, version {state.version}{origin}; digests verified")
    note(
        f"{len(state.registry.entries)} sources ({state.registry.convention or 'no convention yet'}), "
        f"{len(state.ledger)} open questions, {len(state.reviews)} review items"
    )
    for question in state.ledger:
        note(f"open since turn {question.first_asked_turn}: {question.question}")


def _verdict(found: SessionExport, there: list[Drift]) -> str:
    turns = sorted({one.turn for one in there})
    if not turns:
        return f"session {found.state.session_id}: {found.state.turn} turns, no drift"
    where = f"in {len(turns)} of {found.state.turn} turns, first in turn {turns[0]}"
    return f"session {found.state.session_id}: drift {where}"
