"""Demos: pools of complete ones, each proven by the metric, and seeded choices from them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dspy
from dspy import lm15

from ..adapters import CompactAdapter
from ..adapters._render import json_line
from ..behaviours import Demo, GoldenRow
from .parameters import THRESHOLD
from .task import CompileTask, state_of


class PooledDemo(NamedTuple):
    """A demo with the row that it was made of."""

    row_id: str
    kind: str
    family: str
    predictor: str
    fields: dict[str, Any]


class _Oracle:
    """An engine that answers what the demos of a row say, each to the prompt that it was made of.

    Args:
        reply: The answer to any other prompt.
        replies: Prompt to answer.
    """

    supports_response_schema = False
    supported_params = frozenset({"temperature", "max_tokens"})

    def __init__(self, reply: str, replies: Mapping[str, str]) -> None:
        self.reply = reply
        self.replies = replies

    def complete(self, request: lm15.Request) -> lm15.Response:
        return lm15.Response(
            id="oracle",
            model=request.model,
            message=lm15.Message.assistant(self.replies.get(request.messages[-1].text or "", self.reply)),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=0, output_tokens=0),
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> _Oracle:
        return self


def proven(task: CompileTask, row: GoldenRow, demo: Demo, siblings: Sequence[Demo] = ()) -> float:
    """Return what the metric gives the program on the demo's row when the model answers exactly as the demo says.

    Args:
        siblings: The other demos of the row, where the program makes several calls.
    """
    program = task.program()
    adapter = CompactAdapter()

    def told(each: Demo) -> tuple[str, str]:
        signature = getattr(program, each.predictor).signature
        asked = adapter.format_user_message_content(signature, each.fields)
        return asked, json_line({name: each.fields[name] for name in signature.output_fields})

    lm = dspy.LM(
        "oracle/demo",
        engine=_Oracle(told(demo)[1], dict(told(each) for each in (*siblings, demo))),
        cache=False,
        num_retries=0,
    )
    try:
        with dspy.context(lm=lm, adapter=adapter, disable_history=True, trace=None):
            prediction = program(**task.behaviour.inputs(row))
    except Exception:  # a demo that the program cannot even read must not teach
        return 0.0
    return float(task.metric(row, prediction).score)


def gold_pool(task: CompileTask, threshold: float = THRESHOLD) -> list[PooledDemo]:
    """Return the demos of the train rows' golds that the metric accepts, in row order."""
    return [
        PooledDemo(row.id, row.kind, row.family, demo.predictor, demo.fields)
        for row in task.train
        for made in [task.behaviour.demos(row, task.form)]
        for demo in made
        if proven(task, row, demo, made) >= threshold
    ]


def choose(pool: Sequence[PooledDemo], count: int, rng: random.Random) -> list[PooledDemo]:
    """Choose demos for one predictor: kinds in a random order, one of each before a second of any; no family twice."""
    by_kind: dict[str, list[PooledDemo]] = {}
    for demo in pool:
        by_kind.setdefault(demo.kind, []).append(demo)
    kinds = sorted(by_kind)
    rng.shuffle(kinds)
    for kind in kinds:
        rng.shuffle(by_kind[kind])
    chosen: list[PooledDemo] = []
    families: set[str] = set()
    while len(chosen) < count and any(by_kind.values()):
        for kind in kinds:
            while by_kind[kind]:
                demo = by_kind[kind].pop()
                if demo.family not in families:
                    families.add(demo.family)
                    chosen.append(demo)
                    break
            if len(chosen) == count:
                break
    return chosen


def by_predictor(pool: Sequence[PooledDemo]) -> dict[str, list[PooledDemo]]:
    """Group a pool by predictor, in order."""
    groups: dict[str, list[PooledDemo]] = {}
    for demo in pool:
        groups.setdefault(demo.predictor, []).append(demo)
    return groups


def with_demos(
    task: CompileTask, chosen: dict[str, list[PooledDemo]], instructions: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the state of a fresh program with these demos, and instructions, by predictor."""
    program = task.program()
    for name, predictor in program.named_predictors():
        predictor.demos = [demo.fields for demo in chosen.get(name, [])]
        if instructions and name in instructions:
            predictor.signature = predictor.signature.with_instructions(instructions[name])
    return state_of(program)


def ids(chosen: dict[str, list[PooledDemo]]) -> dict[str, list[str]]:
    """Return the row ids of chosen demos by predictor, for the record."""
    return {name: [demo.row_id for demo in demos] for name, demos in sorted(chosen.items())}
