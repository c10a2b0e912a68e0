"""Decisions pooled over golden rows: which open questions were closed, and where an answer was withheld.

usage: python benchmarks/decisions.py FILE [--split test] [--golden FOLDER] [--json]

FILE is a program of carry_forward or cite (its recorded predictions of the test split are read), or rows of `turnkeeper
evaluate --out` of one of them. No LM is asked. Means of a component over rows weigh a row with one open question as
much as one with twelve; here every decision counts once.

carry_forward: of the questions closed, how many the gold closes (precision); of those the gold closes, how many were
(recall); rows in which a question of the ledger is missing afterwards, or stands there twice.
cite: of the answers withheld, how many the gold withholds (precision); of those the gold withholds, how many were.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnkeeper.behaviours import find
from turnkeeper.errors import InputError, TurnkeeperError
from turnkeeper.evaluation.files import read
from turnkeeper.evaluation.records import recorded
from turnkeeper.metrics._ledger import normal
from turnkeeper.optimized import read_artifact
from turnkeeper.optimized.artifact import manifest_path


def predictions(path: Path) -> tuple[str, dict[str, Mapping[str, Any]], int]:
    """Return the behaviour, its predictions by row id, and how many rows are fallbacks (0 for a bare record)."""
    if manifest_path(path).is_file():
        manifest = read_artifact(path).manifest
        return manifest.behaviour, {one.id: one.prediction for one in recorded(manifest.metrics, str(path))}, 0
    saved = read(path)
    rows = [row for row in saved.rows if row.score is not None]
    return str(saved.about.get("behaviour")), {r.id: r.prediction for r in rows}, sum(r.fallback for r in rows)


def resolutions(rows: Mapping[str, Any], said: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the counts of carry_forward."""
    counts = dict.fromkeys(("claimed", "wanted", "right", "dropped", "doubled"), 0)
    for row_id, prediction in said.items():
        gold = {normal(one.question) for one in rows[row_id].gold.resolved_questions}
        closed = [normal(one["question"]) for one in prediction.get("resolved_questions", ())]
        left = [normal(one["question"]) for one in prediction.get("updated_unresolved_questions", ())]
        before = {normal(one.question) for one in rows[row_id].ledger}
        counts["claimed"] += len(closed)
        counts["wanted"] += len(gold)
        counts["right"] += len(gold.intersection(closed))
        counts["dropped"] += bool(before - {*closed, *left})
        counts["doubled"] += len({*closed, *left}) < len(closed) + len(left)
    return counts


def abstentions(rows: Mapping[str, Any], said: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the counts of cite."""
    held = {row_id for row_id, prediction in said.items() if prediction.get("abstained")}
    wanted = {row_id for row_id in said if rows[row_id].gold.abstain}
    return {"claimed": len(held), "wanted": len(wanted), "right": len(held & wanted)}


_COUNTED = {"carry_forward": resolutions, "cite": abstentions}


def main(arguments: list[str] | None = None) -> int:
    """Print the counts; return the exit code: 2 for bad input."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        behaviour, said, fallbacks = predictions(options.file)
        if behaviour not in _COUNTED:
            raise InputError(f"{options.file}: of {behaviour}; there is: {', '.join(_COUNTED)}")
        rows = {row.id: row for row in find(behaviour).load(options.split, options.golden)}
        strange = sorted(set(said) - set(rows))
        if strange or not said:
            raise InputError(f"{options.file}: no row of {options.split}: {', '.join(strange[:3]) or 'none at all'}")
    except TurnkeeperError as error:
        print(f"decisions: {error}", file=sys.stderr)
        return 2
    counts = {"rows": len(said), "fallbacks": fallbacks, **_COUNTED[behaviour](rows, said)}
    if options.json:
        print(json.dumps({"behaviour": behaviour, **counts}))
        return 0
    what = "closed" if behaviour == "carry_forward" else "withheld"
    print(f"{behaviour}: {counts['rows']} rows, {fallbacks} fallbacks")
    print(f"  precision: {counts['right']} of {counts['claimed']} {what}")
    print(f"  recall: {counts['right']} of {counts['wanted']} that the gold has {what}")
    if "dropped" in counts:
        print(f"  rows with a dropped question {counts['dropped']}, with a doubled one {counts['doubled']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
