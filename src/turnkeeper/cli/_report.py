"""`turnkeeper report`: evaluations as one HTML page that needs nothing from elsewhere, as Markdown, and as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._render import command, note


@command
def report(
    files: Annotated[
        list[Path], typer.Argument(help="Outputs of `turnkeeper evaluate --out`; the first is compared with.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The HTML file.")] = Path("report.html"),
    markdown: Annotated[Path | None, typer.Option("--markdown", help="The same tables as Markdown.")] = None,
    png: Annotated[Path | None, typer.Option("--png", help="The figures as one PNG file.")] = None,
    experiment: Annotated[
        Path | None, typer.Option("--experiment", help="results.jsonl of an experiment: adds the learning curve.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option("--equivalence-margin", help="Score differences below this do not matter.")
    ] = None,
) -> None:
    """Write one self-contained HTML page: fallbacks, components, kinds, languages, cost, flips, worst rows."""
    from ..evaluation.curve import learned, read_results
    from ..evaluation.files import read
    from ..evaluation.languages import with_languages
    from ..evaluation.markdown import markdown as as_markdown
    from ..evaluation.report import report as page
    from ._evaluation import write_text
    from ._files import refuse_same

    for target in filter(None, (out, markdown, png)):
        for file in (*files, *([experiment] if experiment else [])):
            refuse_same(file, target)
    saved = [with_languages(read(file)) for file in files]
    curve = learned(read_results(experiment, lambda torn: note(_torn(experiment, torn)))) if experiment else []
    if experiment and not curve:
        note(f"{experiment}: no learning curve: no two cells differ in train_rows alone")
    write_text(out, page(saved, margin=margin, curve=curve))
    if markdown is not None:
        write_text(markdown, as_markdown(saved, margin=margin, curve=curve))
    if png is not None:
        from .._plots import save_report

        save_report(png, saved, curve)
    written = ", ".join(str(target) for target in (out, markdown, png) if target is not None)
    note(f"{written}: {len(files)} evaluation{'' if len(files) == 1 else 's'}")


def _torn(path: Path, lines: int) -> str:
    return f"{path}: {lines} line{'' if lines == 1 else 's'} passed over: no JSON, as a crash leaves it"
