"""What `compile` prints at its end, and what `--dry-run` prints instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from ..evaluation.summary import told
from ._render import note, print_json, safe

if TYPE_CHECKING:
    from ..compiling.forecast import Forecast
    from ..compiling.outcome import Outcome


def show_forecast(found: Forecast, json_: bool) -> None:
    """Print the upper bounds of a compile."""
    if json_:
        print_json({**found._asdict(), "limits": found.limits._asdict()})
        return
    typer.echo(f"at most {found.programs} programs x {found.rows} dev rows")
    typer.echo(f"at most {found.calls} LM calls, {found.tokens} tokens ({found.tokens_a_call} a prompt with 8 demos)")
    if found.minutes is not None:
        typer.echo(
            f"at most {found.minutes:.1f} minutes at {found.seconds_a_call:.2f} s a call, measured on this machine"
        )


def show(outcome: Outcome, json_: bool) -> None:
    """Print how a compile ended: what was tried, what it gained, where it is."""
    row = as_row(outcome)
    if json_:
        print_json(row)
        return
    note(f"reused {row['reused']} of {row['rows']} rows from the journal")
    note(
        f"{row['candidates']} programs tried, {row['accepted']} accepted; {row['calls']} calls, {row['tokens']} tokens"
    )
    if row["stopped"]:
        note(f"stopped early ({row['stopped']}); the same command goes on")
    gain = row["improvement"]
    if gain:
        interval = f"{told(gain, '+.4f')} on {gain['rows']} dev rows"
        note(f"dev {row['dev']:.4f}, zero-shot {row['zero_shot']:.4f}, copying the query {row['copy']:.4f}")
        note(f"over zero-shot: {interval}: {gain['verdict']}")
    elif row["zero_shot"] is not None:
        note(f"dev: zero-shot {row['zero_shot']:.4f}, copying the query {row['copy']:.4f}")
    if row["artifact"] is None:
        note(f"nothing written: {row['reason']}")
        return
    if not row["test_rows"]:
        note(f"no recorded test predictions: {row['untested']}")
    typer.echo(safe(row["artifact"]))


def as_row(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome as one JSON row."""
    metrics, found, spent = outcome.metrics, outcome.search, outcome.budget.spent
    best = found.best
    return {
        "artifact": None if outcome.artifact is None else str(outcome.artifact.path),
        "reason": outcome.reason,
        "candidates": len(found.trials),
        "accepted": sum(trial.accepted for trial in found.trials),
        "form": best.task.form if best else None,
        "adapter": best.task.adapter_name if best else None,
        "dev": metrics.get("dev", {}).get("mean"),
        "zero_shot": metrics.get("zero_shot", {}).get("mean"),
        "copy": metrics.get("copy", {}).get("mean"),
        "improvement": metrics.get("improvement"),
        "test": metrics.get("test", {}).get("mean"),
        "untested": outcome.untested,
        "test_rows": len(metrics.get("test_predictions", [])),
        "stopped": found.stopped,
        "failed": outcome.budget.failed,
        "reused": outcome.reused,
        "rows": outcome.rows,
        "calls": spent.calls,
        "tokens": spent.tokens,
        "seconds": round(spent.seconds, 1),
        "usd": round(spent.usd, 6),
    }
