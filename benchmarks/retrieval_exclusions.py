"""What becomes of an exclusion in retrieval: contradicting results among the first five, and how many wanted are found.

usage: python benchmarks/retrieval_exclusions.py [--exclusions detected|given] [--corpus FOLDER] [--json]
           [--expansions FILE] [--naive FILE]

The corpus (`retrieval_corpus/`, our own writing) holds for each topic passages with and without a property, and
queries that exclude it, a quarter of them in an earlier turn. Every arm searches the same tantivy index in memory for
the first five; an LM takes part only in the files of added terms that `corpus_expansions.py` writes. "standalone
query" is the one of the corpus, so that the figures show what is done about the exclusion and not how well references
are resolved; the first arm alone sees nothing but the user's last message.

`contradict` is the share of the results that hold what was excluded, `recall` the share of the wanted passages (five a
query) that are among the results. Differences are paired with the arm that leaves the exclusion where it stands, with
95 % bootstrap intervals, resampled by topic. Exit code 2 for bad input.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _exclusion_arms import (
    ARMS,
    BASE,
    Arm,
    CorpusPassage,
    CorpusQuery,
    Exclusions,
    K,
    detected,
    given,
    read,
    read_terms,
    with_terms,
)

from turnkeeper.cli._render import note
from turnkeeper.errors import TurnkeeperError
from turnkeeper.evaluation.statistics import Interval, bootstrap_difference, bootstrap_mean
from turnkeeper.metrics._leaks import same_phrase
from turnkeeper.retrieval import Retriever, TantivyRetriever
from turnkeeper.signatures.types import Passage

CORPUS = Path(__file__).parent / "retrieval_corpus"
SOURCES: dict[str, Exclusions] = {"detected": detected, "given": given}


class Outcome(NamedTuple):
    """What an arm found for a query."""

    contradict: float
    recall: float


class Line(NamedTuple):
    """An arm over some queries; the differences are to the base arm."""

    title: str
    contradict: Interval
    contradict_difference: Interval
    recall: Interval
    recall_difference: Interval


def outcome(query: CorpusQuery, found: Sequence[str]) -> Outcome:
    """Return the two figures of one query; nothing found contradicts nothing and recalls nothing."""
    top = list(dict.fromkeys(found))[:K]
    bad, good = sum(name in query.contradicting for name in top), sum(name in query.wanted for name in top)
    return Outcome(bad / max(1, len(top)), good / min(K, len(query.wanted)))


def run(
    retriever: Retriever, queries: Sequence[CorpusQuery], exclusions: Exclusions, arms: Sequence[Arm] = ARMS
) -> dict[str, list[Outcome]]:
    """Return the outcomes of every arm, in the order of the queries."""
    states = [exclusions(query) for query in queries]

    def one(arm: Arm) -> list[Outcome]:
        return [
            outcome(query, [passage.doc_id for passage in arm.search(retriever, query, state)])
            for query, state in zip(queries, states, strict=True)
        ]

    return {arm.name: one(arm) for arm in arms}


def table(queries: Sequence[CorpusQuery], outcomes: dict[str, list[Outcome]], arms: Sequence[Arm] = ARMS) -> list[Line]:
    """Return a line for each arm."""
    families = [query.topic for query in queries]

    def mean(name: str, figure: Callable[[Outcome], float]) -> tuple[Interval, Interval]:
        base, own = [figure(o) for o in outcomes[BASE]], [figure(o) for o in outcomes[name]]
        return bootstrap_mean(own, families), bootstrap_difference(base, own, families)

    return [
        Line(arm.title, *mean(arm.name, lambda o: o.contradict), *mean(arm.name, lambda o: o.recall)) for arm in arms
    ]


def recognised(queries: Sequence[CorpusQuery], exclusions: Exclusions) -> int:
    """Return for how many queries the state is exactly what the corpus says."""

    def right(query: CorpusQuery) -> bool:
        active = [e.phrase for e in exclusions(query) if e.status == "active"]
        wanted = query.excluded
        return len(active) == len(wanted) and all(any(same_phrase(a, w) for w in wanted) for a in active)

    return sum(map(right, queries))


def printed(title: str, lines: Sequence[Line]) -> str:
    """Return lines as a Markdown table."""
    rows = [
        f"| {title} | contradict@{K} % | difference | recall@{K} % | difference |",
        "|---|---|---|---|---|",
    ]
    for line in lines:
        cells = (
            f"{100 * line.contradict.mean:.1f}",
            _signed(line.contradict_difference),
            f"{100 * line.recall.mean:.1f}",
            _signed(line.recall_difference),
        )
        rows.append(f"| {line.title} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _signed(interval: Interval) -> str:
    if math.isnan(interval.mean) or (interval.mean == interval.low == interval.high == 0):
        return "–"
    if not interval.known:
        return f"{100 * interval.mean:+.1f} [n/a]"
    return f"{100 * interval.mean:+.1f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Do what the options say and return the figures."""
    passages = read(options.corpus / "passages.jsonl", CorpusPassage)
    queries = read(options.corpus / "queries.jsonl", CorpusQuery)
    retriever = TantivyRetriever()
    retriever.add(Passage(doc_id=p.doc_id, title=p.title, text=p.text) for p in passages)
    exclusions = SOURCES[options.exclusions]
    arms = (*ARMS, *with_terms(read_terms(options.naive, queries), read_terms(options.expansions, queries)))
    outcomes = run(retriever, queries, exclusions, arms)
    groups = {
        "all queries": list(range(len(queries))),
        "exclusion in the message": [n for n, query in enumerate(queries) if not query.is_carried],
        "exclusion of an earlier turn": [n for n, query in enumerate(queries) if query.is_carried],
    }
    return {
        "passages": len(passages),
        "queries": len(queries),
        "topics": len({query.topic for query in queries}),
        "exclusions": options.exclusions,
        "recognised": recognised(queries, exclusions),
        "groups": {
            f"{title} ({len(numbers)})": table(
                [queries[n] for n in numbers],
                {name: [found[n] for n in numbers] for name, found in outcomes.items()},
                arms,
            )
            for title, numbers in groups.items()
            if numbers
        },
    }


def as_json(figures: dict[str, Any]) -> str:
    """Return the figures for a machine."""
    groups = {
        title: [
            {key: value._asdict() if isinstance(value, Interval) else value for key, value in line._asdict().items()}
            for line in lines
        ]
        for title, lines in figures["groups"].items()
    }
    return json.dumps({**figures, "groups": groups}, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exclusions", choices=sorted(SOURCES), default="detected", help="where they come from")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder with passages.jsonl and queries.jsonl")
    parser.add_argument("--expansions", type=Path, help="output of `turnkeeper run expand` on the corpus's queries")
    parser.add_argument("--naive", type=Path, help="terms of an LM that knew of no exclusion (corpus_expansions.py)")
    parser.add_argument("--json", action="store_true", help="figures for a machine")
    options = parser.parse_args(arguments)
    try:
        figures = compare(options)
    except TurnkeeperError as error:
        note(f"retrieval_exclusions: {error}")
        return 2
    if options.json:
        print(as_json(figures))
        return 0
    print(
        f"{figures['passages']} passages, {figures['queries']} queries of {figures['topics']} topics; exclusions "
        f"{figures['exclusions']}, exactly right in {figures['recognised']} queries."
    )
    for title, lines in figures["groups"].items():
        print(f"\n{printed(title, lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
