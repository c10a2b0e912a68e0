"""`turnkeeper exclusions`: the deterministic exclusion detector alone, no LM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ._render import command, note, print_json, safe


@command
def exclusions(
    in_: Annotated[Path, typer.Option("--in", help="JSONL rows with `history` and `query`.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="JSONL: the input rows + negation_constraints, vague, revoked.")
    ] = None,
    json_: Annotated[
        bool, typer.Option("--json", help="JSON on stdout: the rows, or with --out one summary object.")
    ] = False,
) -> None:
    """Say what each conversation rules out after its last message, without any LM."""
    from ._files import atomic_lines, refuse_same

    counts: Counter[str] = Counter()
    rows = _detected(in_, counts)
    if out is not None:
        refuse_same(in_, out)
        with atomic_lines(out) as write:
            for row in rows:
                write(row)
    else:
        for row in rows:
            print_json(row) if json_ else _show(row)
    summary = {name: counts[name] for name in ("rows", "constrained", "vague", "revoked")}
    if json_ and out is not None:
        print_json(summary)
    else:
        note(
            f"exclusions: {summary['constrained']} of {summary['rows']} rows rule something out, "
            f"{summary['vague']} vaguely, {summary['revoked']} take something back"
        )


def _detected(source: Path, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    from ..data.rows import ExclusionsRow, read_strict
    from ._behaviours import detected

    for row in read_strict(source, ExclusionsRow):
        found = detected(row)
        counts.update(
            rows=1,
            constrained=int(bool(found["negation_constraints"])),
            vague=int(found["vague"]),
            revoked=int(bool(found["revoked"])),
        )
        yield {**({} if "id" in row.raw else {"id": row.id}), **row.raw, **found}


def _show(row: dict[str, Any]) -> None:
    phrases = ", ".join(row["negation_constraints"]) or "-"
    marks = (" (vague)" if row["vague"] else "") + (
        f" (takes back: {', '.join(row['revoked'])})" if row["revoked"] else ""
    )
    typer.echo(safe(f"{row['id']}: {phrases}{marks}"))
