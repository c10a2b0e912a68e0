"""`turnkeeper experiment`: a grid of compiles from a YAML or TOML file, and one table at the end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._render import command, note, print_json

if TYPE_CHECKING:
    from ..compiling.budget import Budget
    from ..compiling.experiment import Cell, Experiment
    from ..compiling.journal import JsonlJournal
    from ..compiling.outcome import Outcome
    from ..compiling.results import Results

_AT_A_TIME = 4
"""Cells that ask a remote LM at a time, unless the user says otherwise."""


@command
def experiment(
    file: Annotated[Path, typer.Argument(help="YAML or TOML: grid (lists), limits, options.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for results; FILE without its ending if left out.")
    ] = None,
    parallel: Annotated[
        int | None, typer.Option("--parallel", min=1, max=64, help="Cells of a remote LM at a time; 4.")
    ] = None,
    track: Annotated[bool, typer.Option("--track/--no-track", help="Log each compile to MLflow.")] = True,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a cell on stdout, no table.")] = False,
) -> None:
    """Compile every cell of a grid. The same command goes on where an earlier one stopped; done cells are kept.

    Cells of the embedded model run one after the other, those of a remote LM several at a time. All are runs of one
    MLflow experiment, `turnkeeper/FILE`. A cell that finds nothing better than zero-shot is a result like any other;
    one for which the LM failed to answer a row, in the search or on the test split, is shown and not kept, with exit
    code 1. A cell that reaches a limit in its test split is kept without figures of it.
    """
    from ..compiling.experiment import read_experiment
    from ..compiling.results import Results

    folder = out or file.with_suffix("")
    if folder == file:
        folder = file.with_name(file.name + ".results")
    grid = read_experiment(file, folder)
    results = Results(folder / "results.jsonl")
    kept = sum(cell.key in results.rows for cell in grid.cells)
    note(f"{len(grid.cells)} cells, {kept} of them done before: {results.path}")
    run = _Run(file, grid, results, track)
    left = [(n, cell) for n, cell in enumerate(grid.cells, start=1) if cell.key not in results.rows]
    at_a_time = parallel or _AT_A_TIME
    try:
        run.one_by_one([each for each in left if not each[1].remote or at_a_time == 1])
        run.several([each for each in left if each[1].remote and at_a_time > 1], at_a_time)
    except KeyboardInterrupt:
        note("interrupted; the same command goes on with this cell")
        raise typer.Exit(130) from None
    rows = [results.rows[cell.key] for cell in grid.cells]
    if json_:
        for row in rows:
            print_json(row)
    else:
        from ._experiment_table import show

        show(rows)
    if run.failed:
        raise typer.Exit(1)


class _Run:
    """The cells that are not done yet: what they share."""

    def __init__(self, file: Path, grid: Experiment, results: Results, track: bool) -> None:
        self.file, self.grid, self.results, self.track = file, grid, results, track
        self._lms: dict[str, Any] = {}
        self._budgets: list[Budget] = []
        self._stopping = False
        self.failed = False

    def one_by_one(self, cells: list[tuple[int, Cell]]) -> None:
        """Run cells in order, each with its bar. Raises KeyboardInterrupt; what is done is kept."""
        for number, cell in cells:
            self._announce(number, cell)
            self._keep(cell, self._compile(number, cell))

    def several(self, cells: list[tuple[int, Cell]], at_a_time: int) -> None:
        """Run cells in threads over one journal; a row that two of them need is mostly asked once."""
        from ..compiling.journal import JsonlJournal

        if not cells:
            return
        for _, cell in cells:  # in this thread: weights and servers are asked for once
            self._shared(cell)
        path = cells[0][1].options.journal
        assert path is not None
        pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="turnkeeper-experiment")
        with JsonlJournal(path) as journal:
            waiting: dict[Future[dict[str, Any]], Cell] = {}
            try:
                for number, cell in cells:
                    while len(waiting) >= at_a_time:
                        self._collect(waiting)
                    self._announce(number, cell)
                    waiting[pool.submit(self._compile, number, cell, journal, self._counted)] = cell
                while waiting:
                    self._collect(waiting)
            except BaseException:
                self._stopping = True
                for budget in self._budgets:
                    budget.halt("interrupted")
                raise
            finally:  # the journal is theirs until they have stopped
                pool.shutdown(wait=True, cancel_futures=True)
                self._rescue(waiting)

    def _rescue(self, waiting: dict[Future[dict[str, Any]], Cell]) -> None:
        """Keep the cells that came to their end while the others were being stopped."""
        for future, cell in waiting.items():
            if not future.cancelled() and future.exception() is None and future.result()["stopped"] != "interrupted":
                self._keep(cell, future.result())

    def _counted(self, budget: Budget) -> None:
        self._budgets.append(budget)
        if self._stopping:  # begun a moment too late to be told
            budget.halt("interrupted")

    def _collect(self, waiting: dict[Future[dict[str, Any]], Cell]) -> None:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            cell = waiting.pop(future)
            self._keep(cell, future.result())
            note("done: " + _said(cell))

    def _keep(self, cell: Cell, row: dict[str, Any]) -> None:
        if row["stopped"] == "interrupted":
            raise KeyboardInterrupt
        made = {"key": cell.key, **cell.axes, **row}
        failed = row["failed"] + sum(row[name]["errors"] for name in ("bare", "guarded") if name in row)
        if failed:  # shown now, and asked again by the same command
            note(f"the LM failed {failed} times: the cell is not kept, the same command goes on with it")
            self.results.rows[cell.key] = made
            self.failed = True
        else:
            self.results.add(made)

    def _announce(self, number: int, cell: Cell) -> None:
        note(f"cell {number} of {len(self.grid.cells)}: {_said(cell)}")

    def _shared(self, cell: Cell) -> list[Any]:
        from ._compile import resolve

        specs = (cell.lm, self.grid.teacher, self.grid.reflection_lm)
        for spec in specs:
            if spec is not None and spec not in self._lms:
                self._lms[spec] = resolve(spec, None)
        return [None if spec is None else self._lms[spec] for spec in specs]

    def _compile(
        self,
        number: int,
        cell: Cell,
        journal: JsonlJournal | None = None,
        quiet: Callable[[Budget], None] | None = None,
    ) -> dict[str, Any]:
        from ._compile import run_compile
        from ._compile_report import as_row
        from ._experiment_test import Tested, test_cell

        lm, teacher, reflection_lm = self._shared(cell)
        tested = Tested()

        def after(outcome: Outcome) -> dict[str, float]:
            nonlocal tested
            tested = test_cell(cell, outcome, lm, journal, bar=quiet is None)
            if tested.untested is not None:
                note(f"no test figures: {tested.untested}")
            return {
                f"test_{name}/{key}": v
                for name, found in (tested.figures or {}).items()
                for key, v in found.items()
                if v is not None
            }

        tags = {"turnkeeper.experiment": self.file.name, "turnkeeper.cell": f"{number} of {len(self.grid.cells)}"}
        outcome = run_compile(
            cell.options, lm, teacher=teacher, reflection_lm=reflection_lm, track=self.track, tags=tags,
            experiment=f"turnkeeper/{self.file.stem}", journal=journal, quiet=quiet,
            after=after if self.grid.guarded else None,
        )  # fmt: skip
        row = as_row(outcome)
        best = {"best_form": row.pop("form"), "best_adapter": row.pop("adapter")}
        return {**row, **best, **_intervals(outcome.metrics), **tested.as_fields()}


def _intervals(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return each mean with its interval by family, for reports."""
    names = ("mean", "low", "high", "rows", "families")
    return {
        f"{name}_interval": {field: metrics[name].get(field) for field in names}
        for name in ("dev", "zero_shot", "test")
        if name in metrics
    }


def _said(cell: Cell) -> str:
    return ", ".join(f"{name} {value}" for name, value in cell.axes.items() if value is not None)
