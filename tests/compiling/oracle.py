"""An LM for any behaviour: it knows the prompts of golden rows, and answers each as the row's gold says."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, Usage

from turnkeeper.adapters import CompactAdapter
from turnkeeper.adapters._render import json_line
from turnkeeper.behaviours import find
from turnkeeper.data._golden import SPLITS


class OracleEngine:
    """Right in `share` percent of its prompts once it sees `least` demos; else it gives the answer to another prompt.

    Attributes:
        calls: Requests so far.
        before: Called with the number of each request, from 1, before it is answered.
    """

    supports_response_schema = False
    supported_params = ("temperature", "max_tokens")

    def __init__(
        self, behaviour: str, rows: Sequence[Any], *, form: str | None = None, least: int = 1, share: int = 100
    ) -> None:
        entry, adapter = find(behaviour), CompactAdapter()
        form = form or entry.forms[0]
        program = entry.program(form)
        self.replies: dict[str, str] = {}
        for demo in (demo for row in rows for demo in entry.demos(row, form)):
            signature = getattr(program, demo.predictor).signature
            asked = adapter.format_user_message_content(signature, demo.fields)
            self.replies[asked] = json_line({name: demo.fields[name] for name in signature.output_fields})
        answers = list(self.replies.values())
        self._astray = dict(zip(self.replies, [*answers[1:], *answers[:1]], strict=True))
        self.least, self.share = least, share
        self.calls = 0
        self.before: Any = None

    def complete(self, request: Request) -> Response:
        said = [(message.role, message.text or "") for message in request.messages]
        return Response(
            id=f"o{self.calls}", model=request.model, message=Message.assistant(self.reply("", said)),
            finish_reason="stop", usage=Usage(input_tokens=50, output_tokens=5),
        )  # fmt: skip

    def reply(self, system: str, said: Sequence[tuple[str, str]]) -> str:
        """Answer a prompt of the compact adapter, given as (role, text) pairs; one that no row has gets `{}`."""
        self.calls += 1
        if self.before is not None:
            self.before(self.calls)
        asked, demos = said[-1][1], sum(role == "assistant" for role, _ in said)
        right = demos >= self.least and zlib.crc32(asked.encode()) % 100 < self.share
        return (self.replies if right else self._astray).get(asked, "{}")

    def __deepcopy__(self, memo: dict[int, Any]) -> OracleEngine:
        return self


def oracle_lm(behaviour: str, rows: Sequence[Any], **options: Any) -> dspy.LM:
    """An LM over an `OracleEngine`, at `lm.engine`; every one has the same model string."""
    engine = OracleEngine(behaviour, rows, **options)
    return dspy.LM("scripted/oracle", engine=engine, temperature=0.0, max_tokens=300, cache=False, num_retries=0)


def small_set(behaviour: str, folder: Path, **counts: int) -> Path:
    """Write a golden set of the first shipped rows of each split that an LM is asked for: `train=14, dev=6, ...`."""
    entry = find(behaviour)
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        rows = [row for row in entry.load(split, None) if entry.demos(row, entry.forms[0])][:count]
        text = "".join(row.model_dump_json() + "\n" for row in rows)
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def rows_of(behaviour: str, folder: Path | None = None) -> list[Any]:
    """All rows of a golden set, of the shipped one by default."""
    return [row for split in SPLITS for row in find(behaviour).load(split, folder)]
