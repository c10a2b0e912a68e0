"""A small golden set of cite, and an LM that answers well only where it is shown how."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import dspy
from dspy.lm15 import Message, Request, Response, Usage

from turnkeeper.behaviours import find
from turnkeeper.data.cite import SPLITS, GoldenRow, load
from turnkeeper.signatures.cite import NO_EVIDENCE

from ..scripted import AsyncScriptedEngine, ScriptedEngine

_serial = itertools.count(1)


def small_golden(folder: Path, **counts: int) -> Path:
    """Write the first sessions of each split of the shipped set, about as many rows as are asked for."""
    folder.mkdir(parents=True)
    for split in SPLITS:
        rows = load(split)
        most = rows[counts[split] - 1].family
        kept = rows[: max(n for n, row in enumerate(rows, 1) if row.family == most)]
        (folder / f"{split}.jsonl").write_text("".join(row.model_dump_json() + "\n" for row in kept), encoding="utf-8")
    return folder


class CitingEngine(ScriptedEngine):
    """Answers a row as its gold does when the prompt of the compact adapter holds a demo, and abstains without one.

    A gold that the form cannot say is an abstention too.
    """

    def __init__(self, rows: Sequence[GoldenRow]) -> None:
        super().__init__()
        self._replies: list[tuple[str, str, str, str]] = []
        for row, form in itertools.product(rows, find("cite").forms):
            for demo in find("cite").demos(row, form):
                name = "answer" if form == "handles" else "claims"
                reply = json.dumps({name: demo.fields[name]})
                self._replies.append(
                    (form, _plain(demo.fields["sources"]), f"Question: {demo.fields['question']}", reply)
                )

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        wanted = "claims" if "sentence by sentence" in str(request.system) else "handles"
        asked = _plain(request.messages[-1].text or "")
        good = [reply for form, *parts, reply in self._replies if form == wanted and all(p in asked for p in parts)]
        shown = any(message.role == "assistant" for message in request.messages)
        nothing = json.dumps({"claims": []} if wanted == "claims" else {"answer": NO_EVIDENCE})
        text = good[0] if shown and good else nothing
        return Response(
            id=f"citing-{self.calls}", model=request.model, message=Message.assistant(text), finish_reason="stop",
            usage=Usage(input_tokens=len(asked.split()), output_tokens=len(text.split())),
        )  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(text.split())


def citing_lm(rows: Sequence[GoldenRow]) -> dspy.LM:
    engine = CitingEngine(rows)
    return dspy.LM(
        f"scripted/citing-{next(_serial)}", engine=engine, async_engine=AsyncScriptedEngine(engine), num_retries=0,
        temperature=0.0, max_tokens=300,
    )  # fmt: skip
