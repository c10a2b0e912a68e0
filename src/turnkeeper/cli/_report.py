"""`turnkeeper report`: evaluations as one HTML page that needs nothing from elsewhere."""

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
    margin: Annotated[
        float | None, typer.Option("--equivalence-margin", help="Score differences below this do not matter.")
    ] = None,
) -> None:
    """Write one self-contained HTML page: fallbacks, components, kinds, flips against the first file, worst rows."""
    from ..evaluation.files import read
    from ..evaluation.report import report as page
    from ._evaluation import write_text
    from ._files import refuse_same

    for file in files:
        refuse_same(file, out)
    text = page([read(file) for file in files], margin=margin)
    write_text(out, text)
    note(f"{out}: {len(files)} evaluation{'' if len(files) == 1 else 's'}")
