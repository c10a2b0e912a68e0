"""`turnkeeper models`: the embedded models, where they are, and fetching them."""

from __future__ import annotations

from typing import Annotated

import typer

from ._render import command, note, print_json, safe

models = typer.Typer(help="List and fetch the embedded models.", no_args_is_help=True, rich_markup_mode=None)


@models.command("list")
@command
def list_models(
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a model.")] = False,
) -> None:
    """List the embedded models and where their weights are. Exit code 2 when a file is not what it should be."""
    from ..errors import TurnkeeperError
    from ..lms.catalogue import DEFAULT_MODEL, MODELS
    from ..lms.weights import locate

    problems = 0
    for name, entry in MODELS.items():
        path, problem = None, None
        try:
            path = locate(name)
        except (TurnkeeperError, OSError) as error:  # of this model; the others are listed all the same
            problem = str(error)
            problems += 1
        row = {
            "name": name,
            "default": name == DEFAULT_MODEL,
            "bytes": entry.size,
            "licence": entry.licence,
            "purpose": entry.purpose,
            "path": None if path is None else str(path),
            "problem": problem,
        }
        if json_:
            print_json(row)
        else:
            where = problem or ("not here" if path is None else str(path))
            mark = "*" if row["default"] else " "
            typer.echo(
                safe(f"{mark} {name:<20} {entry.size / 1e6:>6.0f} MB  {entry.licence:<11} {entry.purpose}: {where}")
            )
    if problems:
        raise typer.Exit(2)


@models.command("pull")
@command
def pull_model(name: Annotated[str | None, typer.Argument(help="The default model when left out.")] = None) -> None:
    """Fetch the weights of a model and verify their digest; goes on where an earlier pull stopped."""
    from ..lms.catalogue import DEFAULT_MODEL
    from ..lms.weights import pull
    from ._progress import Progress

    wanted = name or DEFAULT_MODEL
    with Progress(wanted, None, unit="MB") as progress:
        path = pull(wanted, progress=progress.update)
    note(f"{wanted}: verified")
    typer.echo(safe(path))
