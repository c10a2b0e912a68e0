"""`turnkeeper release`: a program that passes the gate becomes the champion in MLflow's model registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..optimized import Artifact


@command
def release(
    artifact: Annotated[Path, typer.Argument(help="The state file, SLUG.json, wherever it lies.")],
    name: Annotated[str | None, typer.Option("--name", help="Registered model; turnkeeper-BEHAVIOUR.")] = None,
    lm: Annotated[str | None, typer.Option("--lm", help="LM that the model asks; the one it was compiled for.")] = None,
    api_base: Annotated[
        str | None,
        typer.Option("--api-base", help="Address of that LM's server; whoever loads the model may change it."),
    ] = None,
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file with the thresholds; ./pyproject.toml.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Register a program and set the alias `champion`. Exit code 1 when it does not pass the gate."""
    from ..compiling.release import ALIAS
    from ..compiling.release import release as register
    from ..optimized import read_artifact

    found = read_artifact(artifact)
    problems = _gate(found, golden, config)
    for problem in problems:
        note(f"{artifact}: {problem}")
    if problems:
        note("not released")
        raise typer.Exit(1)
    done = register(artifact, lm=lm or spec_of(found), api_base=api_base, name=name)
    if json_:
        print_json(done._asdict())
    else:
        note(f"{done.name} version {done.version} is {ALIAS}")
        typer.echo(safe(done.uri))


def _gate(artifact: Artifact, golden: Path | None, config: Path | None) -> list[str]:
    """Return why the program may not be released; empty when it passes."""
    from ..evaluation.gate import gate_one
    from ._gate import thresholds_of

    thresholds = thresholds_of(config, artifact.manifest.behaviour)
    mine = gate_one(artifact.path, golden_dir=golden, thresholds=thresholds)
    if not mine.rows and not mine.findings:
        return ["holds no recorded test predictions, so nothing could be gated; compile it without --no-test"]
    return [f"{finding.field}: {finding.message}; run: {finding.remedy}" for finding in mine.findings]


def spec_of(artifact: Artifact) -> str:
    """Return what `--lm` takes for the LM of an artifact; raises `InputError` when only the user knows its file."""
    from ..errors import InputError
    from ..lms.catalogue import MODELS

    record = artifact.manifest.lm
    if not record.model.startswith("llama-cpp/"):
        return record.model
    for name, entry in MODELS.items():
        if entry.sha256 == record.sha256:
            return f"embedded:{name}"
    raise InputError(f"{artifact.path}: compiled for {record.model}, a file of yours; name it with --lm gguf:PATH")
