"""`turnkeeper review`: what conversations handed to a person, one item in full, and what the person decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._render import command, note, print_json, safe
from ._sessions import IdArgument, StoreOption, TenantOption, opened

if TYPE_CHECKING:
    from ..sessions import ReviewItem, SessionExport

review = typer.Typer(
    help="List, show and resolve what waits for a person.", no_args_is_help=True, rich_markup_mode=None
)
ItemArgument = Annotated[str, typer.Argument(metavar="ITEM", help="The review id, as `review list` shows it.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on stdout.")]


@review.command("list")
@command
def list_reviews(
    session: Annotated[str | None, typer.Option("--session", help="Of this session alone.")] = None,
    store: StoreOption = None,
    tenant: TenantOption = "default",
    all_: Annotated[bool, typer.Option("--all", help="With --session: resolved items too.")] = False,
    fail: Annotated[bool, typer.Option("--fail", help="Exit code 1 when an item waits.")] = False,
    json_: JsonOption = False,
) -> None:
    """List the open items of all sessions, the oldest first in each."""
    if all_ and session is None:
        raise typer.BadParameter("--all needs --session")
    with opened(store) as kept:
        if session is None:
            found = [(one.session_id, one.version, one.item) for one in kept.reviews(tenant)]
        else:
            export = kept.export(session, tenant)
            items = _ever(export) if all_ else [i for i in export.state.reviews if i.status == "open"]
            found = [(session, export.state.version, item) for item in items]
    for session_id, version, item in found:
        if json_:
            print_json(_row(session_id, version, item))
        else:
            state = "" if item.status == "open" else f" [{item.status}: {item.resolution}]"
            typer.echo(safe(f"{session_id} {item.review_id} turn {item.turn} {item.reason}: {item.text}{state}"))
    waiting = sum(item.status == "open" for _, _, item in found)
    note(f"{waiting} review items wait for a person")
    if fail and waiting:
        raise typer.Exit(1)


@review.command("show")
@command
def show_review(
    session: IdArgument,
    item: ItemArgument,
    store: StoreOption = None,
    tenant: TenantOption = "default",
    json_: JsonOption = False,
) -> None:
    """Show an item, resolved or not, with the turn that raised it. Exit code 2 when there is no such item."""
    from ..errors import InputError

    with opened(store) as kept:
        export = kept.export(session, tenant)
    found = next((one for one in _ever(export) if one.review_id == item), None)
    if found is None:
        raise InputError(f"session {session}: there is no review item {item[:80]!r}")
    record = next((line.record for line in export.log if line.record and line.record.turn == found.turn), None)
    if json_:
        turn = record.model_dump(mode="json") if record else None
        print_json({**_row(session, export.state.version, found), "raised_by": turn})
        return
    lines = [("item", f"{found.review_id}, {found.status}"), ("reason", found.reason), ("text", found.text)]
    lines += [("turn", str(found.turn))]
    if record:
        lines += [("user", record.query), ("searched", record.standalone_query), ("answer", record.answer)]
        lines += [("warning", f"{notice.code}: {notice.message}") for notice in record.warnings]
    lines += [("resolution", found.resolution)] if found.resolution else []
    for label, text in lines:
        typer.echo(safe(f"{label:<10} {text}"))


@review.command("resolve")
@command
def resolve_review(
    session: IdArgument,
    item: ItemArgument,
    resolution: Annotated[str, typer.Option("--resolution", help="What was decided, in words.")],
    store: StoreOption = None,
    tenant: TenantOption = "default",
    at: Annotated[
        int | None, typer.Option("--at", help="Only if the session still has this version, as `review list` shows it.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Resolve an item; the next turn of the session sees what was decided. Exit code 2 when it cannot be."""
    with opened(store) as kept:
        state = kept.resolve_review(session, item, resolution, tenant, expected_version=at)
    if json_:
        print_json(_row(session, state.version, next(one for one in state.reviews if one.review_id == item)))
    note(f"session {session}: {item} resolved, version {state.version}")


def _ever(export: SessionExport) -> list[ReviewItem]:
    """Return every item that a session raised, as it stands now, in the order they were raised."""
    found = {one.review_id: one for line in export.log for one in line.reviews}
    open_ = {one.review_id for one in export.state.reviews}
    gone = {  # resolved by the turn itself, which leaves no text of a decision
        name: one.model_copy(update={"status": "resolved"})
        for name, one in found.items()
        if one.status == "open" and name not in open_
    }
    return list({**found, **gone}.values())


def _row(session_id: str, version: int, item: ReviewItem) -> dict[str, Any]:
    return {"session": session_id, "version": version, **item.model_dump(mode="json")}
