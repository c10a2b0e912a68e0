"""Time the turns of a conversation against one plain RAG call on the same LM, side by side in one run.

usage: python benchmarks/turn_latency.py [--lm SPEC] [--api-base URL] [--program auto|zero-shot|FOLDER] [--rounds N]
           [--bound RATIO] [--json FILE]

Ten questions over the guide that the package ships (`_turn_debts.py`), with references, an exclusion that is set and
taken back, an id that is cited again, and one question that is answered turns later when its document arrives. What a
turn owed and its trace does not show is named as a debt that was lost. After each turn the same LM gets one plain call:
the passages that the turn found, the user's words, "answer from these passages, cite", no state. Both may write as many
tokens as the LM is set to; nothing is cached; weights are loaded and prompts warmed by a session that is not counted,
and an embedded engine has a context for each prompt, as it has in service. Exit code 1 when the median turn takes more
than `--bound` times the median plain call, 2 for bad input.

Time to first token is told where the engine tells how long a prompt took: for a turn from its start to the first token
of the answer, all steps before it included.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _turn_debts import ARRIVES, DEBTS, LATE, QUESTIONS, lost
from dspy.lm15 import Config, Message, Request

from turnkeeper import Conversation, load, resolve_lm
from turnkeeper.conversation import ConversationTurn
from turnkeeper.data import demo
from turnkeeper.errors import TurnkeeperError
from turnkeeper.retrieval import Fts5Retriever
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.types import Passage

BOUND = 2.5
PLAIN = (
    "Answer the question from these passages in one to four short sentences. After each sentence cite the id of its"
    " passage in square brackets. If no passage answers it, say so."
)


class Line(NamedTuple):
    """One turn, the plain call beside it, and the debts it lost; milliseconds, None where the LM does not tell."""

    question: str
    status: str
    calls: int
    turn_ms: float
    plain_ms: float
    turn_first_ms: float | None
    plain_first_ms: float | None
    steps: Mapping[str, float]
    lost: tuple[str, ...] = ()


class Clocked:
    """The cite step, with the time at which its first token came."""

    def __init__(self, step: Any, engine: Any) -> None:
        self._step, self._engine = step, engine
        self.first: float | None = None

    def __call__(self, **inputs: Any) -> Any:
        """Answer as the step does."""
        begun, before = time.perf_counter(), _prompt_seconds(self._engine)
        calls = getattr(getattr(self._engine, "stats", None), "calls", 0)
        result = self._step(**inputs)
        after = _prompt_seconds(self._engine)
        made = getattr(getattr(self._engine, "stats", None), "calls", 0) - calls
        # Of several calls (repairs) the mean: the engine keeps totals.
        self.first = None if before is None or after is None or made < 1 else begun + (after - before) / made
        return result


def _prompt_seconds(engine: Any) -> float | None:
    return getattr(getattr(engine, "stats", None), "prompt_seconds", None)


def conversation(lm: Any, program: str) -> tuple[Conversation, Clocked]:
    """Return a conversation whose guards keep no results, and its clocked cite step."""
    guards: dict[str, Any] = {
        name: load(name, lm=lm, program=program, cache_size=0) for name in ("reformulate", "expand", "carry_forward")
    }
    cite = Clocked(load("cite", lm=lm, program=program, cache_size=0), getattr(lm, "engine", None))
    return Conversation(MemoryStore(), lm=lm, answerer=cite, **guards), cite


def plain_call(lm: Any, question: str, passages: Sequence[Passage]) -> tuple[float, float | None]:
    """Return how long one plain call took, and its first token, in milliseconds."""
    listed = "\n".join(f"[{passage.doc_id}] {passage.title}: {passage.text}" for passage in passages)
    asked = f"{listed}\n\nQuestion: {question}"
    config = Config(temperature=0.0, max_tokens=lm.kwargs.get("max_tokens") or 512)
    request = Request(model=lm.model, system=PLAIN, messages=(Message.user(asked),), config=config)
    engine = getattr(lm, "engine", None)
    begun, before = time.perf_counter(), _prompt_seconds(engine)
    lm(request)
    took, after = (time.perf_counter() - begun) * 1000, _prompt_seconds(engine)
    return took, None if before is None or after is None else (after - before) * 1000


def measured(lm: Any, program: str, rounds: int) -> list[Line]:
    """Play the conversation `rounds` times after one that is not counted."""
    talk, cite = conversation(lm, program)
    _play(talk, cite, lm, "warm", QUESTIONS)  # all of them: carry_forward and each predictor of reformulate are asked
    return [line for number in range(rounds) for line in _play(talk, cite, lm, f"round-{number}", QUESTIONS)]


def _play(talk: Conversation, cite: Clocked, lm: Any, session: str, questions: Sequence[str]) -> list[Line]:
    passages = {passage.doc_id: passage for passage in demo.corpus()}
    index = Fts5Retriever()
    index.add(passage for doc_id, passage in passages.items() if doc_id != LATE)
    lines: list[Line] = []
    before: ConversationTurn | None = None
    for number, question in enumerate(questions, start=1):
        if number == ARRIVES:
            index.add([passages[LATE]])
        cite.first = None
        begun = time.perf_counter()
        told = talk.turn(session, question, demo.SCOPE, passages=index)
        turn_ms = (time.perf_counter() - begun) * 1000
        found = [passages[doc_id] for doc_id in told.found or () if doc_id in passages]
        plain_ms, plain_first_ms = plain_call(lm, question, found)
        first = None if cite.first is None else (cite.first - begun) * 1000
        lines.append(
            Line(
                question, told.status, told.lm_calls, turn_ms, plain_ms, first, plain_first_ms, _steps(told),
                lost(number, told, before),
            )
        )  # fmt: skip
        before = told
    return lines


def _steps(told: ConversationTurn) -> dict[str, float]:
    steps: dict[str, float] = {}
    for step in told.steps:
        steps[step.name] = steps.get(step.name, 0.0) + step.latency_ms
    return steps


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def summary(lines: Sequence[Line]) -> dict[str, Any]:
    """Return the figures of a run: medians in milliseconds, their ratio, calls."""
    turn = statistics.median(line.turn_ms for line in lines)
    plain = statistics.median(line.plain_ms for line in lines)
    names = dict.fromkeys(name for line in lines for name in line.steps)
    calls = [line.calls for line in lines]
    return {
        "turns": len(lines),
        "median_turn_ms": round(turn, 1),
        "median_plain_ms": round(plain, 1),
        "ratio": round(turn / plain, 2),
        "ratio_of_sums": round(sum(line.turn_ms for line in lines) / sum(line.plain_ms for line in lines), 2),
        "median_first_token_ms": _median([line.turn_first_ms for line in lines]),
        "median_plain_first_token_ms": _median([line.plain_first_ms for line in lines]),
        "debts": len(DEBTS) * len(lines) // len(QUESTIONS),
        "debts_lost": [f"{name} ({line.question})" for line in lines for name in line.lost],
        "calls_per_turn": round(sum(calls) / len(calls), 2),
        "most_calls": max(calls),
        "median_step_ms": {
            name: round(statistics.median(line.steps.get(name, 0.0) for line in lines), 1) for name in names
        },
    }


def table(lines: Sequence[Line]) -> list[str]:
    """Return the turns, a line each."""
    head = f"{'turn ms':>9} {'plain ms':>9} {'ratio':>6} {'first':>8} {'plain':>8} {'calls':>5}  question"
    rows = [
        f"{line.turn_ms:9.0f} {line.plain_ms:9.0f} {line.turn_ms / line.plain_ms:6.2f} {_shown(line.turn_first_ms)}"
        f" {_shown(line.plain_first_ms)} {line.calls:5d}  {line.question} ({line.status})"
        for line in lines
    ]
    return [head, *rows]


def _shown(value: float | None) -> str:
    return f"{'-' if value is None else round(value):>8}"


def main(arguments: list[str] | None = None, lm: Any = None) -> int:
    """Print the table and the medians; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--api-base")
    parser.add_argument("--program", default="auto")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--bound", type=float, default=BOUND)
    parser.add_argument("--json", type=Path, help="figures and turns as one JSON object")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    try:
        # Five kinds of prompts: the four steps, and the plain call beside them.
        local = options.lm.partition(":")[0] in ("embedded", "gguf")
        engine: dict[str, Any] = {"engine_options": {"max_contexts": 6}} if local else {}
        lm = lm or resolve_lm(options.lm, api_base=options.api_base, **engine)
        lines = measured(lm, options.program, options.rounds)
    except TurnkeeperError as error:
        print(f"turn_latency: {error}", file=sys.stderr)
        return 2
    figures = summary(lines)
    if options.json:
        dumped = {**figures, "lines": [line._asdict() for line in lines]}
        options.json.write_text(json.dumps(dumped, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n".join([*table(lines), ""]))
    for name, value in figures.items():
        print(f"{name}: {value}")
    return 0 if figures["ratio"] <= options.bound else 1


if __name__ == "__main__":
    sys.exit(main())
