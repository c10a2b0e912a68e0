"""`turnkeeper gate`: every committed program through today's checks, golden set and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..data.reformulate import GoldenRow
    from ..evaluation import Scored
    from ..evaluation.gate import Checked
    from ..optimized import Artifact


@command
def gate(
    behaviour: Annotated[str, typer.Argument(help="reformulate")] = "reformulate",
    programs: Annotated[
        Path | None, typer.Option("--programs", help="Folder of programs; ./optimized, else the shipped ones.")
    ] = None,
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    config: Annotated[Path, typer.Option("--config", help="TOML file with the thresholds.")] = Path("pyproject.toml"),
    live: Annotated[bool, typer.Option("--live", help="Ask the LM for the test rows again.")] = False,
    lm: Annotated[str, typer.Option("--lm", help="With --live: embedded, gguf:PATH, or a model string.")] = "embedded",
    api_base: Annotated[str | None, typer.Option("--api-base", help="Address of an LM server.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a program on stdout.")] = False,
) -> None:
    """Hold every program of a folder against today's code; no LM without --live. Exit code 1 when one does not pass.

    Thresholds stand in `[tool.turnkeeper.gate.BEHAVIOUR]`: lowest means of `score`, `good` and components by name, and
    of the score by kind under `kinds`.
    """
    from ..evaluation.gate import GATED
    from ..evaluation.gate import gate as check_all
    from ..evaluation.thresholds import read_thresholds
    from ..optimized import shipped_dir
    from . import _behaviours

    _behaviours.find(behaviour)
    folder = programs or (Path("optimized") if Path("optimized", behaviour).is_dir() else shipped_dir())
    thresholds = read_thresholds(config, behaviour, GATED)
    if not any(thresholds):
        note(f"{config}: no thresholds in [tool.turnkeeper.gate.{behaviour}]")
    ask = _Again(lm, api_base) if live else None
    found = check_all(folder, behaviour=behaviour, golden_dir=golden, thresholds=thresholds, live=ask)
    for checked in found:
        print_json(_as_json(checked)) if json_ else _show(checked)
    if any(checked.findings for checked in found):
        raise typer.Exit(1)


class _Again:
    """Asks the LM of `--lm` for the test rows of the programs that were compiled for it."""

    def __init__(self, spec: str, api_base: str | None) -> None:
        self._spec, self._api_base = spec, api_base
        self._lm: Any = None

    def __call__(self, artifact: Artifact, rows: Sequence[GoldenRow]) -> Sequence[Scored] | None:
        from .. import load, resolve_lm
        from ..evaluation import evaluate
        from ..metrics.reformulate_metric import metric
        from ._progress import Progress

        if self._lm is None:
            self._lm = resolve_lm(self._spec, api_base=self._api_base, cache=False)
        if artifact.manifest.lm.model != self._lm.model:
            return None
        guard = load(artifact.manifest.behaviour, self._lm, program=artifact.path)
        with Progress(f"gate {artifact.manifest.slug}", len(rows)) as progress:
            done = evaluate(
                guard.program, rows, metric, lm=guard.lm, adapter=guard.adapter, bare=True,
                on_row=lambda scored, count, total: progress.update(count),
            )  # fmt: skip
        if done.stopped == "interrupted":
            raise KeyboardInterrupt
        return done.rows


def _as_json(checked: Checked) -> dict[str, Any]:
    return {
        "artifact": str(checked.artifact),
        "ok": not checked.findings,
        "rows": len(checked.rows),
        "findings": [{"field": f.field, "message": f.message, "remedy": f.remedy} for f in checked.findings],
        "notes": checked.notes,
    }


def _show(checked: Checked) -> None:
    said = "fails" if checked.findings else "passes"
    typer.echo(safe(f"{checked.artifact}: {said} ({len(checked.rows)} rows)"))
    for finding in checked.findings:
        typer.echo(safe(f"  {finding.field}: {finding.message}; run: {finding.remedy}"))
    for remark in checked.notes:
        typer.echo(safe(f"  note: {remark}"))
