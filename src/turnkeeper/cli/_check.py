"""`turnkeeper check`: the programmatic checks on given predictions, no LM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ._render import command, note, print_json, safe


@command
def check(
    behaviour: Annotated[str, typer.Argument(help="reformulate, expand, cite or carry_forward")],
    in_: Annotated[Path, typer.Option("--in", help="JSONL rows with `prediction`.")],
    out: Annotated[Path | None, typer.Option("--out", help="JSONL: the input rows + ok, violations.")] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="JSON on stdout: the rows, or with --out one summary object.")
    ] = False,
) -> None:
    """Check given predictions, without any LM. Exit code 1 when a row is not ok."""
    from ._files import atomic_lines, refuse_same

    counts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    rows = _checked(behaviour, in_, counts, codes)
    if out is not None:
        refuse_same(in_, out)
        with atomic_lines(out) as write:
            for row in rows:
                write(row)
    else:
        for row in rows:
            print_json(row) if json_ else _show(row)
    summary = {"rows": counts["rows"], "ok": counts["ok"], "by_code": dict(codes.most_common())}
    if json_ and out is not None:
        print_json(summary)
    else:
        note(f"{behaviour}: {counts['ok']} of {counts['rows']} rows ok")
        for code, rows_with in codes.most_common():
            note(f"  {code}: {rows_with} rows")
    if counts["ok"] < counts["rows"]:
        raise typer.Exit(1)


def _checked(behaviour: str, source: Path, counts: Counter[str], codes: Counter[str]) -> Iterator[dict[str, Any]]:
    from ..data.rows import read_strict, row_model
    from . import _behaviours

    entry = _behaviours.find(behaviour)
    for row in read_strict(source, row_model(behaviour), require=("prediction",)):
        violations = entry.check(row)
        counts.update(rows=1, ok=int(not violations))
        codes.update({violation.code for violation in violations})
        yield {
            **({} if "id" in row.raw else {"id": row.id}),
            **row.raw,
            "ok": not violations,
            "violations": [violation.model_dump() for violation in violations],
            **entry.facts(row),
        }


def _show(row: dict[str, Any]) -> None:
    for violation in row["violations"]:
        span = f" [{violation['span']}]" if violation["span"] else ""
        typer.echo(safe(f"{row['id']}: {violation['code']}: {violation['message']}{span}"))
