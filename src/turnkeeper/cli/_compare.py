"""`turnkeeper compare`: is B better than A, on the same rows?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..evaluation.compare import Comparison, Delta, Pair
    from ..evaluation.files import Saved


@command
def compare(
    before: Annotated[Path, typer.Argument(help="Output of `turnkeeper evaluate --out`: the reference.")],
    after: Annotated[Path, typer.Argument(help="The same rows, by another program, LM or adapter.")],
    margin: Annotated[
        float | None, typer.Option("--equivalence-margin", help="Score differences below this do not matter.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="All figures as one JSON object on stdout.")] = False,
) -> None:
    """Compare two evaluations of the same rows: flips, exact McNemar test, paired 95 % intervals, cost.

    Exit code 1 when the second one is worse in its score.
    """
    from ..evaluation.compare import compare as compare_saved
    from ..evaluation.files import read

    one, other = read(before), read(after)
    found = compare_saved(one, other, margin=margin)
    if one.about.get("code") != other.about.get("code"):
        note("the two were made by different code: a difference may come from the checks and not from the programs")
    if json_:
        print_json({"before": one.about, "after": other.about, **found.as_json()})
    else:
        _show(found, one, other)
    if found.deltas and found.deltas[0].verdict == "worse":
        raise typer.Exit(1)


def _show(found: Comparison, one: Saved, other: Saved) -> None:
    from ._evaluation import number, share, table

    echo = typer.echo
    before, after = (one.name, other.name) if one.name != other.name else ("before", "after")
    old, new = found.before, found.after
    cost: list[list[object]] = [
        ["fallback rate", share(old.fallback_rate), share(new.fallback_rate)],
        ["errors", old.errors, new.errors],
        ["LM calls", old.lm_calls, new.lm_calls],
        ["prompt tokens", old.prompt_tokens, new.prompt_tokens],
        ["completion tokens", old.completion_tokens, new.completion_tokens],
        ["median ms a row", number(old.latency_ms), number(new.latency_ms)],
    ]
    table(echo, ["", before, after], cost)
    echo(f"{len(found.pairs)} rows, paired:")
    _deltas([d for d in found.deltas if d.kind is None], before, after)
    echo(f"flips: {len(found.worse)} good to bad, {len(found.better)} bad to good, exact McNemar p = {found.p:.3f}")
    for name, pairs in (("good to bad", found.worse), ("bad to good", found.better)):
        for pair in pairs:
            _flip(name, pair, one, other)
    changed = [d for d in found.deltas if d.kind is not None and d.metric == "score" and d.changed]
    if changed:
        echo("kinds whose score changed:")
        _deltas(sorted(changed, key=lambda d: d.difference.mean), before, after)


def _deltas(deltas: list[Delta], before: str, after: str) -> None:
    from ._evaluation import interval, number, table

    head = ["", "rows", "changed", before, after, "difference [95 % interval]", "verdict"]
    rows = [
        [
            d.kind or d.metric, d.difference.rows, d.changed, number(d.before), number(d.after),
            interval(d.difference, sign=True), d.verdict,
        ]
        for d in deltas
    ]  # fmt: skip
    table(typer.echo, head, rows)


def _flip(name: str, pair: Pair, one: Saved, other: Saved) -> None:
    old, new = one.said(pair.before), other.said(pair.after)
    typer.echo(safe(f"  {name}: {pair.after.id} ({pair.after.kind}): {old!r} -> {new!r}"))
