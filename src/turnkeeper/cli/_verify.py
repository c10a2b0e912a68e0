"""`turnkeeper verify`: recorded rows of an artifact asked again on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._render import command, note, print_json, safe


@command
def verify(
    artifact: Annotated[Path, typer.Argument(help="A program: `<slug>.json`.")],
    rows: Annotated[int, typer.Option("--rows", min=1, help="Recorded rows to ask again.")] = 20,
    lm: Annotated[
        str | None, typer.Option("--lm", help="embedded, gguf:PATH, or a model string; the program's own without it.")
    ] = None,
    api_base: Annotated[str | None, typer.Option("--api-base", help="Address of an LM server.")] = None,
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the draw of rows.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Say whether a program does here what its manifest says. Exit code 1 when it is worse, or a row failed."""
    from ..evaluation.verify import verify as ask_again
    from ..optimized import read_artifact
    from ._evaluation import golden_rows, loaded, number, spec_of
    from ._progress import Progress

    known = read_artifact(artifact)
    guard = loaded(
        known.manifest.behaviour, lm=lm or spec_of(known.manifest.lm.model), program=str(artifact), api_base=api_base
    )
    if guard.lm.model != known.manifest.lm.model:
        note(f"{artifact}: compiled for {known.manifest.lm.model}, asked of {guard.lm.model}")
    with Progress(f"verify {known.manifest.slug}", min(rows, 10**6)) as progress:
        found = ask_again(
            known, golden_rows(known.manifest.behaviour, golden), guard.program, lm=guard.lm, adapter=guard.adapter,
            count=rows, seed=seed,
            on_row=lambda scored, done, total: progress.update(done, total),
        )  # fmt: skip
    before, after = found.means
    failed = sum(row.score is None for row in found.after)
    if json_:
        print_json(
            {
                "artifact": str(artifact), "rows": len(found.after), "failed": failed, "same_text": found.same_text,
                "changed": found.changed, "recorded": None if before != before else round(before, 6),
                "now": None if after != after else round(after, 6), "verdict": found.verdict,
            }
        )  # fmt: skip
    else:
        typer.echo(
            safe(
                f"{artifact}: {found.verdict}; {len(found.after)} rows, {found.same_text} with the same text, "
                f"{found.changed} with another score, {failed} failed; mean {number(before)}, now {number(after)}"
            )
        )
    if failed or found.verdict == "worse":
        raise typer.Exit(1)
