"""Measure the budgets of the design as ratios, side by side in one run. Prints a table and, with --json, the figures.

usage: python benchmarks/budgets.py [--json FILE] [--no-model]

Absolute times of a shared machine mean little; each line says what is compared with what. The model lines need the
embedded weights (`turnkeeper models pull`).
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Line(NamedTuple):
    """One measured budget."""

    what: str
    measured: float
    bound: float
    unit: str
    note: str

    @property
    def holds(self) -> bool:
        """Whether the bound is kept; `warm prefix` is the only line where more is better."""
        return self.measured >= self.bound if self.unit == "x faster" else self.measured <= self.bound


def seconds(run: Callable[[], Any], times: int) -> list[float]:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return found


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def processes() -> list[Line]:
    def best(*arguments: str) -> float:
        return min(seconds(lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True), 7))

    bare = best("-c", "pass")
    imported = best("-c", "import turnkeeper")
    shown = best("-m", "turnkeeper", "--help")
    return [
        Line("import turnkeeper", imported - bare, 0.1, "s", f"best of 7, bare Python {bare:.3f} s taken off"),
        Line("turnkeeper --help", shown, 0.4, "s", "best of 7, whole process"),
    ]


def checks() -> list[Line]:
    from turnkeeper.data.rows import read_strict, row_model
    from turnkeeper.metrics.reformulate import check

    golden = Path(__file__).resolve().parent.parent / "data/golden/reformulate/test.jsonl"
    rows = [(row.data, row.raw["gold"]["standalone_query"]) for row in read_strict(golden, row_model("reformulate"))]

    def one(data: Any, gold: str) -> None:
        check(
            history=data.history,
            query=data.query,
            prediction={"standalone_query": gold},
            access_scope=data.access_scope,
        )

    for data, gold in rows:
        one(data, gold)
    spent = [statistics.median(seconds(lambda d=data, g=gold: one(d, g), 3)) for data, gold in rows]
    from turnkeeper.signatures.types import Turn

    words = "the pump of the north basin was repaired by the harbour crew in spring and it runs again. "

    def long(size: int) -> float:
        history = [
            Turn(role="user", content="What was repaired?"),
            Turn(role="assistant", content=words * (size // len(words))),
        ]
        query = "and what did it cost?"
        return min(
            seconds(
                lambda: check(history=history, query=query, prediction={"standalone_query": "What did the pump cost?"}),
                5,
            )
        )

    return [
        Line(
            "all checks of one turn",
            statistics.median(spent) * 1000,
            1.0,
            "ms",
            f"median of {len(rows)} golden test turns",
        ),
        Line("checks at 100 kB against 50 kB", long(100_000) / long(50_000), 2.4, "x", "linear is 2; best of 5 each"),
    ]


def loads(lm: Any) -> list[Line]:
    import turnkeeper

    turnkeeper.load("reformulate", lm=lm)
    spent = seconds(lambda: turnkeeper.load("reformulate", lm=lm), 20)
    return [Line("load() of a compiled program", statistics.median(spent) * 1000, 10.0, "ms", "median of 20")]


def memory_of_turns() -> list[Line]:
    """Serve 10,000 turns with an instant engine; compare the memory after 2,000 with the memory after 10,000.

    No two queries are the same, over a vocabulary of a few hundred words: caches of words fill once and stay.
    """
    import dspy
    from dspy.lm15 import Message, Response, Usage

    import turnkeeper
    from turnkeeper.signatures.types import Turn

    class Instant:
        supports_response_schema = True
        supported_params = ("temperature", "max_tokens", "response_format")

        def complete(self, request: Any) -> Any:
            text = '{"referents": [{"mention": "it", "referent": "the Tarn ferry"}]}'
            return Response(
                id="instant", model=request.model, message=Message.assistant(text), finish_reason="stop",
                usage=Usage(input_tokens=1, output_tokens=1),
            )  # fmt: skip

    keeper = turnkeeper.load(
        "reformulate", lm=dspy.LM("instant/engine", engine=Instant(), cache=False), program="zero-shot"
    )
    history = [
        Turn(role="user", content="How long does the Tarn ferry take?"),
        Turn(role="assistant", content="40 minutes."),
    ]
    marks = {}
    for number in range(1, 10_001):
        result = keeper(history=history, query=f"does it run on day {number % 97} of week {number % 103}?")
        assert not result.fallback, result
        if number in (2_000, 10_000):
            gc.collect()
            marks[number] = resident_mb()
    grown = marks[10_000] - marks[2_000]
    return [
        Line(
            "memory of 8,000 further turns served",
            grown,
            10.0,
            "MB",
            f"{marks[2_000]:.0f} MB after 2,000 turns; instant engine",
        )
    ]


def model(lm: Any) -> list[Line]:
    import turnkeeper
    from turnkeeper.signatures.types import Turn

    engine = lm.engine
    keeper = turnkeeper.load("reformulate", lm=lm, cache_size=0)
    towns = "Arle Brod Carden Dresk Eskby Falk Gorm Holm Ivre Jorn Kell Lund Mork Nes Orm Parn".split()
    turns = [
        (
            [
                Turn(role="user", content=f"How long does the {t} ferry take?"),
                Turn(role="assistant", content=f"The {t} ferry takes {n + 20} minutes from the north pier."),
            ],
            "does it run at night?",
        )
        for n, t in enumerate(towns)
    ]
    before = resident_mb()
    start = time.perf_counter()
    keeper(history=turns[0][0], query=turns[0][1])
    cold_turn = time.perf_counter() - start
    one_context = resident_mb()
    cold_prompt = engine.stats.prompt_seconds
    engine.reset_stats()
    whole = 0.0
    for history, query in turns[1:]:
        start = time.perf_counter()
        result = keeper(history=history, query=query)
        whole += time.perf_counter() - start
        assert not result.fallback, result
    inside = engine.stats.prompt_seconds + engine.stats.completion_seconds
    warm_prompt = engine.stats.prompt_seconds / engine.stats.calls
    reused = engine.stats.reused_tokens / engine.stats.prompt_tokens
    calls = engine.stats.calls
    lines = [
        Line(
            "overhead over the bare LM call",
            100 * (whole - inside) / inside,
            5.0,
            "%",
            f"{calls} warm turns, {whole / calls:.2f} s each; reused tokens {reused:.0%}; first turn {cold_turn:.1f} s",
        ),
        Line(
            "warm prefix against cold prompt",
            cold_prompt / warm_prompt,
            10.0,
            "x faster",
            f"to the first token: {cold_prompt:.2f} s cold, {warm_prompt:.2f} s warm",
        ),
    ]
    from dspy.lm15 import Config, Message, Request

    for kind in ("alpha", "beta", "gamma"):
        system = f"Kind {kind}. " + "Keep the log. " * 250
        engine.complete(
            Request(model=lm.model, system=system, messages=(Message.user("Say yes."),), config=Config(max_tokens=4))
        )
    four = resident_mb()
    lines.append(
        Line(
            "memory of four contexts against one",
            four / one_context,
            1.3,
            "x",
            f"{before:.0f} MB before, {one_context:.0f} MB with 1 context, {four:.0f} MB with {engine.contexts}",
        )
    )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-model", action="store_true")
    options = parser.parse_args()
    lines = [*processes(), *checks(), *memory_of_turns()]
    if not options.no_model:
        from turnkeeper.lms import resolve_lm

        lm = resolve_lm("embedded", cache=False)
        lines += [*loads(lm), *model(lm)]
    for line in lines:
        verdict = "ok  " if line.holds else "OVER"
        print(f"{verdict} {line.what}: {line.measured:.3g} {line.unit} (bound {line.bound:g}); {line.note}")
    if options.json:
        options.json.write_text(
            json.dumps([{**line._asdict(), "holds": line.holds} for line in lines], indent=1) + "\n"
        )
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
