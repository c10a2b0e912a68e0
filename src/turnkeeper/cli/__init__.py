"""The command line: one private module a command; what a command needs is imported when it runs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from .. import __version__
from ._bench import bench
from ._chat import chat
from ._check import check
from ._compare import compare
from ._compile import compile_
from ._demo import demo
from ._evaluate import evaluate
from ._exclusions import exclusions
from ._experiment import experiment
from ._gate import gate
from ._harvest import harvest
from ._models import models
from ._release import release
from ._replay import replay
from ._report import report
from ._review import review
from ._run import run
from ._sessions import sessions
from ._show import show
from ._verify import verify

__all__ = ["app", "main"]

_INTERRUPTED = 130

app = typer.Typer(
    name="turnkeeper",
    help="Keep what a conversational RAG turn owes to the turns before it.",
    epilog="Exit codes: 0 fine; 1 a check failed; 2 bad input or setup, with file, line, field; 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: importing rich would double the time of `--help`
)
app.command()(demo)
app.command()(chat)
app.command()(run)
app.command()(check)
app.command()(exclusions)
app.command()(evaluate)
app.command()(compare)
app.command()(gate)
app.command()(report)
app.command()(show)
app.command()(verify)
app.command("compile")(compile_)
app.command()(harvest)
app.command()(replay)
app.command()(experiment)
app.command()(release)
app.add_typer(bench, name="bench")
app.add_typer(models, name="models")
app.add_typer(sessions, name="sessions")
app.add_typer(review, name="review")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"turnkeeper {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of the `turnkeeper` command; leaves through `SystemExit`, or at once after an interrupt."""
    _open_standard_files()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets its escape, not a crash
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as left:
        if left.code != _INTERRUPTED:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(_INTERRUPTED)  # an ordinary exit would wait for the calls that threads are still in


def _open_standard_files() -> None:
    """Fill closed standard files: the next file opened would get their number, and llama.cpp's messages with it."""
    with suppress(OSError):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")
