"""How long parser, checks and rendering of citations take: for hostile text by length, and beside an LM's answer.

usage: python benchmarks/citation_speed.py [--bytes 1000000] [--answers 200] [--lm embedded] [--json]

growth: hostile text of half the length and of the length, processor time of each and the ratio (2 is linear); the texts
go through the parser and all checks, as the answer of a foreign program, and through rendering. answers: golden dev
answers through all checks. --lm: the same LM answers some of the questions, for the ratio; without it that is left out.
Exit code 1 when a text of twice the length takes more than 2.8 times as long, or the LM is not 100 times slower.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import turnkeeper
from turnkeeper.data import cite
from turnkeeper.metrics._markers import find_markers
from turnkeeper.metrics.cite import check
from turnkeeper.modules._cite_evidence import evidence
from turnkeeper.modules._cite_history import without_citations
from turnkeeper.modules._cite_render import rendered
from turnkeeper.signatures.types import CitationRegistry, Passage

LINEAR = 2.8  # 2 is linear; the rest is room for a loaded machine
FASTER = 100.0
ASKED = 6  # questions that the LM answers
KNOWN = [Passage(doc_id=f"DOC-{n:03d}", title=f"Title {n}", text=f"Text {n} holds {n} things.") for n in range(1, 40)]
UNITS = {
    "open brackets": "[",
    "brackets": "[]",
    "markers": "It is so [Source: DOC-001]. ",
    "unknown": "So [Source: ZOR-9]. ",
    "unclosed": "So [Source: DOC-001 ",
    "numbers": "[1][2, 3][1-9]",
    "nested": "[[1]",
    "superscripts": "word\u00b2 12\u00b3 ",
    "backticks": "`[Source: DOC-001]` ``",
    "links": "[a](b)[Source: DOC-001](c) ",
    "sections": "Sources:\n- DOC-001: Title 1\n",
    "blanks": " ",
    "lines": "\n",
    "full stops": "a. B! c? ",
    "words": "word_word https://a.example ",
    "semicolons": "[1;",
}


def read(text: str) -> None:
    """Do for a text what a turn does with a foreign answer: parse, check, render, replay."""
    registry = CitationRegistry(convention="source_tag")
    find_markers(text, [p.doc_id for p in KNOWN], "source_tag")
    check(registry=registry, context=KNOWN, question="What is it?", prediction={"answer": text})
    rendered(text, evidence(registry, KNOWN), "source_tag")
    without_citations(text, {p.doc_id: n for n, p in enumerate(KNOWN, 1)})


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def growth(size: int) -> dict[str, dict[str, float]]:
    """Return processor times of hostile texts of half the size and of the size, in bytes of ASCII."""
    found = {}
    for name, unit in UNITS.items():
        half, whole = (unit * (length // len(unit) + 1) for length in (size // 2, size))
        read(half[:2_000])
        few, many = seconds(lambda t=half[: size // 2]: read(t)), seconds(lambda t=whole[:size]: read(t))  # type: ignore[misc]
        found[name] = {"half": few, "whole": many, "ratio": many / few if few else 1.0}
    return found


def answers(number: int) -> float:
    """Return the milliseconds of processor time that the checks of one golden answer take, the mean over `number`."""
    rows = [row for row in cite.load("dev") if not row.gold.abstain]

    def work() -> None:
        for n in range(number):
            row = rows[n % len(rows)]
            prediction = {"answer": f"{row.gold.answer}", "sources": [s.model_dump() for s in row.gold.sources]}
            check(registry=row.registry, context=row.context, question=row.question, prediction=prediction,
                  access_scope=row.access_scope)  # fmt: skip

    for row in rows[:10]:
        check(registry=row.registry, context=row.context, question=row.question, prediction={"answer": row.gold.answer})
    return 1000 * seconds(work) / number


def of_lm(lm: Any) -> float:
    """Return the milliseconds that the LM takes for an answer, by the clock, the mean of some questions."""
    guard = turnkeeper.load("cite", lm=lm, program="zero-shot", cache_size=0)
    rows = [row for row in cite.load("dev") if not row.gold.abstain and row.context][:ASKED]
    start = time.perf_counter()
    calls = 0
    for row in rows:
        result = guard(history=list(row.history), query=row.question, registry=row.registry,
                       context=list(row.context or ()), access_scope=row.access_scope, turn=row.turn)  # fmt: skip
        calls += max(1, result.lm_attempts)
    return 1000 * (time.perf_counter() - start) / calls


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--lm", default=None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    figures: dict[str, Any] = {"bytes": options.bytes, "growth": growth(options.bytes)}
    figures |= {"answers": options.answers, "ms an answer": answers(options.answers)}
    if options.lm:
        from turnkeeper.lms import resolve_lm

        lm = resolve_lm(options.lm, cache=False)
        figures |= {"lm": lm.model, "ms of the LM": of_lm(lm)}
        figures["times faster"] = figures["ms of the LM"] / figures["ms an answer"]
    print(json.dumps(figures, indent=1) if options.json else _lines(figures))
    slow = figures.get("times faster", FASTER) < FASTER
    return 1 if slow or any(line["ratio"] > LINEAR for line in figures["growth"].values()) else 0


def _lines(figures: dict[str, Any]) -> str:
    lines = [f"| {figures['bytes']} bytes of | half, s | whole, s | ratio |", "|---|---:|---:|---:|"]
    for name, line in figures["growth"].items():
        lines.append(f"| {name} | {line['half']:.2f} | {line['whole']:.2f} | {line['ratio']:.2f} |")
    lines.append(f"checks: {figures['ms an answer']:.2f} ms an answer (n={figures['answers']})")
    if "lm" in figures:
        lines.append(f"{figures['lm']}: {figures['ms of the LM']:.0f} ms, {figures['times faster']:.0f} times as long")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
