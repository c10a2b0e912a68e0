"""How sure a small model must be to close an open question: precision and recall over shifts of its odds.

usage: python benchmarks/missing_odds.py [--shift 0 --shift 12 ...] [--split train] [--rows N] [--lm SPEC]
           [--program FILE] [--json]

For each shift the bare program answers the rows of a split, its own demos left out. The shift is what carry_forward
adds to the log odds of "MISSING:" where no passage has a content word of an open question (`_PENDING_BIAS`); with 0 the
model decides by itself. Decisions are pooled over rows, as by `decisions.py`. Shifts are chosen on train rows; dev says
whether the choice holds; the test split is no place for it. Takes an LM that tells probabilities: the embedded one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from decisions import resolutions

from turnkeeper import load
from turnkeeper.behaviours import find
from turnkeeper.errors import TurnkeeperError
from turnkeeper.evaluation import evaluate
from turnkeeper.modules import _carry_forward_prompt as prompt
from turnkeeper.optimized import find_artifacts, read_artifact, shipped_dir

SHIFTS = (0.0, 4.0, 8.0, 12.0, 16.0)


def taught(program: Path) -> set[str]:
    """Return the rows that a program shows as demos."""
    parameters = read_artifact(program).manifest.optimizer.parameters
    return {row for rows in parameters.get("demos", {}).values() for row in rows}


def measured(guard: Any, rows: list[Any], shift: float) -> dict[str, Any]:
    """Return the pooled decisions and the mean score of a program under a shift; what is set is set back."""
    behaviour, before = find("carry_forward"), prompt._PENDING_BIAS
    prompt._PENDING_BIAS = shift
    try:
        done = evaluate(
            guard.program, rows, behaviour.metric, lm=guard.lm, adapter=guard.adapter, bare=True, behaviour=behaviour,
            on_row=lambda scored, count, total: print(f"shift {shift:g}: {count}/{total}", end="\r", file=sys.stderr),
        )  # fmt: skip
    finally:
        prompt._PENDING_BIAS = before
    if done.stopped == "interrupted":
        raise KeyboardInterrupt
    said = {row.id: row.prediction for row in done.rows if row.score is not None}
    counts = resolutions({row.id: row for row in rows}, said)
    return {"shift": shift, "rows": len(said), "errors": done.errors, "mean": round(done.mean(), 4), **counts}


def main(arguments: list[str] | None = None, guard: Any = None) -> int:
    """Print a line a shift; return the exit code: 2 for bad input, 130 when interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shift", type=float, action="append")
    parser.add_argument("--split", default="train", choices=("train", "dev"))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--program", type=Path, help="the shipped one for the embedded model by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        program = options.program or find_artifacts(shipped_dir(), "carry_forward")[0]
        guard = guard or load("carry_forward", options.lm, program=program)
        shown = taught(program)
        rows = [row for row in find("carry_forward").load(options.split) if row.id not in shown][: options.rows]
        for shift in options.shift or SHIFTS:
            found = measured(guard, rows, shift)
            if options.json:
                print(json.dumps(found), flush=True)
                continue
            print(
                f"shift {shift:5.1f}: mean {found['mean']:.3f} on {found['rows']} rows, precision {found['right']} of"
                f" {found['claimed']}, recall {found['right']} of {found['wanted']}",
                flush=True,
            )
    except TurnkeeperError as error:
        print(f"missing_odds: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
