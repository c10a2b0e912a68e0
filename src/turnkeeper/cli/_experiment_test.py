"""The test split of one cell: bare and guarded, kept as two files that `turnkeeper compare` reads."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..compiling.experiment import Cell
    from ..compiling.journal import JsonlJournal
    from ..compiling.outcome import Outcome
    from ..evaluation import Evaluation, Scored
    from ..modules._guard import Guard


def test_cell(cell: Cell, outcome: Outcome, lm: Any, journal: JsonlJournal | None, *, bar: bool) -> dict[str, Any]:
    """Answer the test split by the cell's program, bare and guarded; nothing where no program came of it.

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
    from ._progress import Progress

    guard = _program(cell, outcome, lm)
    if guard is None:
        return {}
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

        bare, guarded = on_test(guard, rows, behaviour, journal, told)
    about = {"behaviour": behaviour.name, "split": "test", "program": guard.program_id, **cell.axes}
    _keep(cell, bare, {**about, "bare": True})
    _keep(cell, guarded, {**about, "bare": False})
    under_guard = {"fallback_rate": round(guarded.fallback_rate, 4), **figures(guarded.rows)}
    under_guard.pop("seconds")  # most of its answers came from memory
    return {"bare": figures(bare.rows), "guarded": under_guard}


def as_fields(tested: dict[str, Any]) -> dict[str, Any]:
    """Return what the test split gave in the fields that reports and tables read."""
    if not tested:
        return {}
    bare = tested["bare"]
    interval = {name: bare.get(name) for name in ("mean", "low", "high", "rows", "families")}
    return {"test": bare["mean"], "test_rows": bare["rows"], "test_interval": interval, "untested": None, **tested}


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
