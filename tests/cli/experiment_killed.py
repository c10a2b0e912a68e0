"""Run by `test_experiment_killed.py` in a process of its own: experiments that die at the n-th call, and run again.

usage: python experiment_killed.py GOLDEN FOLDER POINT...
Prints one JSON line a run: cells done before it, compiles begun, calls, and the rows of the results file after it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from turnkeeper.cli import _compile, app

_spec = importlib.util.spec_from_file_location("reading", Path(__file__).parents[1] / "compiling" / "reading.py")
assert _spec is not None and _spec.loader is not None
reading: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reading)


def rows(folder: Path) -> list[dict[str, Any]]:
    path = folder / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(golden: Path, folder: Path, die_at: int | None = None) -> dict[str, Any]:
    """Run the command into a folder; with `die_at`, be killed before that call is answered."""
    grid = folder.with_suffix(".yaml")
    grid.write_text(f"golden: {golden}\ntest: false\ngrid: {{optimizer: [labeled, bootstrap], seed: [0, 1]}}\n")
    lm, begun, before = reading.reading_lm(reading.all_rows(golden), share=80), [], len(rows(folder))
    if die_at is not None:
        lm.engine.before = lambda number: os.kill(os.getpid(), signal.SIGKILL) if number == die_at else None
    real = _compile.run_compile
    _compile.run_compile = lambda options, *a, **o: (begun.append(options.seed), real(options, *a, **o))[1]
    _compile.resolve = lambda spec, api_base: lm
    try:
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            app(["experiment", str(grid), "--out", str(folder), "--no-track", "--json"])
    finally:
        _compile.run_compile = real
    return {"before": before, "begun": len(begun), "calls": lm.engine.calls, "rows": rows(folder)}


def main() -> None:
    golden, folder, points = Path(sys.argv[1]), Path(sys.argv[2]), [int(point) for point in sys.argv[3:]]
    print(json.dumps(run(golden, folder / "whole")), flush=True)
    for point in points:
        child = os.fork()
        if child == 0:
            run(golden, folder / str(point), point)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, **run(golden, folder / str(point))}), flush=True)


if __name__ == "__main__":
    main()
