"""`turnkeeper experiment`: a grid of compiles from a TOML file, and one table at the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._render import command, console, note, print_json, safe

if TYPE_CHECKING:
    from ..compiling.experiment import Cell

_COLUMNS = ("optimizer", "lm", "adapter", "form", "seed")


@command
def experiment(
    file: Annotated[Path, typer.Argument(help="TOML: [grid] optimizer, lm, adapter, form, seed; [limits]; [options].")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for results; FILE without .toml if left out.")
    ] = None,
    track: Annotated[bool, typer.Option("--track/--no-track", help="Log each compile to MLflow.")] = True,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a cell on stdout, no table.")] = False,
) -> None:
    """Compile every cell of a grid. The same command goes on where an earlier one stopped; done cells are kept.

    A cell that finds nothing better than zero-shot is a result like any other.
    """
    from ..compiling.experiment import Results, read_experiment
    from ._compile import resolve

    folder = out or file.with_suffix("")
    if folder == file:
        folder = file.with_name(file.name + ".results")
    grid = read_experiment(file, folder)
    results = Results(folder / "results.jsonl")
    kept = sum(cell.key in results.rows for cell in grid.cells)
    note(f"{len(grid.cells)} cells, {kept} of them done before: {results.path}")
    lms: dict[str, Any] = {}

    def shared(spec: str | None) -> Any:
        if spec is None:
            return None
        if spec not in lms:
            lms[spec] = resolve(spec, None)
        return lms[spec]

    for number, cell in enumerate(grid.cells, start=1):
        if cell.key in results.rows:
            continue
        note(f"cell {number} of {len(grid.cells)}: " + ", ".join(f"{k} {v}" for k, v in cell.axes.items()))
        tags = {"turnkeeper.experiment": file.name, "turnkeeper.cell": f"{number} of {len(grid.cells)}"}
        row = _run(cell, shared(cell.lm), shared(grid.teacher), shared(grid.reflection_lm), tags if track else None)
        if row["stopped"] == "interrupted":
            note("interrupted; the same command goes on with this cell")
            raise typer.Exit(130)
        results.add({"key": cell.key, **cell.axes, **row})
    rows = [results.rows[cell.key] for cell in grid.cells]
    if json_:
        for row in rows:
            print_json(row)
    else:
        _table(rows)


def _run(cell: Cell, lm: Any, teacher: Any, reflection_lm: Any, tags: dict[str, str] | None) -> dict[str, Any]:
    from ._compile import run_compile
    from ._compile_report import as_row

    outcome = run_compile(
        cell.options, lm, teacher=teacher, reflection_lm=reflection_lm, track=tags is not None, tags=tags
    )
    row = as_row(outcome)
    return {name: value for name, value in row.items() if name not in ("form", "adapter")} | {
        "best_form": row["form"],
        "best_adapter": row["adapter"],
    }


def _table(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table()
    for name in (*_COLUMNS, "dev", "zero-shot", "over zero-shot [95 %]", "", "test", "calls", "tokens", "s"):
        table.add_column(name)
    for row in rows:
        gain = row["improvement"]
        interval = f"{gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]" if gain else ""
        numbers = (_number(row["dev"]), _number(row["zero_shot"]), interval, gain["verdict"] if gain else "not better")
        costs = (_number(row["test"]), str(row["calls"]), str(row["tokens"]), f"{row['seconds']:.0f}")
        table.add_row(*(safe(row[name]) for name in _COLUMNS), *numbers, *costs)
    screen = console()
    if not screen.is_terminal:  # a file or a pipe wraps nothing
        screen.width = 300
    screen.print(table)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
