"""`turnkeeper gate`: every committed program through today's checks, golden set and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import EveryBehaviourArgument
from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..behaviours import GoldenRow
    from ..evaluation import Scored
    from ..evaluation.gap import Gap
    from ..evaluation.gate import Checked
    from ..evaluation.thresholds import Thresholds
    from ..optimized import Artifact


@command
def gate(
    behaviour: EveryBehaviourArgument = None,
    programs: Annotated[
        Path | None, typer.Option("--programs", help="Folder of programs; ./optimized, else the shipped ones.")
    ] = None,
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file with the thresholds; ./pyproject.toml.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask the LM for the recorded test rows again.")] = False,
    lm: Annotated[str, typer.Option("--lm", help="With --live: embedded, gguf:PATH, or a model string.")] = "embedded",
    api_base: Annotated[str | None, typer.Option("--api-base", help="Address of an LM server.")] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="With --live: rows at a time.")] = 1,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object a program on stdout.")] = False,
) -> None:
    """Hold every program of a folder against today's code; no LM without --live. Exit code 1 when one does not pass.

    Thresholds stand in `[tool.turnkeeper.gate.BEHAVIOUR]`: lowest means of `score`, `good` and components by name, and
    of the score by kind under `kinds`. With --live the new answers are held against the recorded ones, and against the
    thresholds in their place; exit code 2 when no program was compiled for that LM.
    """
    from ..errors import InputError
    from ..evaluation.gate import gate as check_all

    chosen = _chosen(behaviour, programs, golden)
    thresholds = {name: thresholds_of(config, name) for name in chosen}
    ask = _Again(lm, api_base, threads) if live else None
    failed = False
    for name, folder in chosen.items():
        for checked in check_all(folder, behaviour=name, golden_dir=golden, thresholds=thresholds[name], live=ask):
            print_json(_as_json(checked)) if json_ else _show(checked)
            failed = failed or bool(checked.findings)
    if ask is not None and not ask.asked:
        folders = ", ".join(dict.fromkeys(map(str, chosen.values())))
        raise InputError(f"--live: no program in {folders} could be asked again of {ask.model}")
    if failed:
        raise typer.Exit(1)


def _chosen(behaviour: str | None, programs: Path | None, golden: Path | None) -> dict[str, Path]:
    """Return the behaviours to check with the folder of their programs: the named one, else each that has programs."""
    from ..behaviours import DEFAULT, find, names
    from ..errors import InputError
    from ..optimized import find_artifacts, shipped_dir

    def folder(name: str) -> Path:
        return programs or (Path("optimized") if Path("optimized", name).is_dir() else shipped_dir())

    if behaviour is not None:
        return {find(behaviour).name: folder(behaviour)}
    found = [name for name in names() if find_artifacts(folder(name), name)]
    if golden is not None and len(found) > 1:
        raise InputError(f"--golden {golden}: is the set of one behaviour; name it: {', '.join(found)}")
    return {name: folder(name) for name in found or [DEFAULT]}


def thresholds_of(config: Path | None, behaviour: str) -> Thresholds:
    """Return the thresholds of a behaviour, and say so when there are none; a file that was named must be there."""
    from ..behaviours import find
    from ..errors import InputError
    from ..evaluation.thresholds import read_thresholds

    if config is not None and not config.is_file():
        raise InputError(f"--config {config}: no such file")
    path = config or Path("pyproject.toml")
    found = read_thresholds(path, behaviour, find(behaviour).gated)
    if not any(found):
        note(f"{path}: no thresholds in [tool.turnkeeper.gate.{behaviour}]")
    return found


class _Again:
    """Asks the LM of `--lm` for the rows of the programs that were compiled for it; `asked` counts these."""

    def __init__(self, spec: str, api_base: str | None, threads: int) -> None:
        from .. import resolve_lm
        from ..lms import probe

        self._threads = threads
        self._lm = resolve_lm(spec, api_base=api_base, cache=False)
        probe(self._lm)
        self.model = self._lm.model
        self.asked = 0

    def __call__(self, artifact: Artifact, rows: Sequence[GoldenRow]) -> Sequence[Scored] | None:
        from .. import load
        from ..behaviours import find
        from ..evaluation import evaluate
        from ._progress import Progress

        if artifact.manifest.lm.model != self.model:
            return None
        self.asked += 1
        behaviour = find(artifact.manifest.behaviour)
        guard = load(behaviour.name, self._lm, program=artifact.path)
        with Progress(f"gate {artifact.manifest.slug}", len(rows)) as progress:
            done = evaluate(
                guard.program, rows, behaviour.metric, lm=guard.lm, adapter=guard.adapter, bare=True,
                threads=self._threads, behaviour=behaviour,
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
        "live": None if checked.live is None else checked.live.as_json(),
        "gap": None if (gap := _gap(checked)) is None else {**gap._asdict(), "verdict": gap.verdict},
    }


def _gap(checked: Checked) -> Gap | None:
    """Return how far the recorded test figures are from those of dev; None for a program that cannot be read."""
    from ..errors import TurnkeeperError
    from ..evaluation.gap import gap_of
    from ..optimized import read_artifact

    try:
        return gap_of(read_artifact(checked.artifact).manifest.metrics)
    except TurnkeeperError:
        return None  # the findings say what is wrong with it


def _show(checked: Checked) -> None:
    said = "fails" if checked.findings else "passes"
    typer.echo(safe(f"{checked.artifact}: {said} ({len(checked.rows)} rows)"))
    for finding in checked.findings:
        typer.echo(safe(f"  {finding.field}: {finding.message}; run: {finding.remedy}"))
    if (gap := _gap(checked)) is not None:
        typer.echo(f"  {gap.sentence()}")
    for remark in checked.notes:
        typer.echo(safe(f"  note: {remark}"))
