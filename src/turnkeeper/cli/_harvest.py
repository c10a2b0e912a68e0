"""`turnkeeper harvest`: recorded turns as draft golden rows, each accepted, edited or turned down by a person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._render import command, note, print_json

if TYPE_CHECKING:
    from ..harvest import Draft, Keeper

_CHOICES = ("yes", "edit", "no")


@command
def harvest(
    events: Annotated[Path, typer.Argument(help="Events as turnkeeper emits them, one JSON object a line.")],
    golden: Annotated[Path, typer.Option("--golden", help="Your folder of train.jsonl and dev.jsonl; rows go there.")],
    split: Annotated[str, typer.Option("--split", help="train or dev; never test.")] = "train",
    behaviour: Annotated[str | None, typer.Option("--behaviour", help="Where the file holds turns of several.")] = None,
    domain: Annotated[str, typer.Option("--domain", help="What the rows are about.")] = "production",
    redactor: Annotated[
        str | None, typer.Option("--redactor", help="MODULE:FUNCTION of a text; secrets are masked before it.")
    ] = None,
    drafts: Annotated[Path | None, typer.Option("--drafts", help="Write the drafts there, and ask nothing.")] = None,
    accept: Annotated[
        Path | None, typer.Option("--accept", help="Decisions: rows of id, decision (yes, edit, no) and row.")
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who decides; kept with each decision.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="What was done as one JSON object on stdout.")] = False,
) -> None:
    """Turn recorded turns into draft golden rows, and write those that a person says yes to, as they are or edited.

    Nothing is written unseen: the command asks at a terminal, or takes decisions from a file. Each decision is kept
    when it is made, so the same command goes on where it was left. Exit code 1 when a decision could not be carried
    out.
    """
    from ..errors import InputError
    from ..harvest import Keeper, drafts_of, load_redactor, read_events

    if drafts is not None and accept is not None:
        raise InputError("--drafts asks nothing and --accept answers: give one of them")
    found, turns, skipped = read_events(events, behaviour)
    sees = load_redactor(redactor) if redactor else None
    with Keeper(found, golden, split) as keeper:
        asked, passed = keeper.open(drafts_of(turns, domain=domain, redactor=sees, place=str(events)))
        for reason, count in skipped.reasons.items():
            note(f"{count} lines {reason}")
        for draft, reason in passed:
            note(f"{events}:{draft.line}: {draft.id}: {reason}")
        done: dict[str, Any] = {"behaviour": found, "drafts": len(asked), "passed_over": len(passed)}
        refused = 0
        if drafts is not None:
            _write(drafts, events, asked, keeper)
            note(f"{drafts}: {len(asked)} drafts of {found}")
        elif accept is not None:
            counts, refused = _carry_out(accept, asked, passed, keeper, by)
            done |= counts
            note(", ".join(f"{count} {choice}" for choice, count in counts.items()))
        else:
            done |= _asking(asked, keeper, by)
        if json_:
            print_json(done)
    if refused:
        raise typer.Exit(1)


def _write(target: Path, events: Path, asked: list[Draft], keeper: Keeper) -> None:
    from ._files import atomic_lines, refuse_same

    refuse_same(events, target)
    with atomic_lines(target) as write:
        for draft in asked:
            about = {"line": draft.line, "violations": list(draft.said), "problem": keeper.problem(draft.row)}
            write({"id": draft.id, "decision": None, **about, "row": draft.row})


def _carry_out(
    path: Path, asked: list[Draft], passed: list[tuple[Draft, str]], keeper: Keeper, by: str
) -> tuple[dict[str, int], int]:
    """Carry out the decisions of a file, all checked before the first; what is refused is named and left undone."""
    from ..harvest import Decision

    known = {draft.id: draft for draft in asked}
    over = {draft.id for draft, _ in passed}
    counts = dict.fromkeys((*_CHOICES, "open", "refused"), 0)
    for line, entry in _decisions(path, known, over):
        draft = known.get(entry["id"])
        if draft is None:  # decided before, or a row by now
            continue
        if entry["decision"] is None:
            counts["open"] += 1
            continue
        edited = entry.get("row") if entry["decision"] == "edit" else None
        problem = keeper.decide(draft, Decision(entry["decision"], edited, str(entry.get("by") or by)))
        counts["refused" if problem else entry["decision"]] += 1
        if problem:
            note(f"{path}:{line}: {draft.id}: {problem}")
    return counts, counts["refused"]


def _decisions(path: Path, known: dict[str, Draft], over: set[str]) -> list[tuple[int, dict[str, Any]]]:
    from ..data._jsonl import JsonError, lines, parse_object
    from ..errors import RowError

    found: list[tuple[int, dict[str, Any]]] = []
    with path.open("rb") as file:
        for number, text in lines(file):
            try:
                entry = parse_object(text)
            except JsonError as error:
                raise RowError(str(error), file=str(path), line=number) from None
            name = entry.get("id")
            if not isinstance(name, str) or (name not in known and name not in over):
                raise RowError("is no draft of these events", file=str(path), line=number, field="id")
            choice = entry.setdefault("decision", None)
            if choice is not None and choice not in _CHOICES:
                raise RowError(f"{choice!r}; yes, edit or no", file=str(path), line=number, field="decision")
            if choice == "edit" and not isinstance(entry.get("row"), dict):
                raise RowError("an edit needs the edited row", file=str(path), line=number, field="row")
            found.append((number, entry))
    return found


def _asking(asked: list[Draft], keeper: Keeper, by: str) -> dict[str, int]:
    from ..errors import InputError
    from ._harvest_asking import ask_all

    if asked and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError("a person decides on drafts: run it at a terminal, or write --drafts and give --accept")
    return ask_all(asked, keeper, by)
