"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ..behaviours import names

_NAMES = ", ".join(names())
BehaviourArgument = Annotated[str, typer.Argument(help=_NAMES)]
EveryBehaviourArgument = Annotated["str | None", typer.Argument(help=f"{_NAMES}; each that has programs.")]
LmOption = Annotated[str, typer.Option("--lm", help="embedded, gguf:PATH, or a DSPy model string.")]
ApiBaseOption = Annotated["str | None", typer.Option("--api-base", help="Address of an LM server.")]
FormOption = Annotated[
    "str | None",
    typer.Option("--form", help="Of a zero-shot program, as referents or rewrite; the default one."),
]
AdapterOption = Annotated[
    "str | None", typer.Option("--adapter", help="Of a zero-shot program: compact, chat, json or xml; compact.")
]
ThreadsOption = Annotated[int, typer.Option("--threads", min=1, max=256, help="Rows at a time.")]
