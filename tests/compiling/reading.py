"""An LM that reads its prompt: it answers from the golds, the better the more demos it is shown."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, Usage

from turnkeeper.data import reformulate as golden
from turnkeeper.data.reformulate import GoldenRow

_serial = itertools.count(1)


class ReadingEngine:
    """Knows `rows`; right in `share` percent of them once it sees `least` demos, else it copies the query.

    Attributes:
        calls: Requests so far.
        before: Called with the number of each request, from 1, before it is answered.
    """

    supports_response_schema = True
    supported_params = ("temperature", "max_tokens", "response_format")

    def __init__(self, rows: Sequence[GoldenRow], *, least: int = 1, share: int = 100) -> None:
        self.golds = {" ".join(row.query.split()): row.gold for row in rows}
        self.least, self.share = least, share
        self.calls = 0
        self.before: Any = None

    def complete(self, request: Request) -> Response:
        said = [(message.role, message.text or "") for message in request.messages]
        text = self.reply(str(request.system or ""), said)
        usage = Usage(input_tokens=50, output_tokens=5)
        return Response(
            id=f"r{self.calls}", model=request.model, message=Message.assistant(text), finish_reason="stop", usage=usage
        )

    def reply(self, system: str, said: Sequence[tuple[str, str]]) -> str:
        """Answer a prompt, given as system text and (role, text) pairs, in the format that it asks for."""
        self.calls += 1
        if self.before is not None:
            self.before(self.calls)
        answer = self._answer(_fields(said[-1][1]), sum(role == "assistant" for role, _ in said))
        if "[[ ## completed ## ]]" not in system:
            return json.dumps(answer)
        values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in answer.items()}
        return "".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in values.items()) + "[[ ## completed ## ]]"

    def _answer(self, asked: dict[str, str], demos: int) -> dict[str, Any]:
        said = asked.get("query", "?")
        able = demos >= self.least and zlib.crc32(f"{said}{demos}".encode()) % 100 < self.share
        gold = self.golds.get(said) if able else None
        if "mentions" not in asked:
            return {"standalone_query": gold.standalone_query if gold else said}
        known = {r.mention.lower(): r.referent for r in gold.resolved_references} if gold else {}
        mentions = json.loads(asked["mentions"])
        return {"referents": [{"mention": m, "referent": known.get(m.lower(), "x")} for m in mentions]}

    def __deepcopy__(self, memo: dict[int, Any]) -> ReadingEngine:
        return self


def _fields(text: str) -> dict[str, str]:
    """Read the inputs of a user message: `Label: value` lines, or blocks under `[[ ## name ## ]]`."""
    blocks = re.findall(r"^\[\[ ## (\w+) ## \]\]\n(.*)$", text, re.M)
    return dict(blocks) or {name.lower(): value for name, value in re.findall(r"^(\w+): (.*)$", text, re.M)}


def reading_lm(rows: Sequence[GoldenRow], **options: Any) -> dspy.LM:
    """An LM over a `ReadingEngine`, at `lm.engine`; every one has the same model string."""
    engine = ReadingEngine(rows, **options)
    return dspy.LM("scripted/reading", engine=engine, temperature=0.0, max_tokens=100, cache=False, num_retries=0)


def proposing_lm(*texts: str) -> dspy.LM:
    """An LM that proposes instructions: the texts in turn, for GEPA's and for MIPRO's prompts."""

    class Engine:
        supports_response_schema = False
        supported_params = ("temperature", "max_tokens")

        def __init__(self) -> None:
            self.calls = 0

        def complete(self, request: Request) -> Response:
            text = texts[self.calls % len(texts)]
            self.calls += 1
            asked = request.messages[-1].text or ""
            if "[[ ## " in asked:
                fields = re.findall(r"`\[\[ ## (\w+) ## \]\]`", asked)
                text = "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name in fields)
            elif "one line of JSON" in str(request.system):
                text = json.dumps(dict.fromkeys(re.findall(r'"(\w+)": ', str(request.system)), text))
            else:
                text = f"```\n{text}\n```"
            return Response(
                id="p", model=request.model, message=Message.assistant(text), finish_reason="stop",
                usage=Usage(input_tokens=9, output_tokens=9),
            )  # fmt: skip

        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            return self

    return dspy.LM(
        f"scripted/proposing-{next(_serial)}", engine=Engine(), temperature=1.0, max_tokens=99, num_retries=0
    )


def small_golden(folder: Path, train: int = 40, dev: int = 14, test: int = 8, skip: int = 0) -> Path:
    """Write a golden set of the first shipped rows of each split that an LM is asked for, after `skip` of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in (("train", train), ("dev", dev), ("test", test)):
        rows = [row for row in golden.load(split) if row.language == "en" and row.gold.resolved_references]
        text = "".join(row.model_dump_json() + "\n" for row in rows[skip : skip + count])
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def all_rows(folder: Path) -> list[GoldenRow]:
    """All rows of a golden set."""
    return [row for split in golden.SPLITS for row in golden.load(split, folder)]
