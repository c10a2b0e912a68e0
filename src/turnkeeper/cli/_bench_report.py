"""The figures of `turnkeeper bench`: fallbacks and costs first, then means with intervals by conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import typer

from ..data.public import PublicSet
from ..evaluation.public_rewrites import LOWER_IS_BETTER
from ..evaluation.statistics import (
    Interval,
    bootstrap_difference,
    bootstrap_mean,
    changed_families,
    changed_rows,
    verdict,
)
from ..evaluation.summary import interval_json, median, rounded
from ._bench_predict import Predicted
from ._evaluation import interval, share, table
from ._render import note, print_json, safe

Values = Mapping[str, Sequence["float | None"]]
"""Measure -> one value a row, None where the row says nothing about it."""


class Measured(NamedTuple):
    """What one command found.

    Attributes:
        task: Name of the command.
        source: The public set.
        about: Of the program, for the report.
        families: The conversation of each row.
        arms: Arm -> measure -> values, in the order of the rows.
        pairs: Arm and the arm that it is compared with.
        answers: One a row; empty where no program was asked.
        left_out: Reason -> rows of the list that could not be measured.
    """

    task: str
    source: PublicSet[Any]
    about: Mapping[str, Any]
    families: Sequence[str]
    arms: Mapping[str, Values]
    pairs: Sequence[tuple[str, str]]
    answers: Sequence[Predicted]
    left_out: Mapping[str, int]

    def cost(self) -> dict[str, Any]:
        """Return fallbacks, failures, calls, tokens and seconds; the fallback rate is None where nobody answered."""
        there = [answer for answer in self.answers if not answer.missing]
        fallbacks = sum(answer.fallback for answer in there)
        return {
            "fallback_rate": round(fallbacks / len(there), 6) if there else None,
            "fallbacks": fallbacks,
            "missing": len(self.answers) - len(there),
            "lm_errors": sum(answer.lm_error for answer in there),
            "lm_calls": sum(answer.calls for answer in there),
            "prompt_tokens": sum(answer.prompt_tokens for answer in there),
            "completion_tokens": sum(answer.completion_tokens for answer in there),
            "seconds": round(sum(answer.latency_ms for answer in there) / 1000, 1),
            "median_latency_ms": rounded(median([answer.latency_ms for answer in there])),
        }

    def means(self) -> dict[str, dict[str, Interval]]:
        """Return arm -> measure -> mean with its interval."""
        return {arm: {name: self._mean(some) for name, some in values.items()} for arm, values in self.arms.items()}

    def differences(self) -> dict[str, dict[str, tuple[Interval, str]]]:
        """Return "arm minus arm" -> measure -> paired difference and what it allows to say."""
        return {
            f"{after} minus {before}": {
                name: self._difference(name, self.arms[before][name], self.arms[after][name])
                for name in self.arms[after]
            }
            for after, before in self.pairs
        }

    def _mean(self, values: Sequence[float | None]) -> Interval:
        known = [(value, family) for value, family in zip(values, self.families, strict=True) if value is not None]
        return bootstrap_mean([value for value, _ in known], [family for _, family in known])

    def _difference(
        self, name: str, before: Sequence[float | None], after: Sequence[float | None]
    ) -> tuple[Interval, str]:
        old, new = [value or 0.0 for value in before], [value or 0.0 for value in after]
        found = bootstrap_difference(old, new, self.families)
        moved = changed_families(old, new, self.families)
        said = verdict(found, changed_rows(old, new), changed_families=moved)
        if name in LOWER_IS_BETTER:
            said = {"better": "worse", "worse": "better"}.get(said, said)
        return found, said


def report(found: Measured, path: Path, ids: str, json_: bool) -> None:
    """Print the figures: a table, or one JSON object on stdout."""
    if json_:
        print_json(_as_json(found, path, ids))
        return
    echo, cost = typer.echo, found.cost()
    if found.answers:
        rate = "-" if cost["fallback_rate"] is None else share(cost["fallback_rate"])
        echo(
            f"bench {found.task}: fallback rate {rate} ({cost['fallbacks']} rows), {cost['missing']} without an answer"
        )
        echo(
            f"  {cost['lm_calls']} LM calls, {cost['prompt_tokens']} + {cost['completion_tokens']} tokens, "
            f"{cost['seconds']} s, median {cost['median_latency_ms'] or 0:.0f} ms a row"
        )
    else:
        echo(f"bench {found.task}: no LM is asked")
    echo(safe(f"  {found.source.title}; {len(found.families)} rows of {path}, ids {ids}"))
    shown = ", ".join(f"{name} {value}" for name, value in found.about.items() if value is not None)
    echo(safe(f"  {shown}"))
    for reason, count in found.left_out.items():
        note(f"  {count} rows left out: {reason}")
    means = found.means()
    names = list(dict.fromkeys(name for values in means.values() for name in values))
    for arm, values in means.items():
        echo(f"  {arm}")
        table(
            echo,
            ["  mean [95 % interval]", "rows", ""],
            [[f"  {n}", values[n].rows, interval(values[n])] for n in names],
        )
    for label, differences in found.differences().items():
        echo(f"  {label}")
        rows = [[f"  {name}", interval(one, sign=True), said] for name, (one, said) in differences.items()]
        table(echo, ["  difference [95 % interval]", "", ""], rows)


def _as_json(found: Measured, path: Path, ids: str) -> dict[str, Any]:
    return {
        "bench": found.task,
        "set": found.source.name,
        "licence": found.source.licence,
        "citation": found.source.citation,
        "file": str(path),
        "ids": ids,
        **found.cost(),
        "rows": len(found.families),
        "left_out": dict(found.left_out),
        "program": dict(found.about),
        "measures": {
            arm: {name: interval_json(one) for name, one in values.items()} for arm, values in found.means().items()
        },
        "differences": {
            label: {name: {**interval_json(one), "verdict": said} for name, (one, said) in some.items()}
            for label, some in found.differences().items()
        },
    }
