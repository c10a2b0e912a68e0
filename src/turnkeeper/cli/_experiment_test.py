"""The test split of one cell: bare and guarded, kept as two files that `turnkeeper compare` reads."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..compiling.budget import Budget
    from ..compiling.experiment import Cell
    from ..compiling.journal import JsonlJournal
    from ..compiling.outcome import Outcome
    from ..evaluation import Evaluation, Scored
    from ..modules._guard import Guard


class Tested(NamedTuple):
    """What the test split gave.

    Attributes:
        figures: `bare` and `guarded`; None where no program was there, or not every row was answered.
        untested: Why there are no figures although there was a program.
    """

    figures: dict[str, dict[str, Any]] | None = None
    untested: str | None = None

    def as_fields(self) -> dict[str, Any]:
        """Return the fields that reports and tables read."""
        if self.figures is None:
            return {} if self.untested is None else {"untested": self.untested}
        bare = self.figures["bare"]
        interval = {name: bare.get(name) for name in ("mean", "low", "high", "rows", "families")}
        told = {"test": bare["mean"], "test_rows": bare["rows"], "test_interval": interval, "untested": None}
        return {**told, **self.figures}


def test_cell(cell: Cell, outcome: Outcome, lm: Any, journal: JsonlJournal | None, *, bar: bool) -> Tested:
    """Answer the test split by the cell's program, bare and guarded, within the limits that its compile has left.

    Args:
        cell: The cell.
        outcome: What its compile came to.
        lm: The LM it was compiled for.
        journal: An open one that several cells share; the cell's own by default.
        bar: Whether progress is shown.
    """
    from ..behaviours import find
    from ..compiling.journal import JsonlJournal
    from ..compiling.tested import figures, on_test
    from ..evaluation.keys import code_digest
    from ._progress import Progress

    guard = _program(cell, outcome, lm)
    if guard is None:
        return Tested()
    behaviour = find(cell.options.behaviour)
    rows = behaviour.load("test", cell.options.golden)
    with ExitStack() as stack:
        if journal is None:
            assert cell.options.journal is not None  # a cell names its own
            journal = stack.enter_context(JsonlJournal(cell.options.journal))
        progress = Progress(f"test {behaviour.name}, bare and guarded", 2 * len(rows))
        if bar:
            stack.enter_context(progress)
        before = 0

        def told(scored: Scored, done: int, total: int) -> None:
            nonlocal before
            if bar:
                progress.update(before + done)
            before += total * (done == total)

        bare, guarded = on_test(
            guard, rows, behaviour, journal, told, budget=outcome.budget, threads=cell.options.threads
        )
    if not (bare.complete and guarded.complete):
        outcome.budget.fail(*bare.failures(), *guarded.failures())
        return Tested(untested=_cut_short(len(rows), bare, guarded, outcome.budget))
    about = {
        "behaviour": behaviour.name, "split": "test", "program": guard.program_id, "code": code_digest()[:12],
        **cell.axes,
    }  # fmt: skip
    _keep(cell, bare, {**about, "bare": True})
    _keep(cell, guarded, {**about, "bare": False})
    under_guard = {"fallback_rate": round(guarded.fallback_rate, 4), **figures(guarded.rows)}
    under_guard.pop("seconds")  # most of its answers came from memory
    return Tested({"bare": figures(bare.rows), "guarded": under_guard})


def _cut_short(rows: int, bare: Evaluation, guarded: Evaluation, budget: Budget) -> str:
    which, done = ("guarded", guarded) if bare.complete else ("bare", bare)
    return f"stopped after {len(done.rows)} of {rows} test rows, {which} ({budget.stopped})"


def _program(cell: Cell, outcome: Outcome, lm: Any) -> Guard[Any, Any] | None:
    from ..loading import ZERO_SHOT, load

    name, zero = cell.options.behaviour, outcome.search.zero_shot
    if outcome.artifact is not None:
        return load(name, lm, program=outcome.artifact.path)
    if cell.options.optimizer == ZERO_SHOT and zero is not None:
        return load(name, lm, program=ZERO_SHOT, form=zero.task.form, adapter=zero.task.adapter_name)
    return None


def _keep(cell: Cell, done: Evaluation, about: dict[str, Any]) -> None:
    """Write scored rows beside the results: `test/<cell>-bare.jsonl` and `-guarded.jsonl`."""
    from ._evaluation import write_about
    from ._files import atomic_lines

    folder = cell.options.out.parent.parent / "test"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{about['behaviour']}-{cell.options.out.name}-{'bare' if about['bare'] else 'guarded'}.jsonl"
    with atomic_lines(path) as write:
        for row in done.rows:
            write(row.model_dump(mode="json"))
    write_about(path, about)
