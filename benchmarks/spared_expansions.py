"""What a turn gives up by asking no LM for more words: retrieval where the query's own words are taken to be enough.

usage: python benchmarks/spared_expansions.py TASKS.jsonl --pool FOLDER [--k 4] [--context-weight 0.3] [--lm SPEC]
           [--program auto|zero-shot|FOLDER] [--rows N] [--json]

MTRAG, its fixed ids; each turn is searched for by the data set's own rewrite and by the user's message before at
--context-weight, by BM25 over title and text. Of the first --k passages

    first alone   has all content words of the query: there a turn asks no LM (`turnkeeper._turn.enough`)
    some          has them, the first or another, one or several: the looser rule, which is not used

For the turns of both the LM is asked, and nDCG@5 is told without its terms and with them at the weight of a turn.
Intervals resample by conversation. The rule was chosen on these turns. Exit code 2 for bad input.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from turnkeeper import load
from turnkeeper._turn.enough import enough
from turnkeeper.cli._bench_rows import chosen, public_set
from turnkeeper.cli._progress import Progress
from turnkeeper.cli._render import note, print_json
from turnkeeper.data.public import MtragPassage, PublicTurn, read_pool
from turnkeeper.errors import InputError, TurnkeeperError
from turnkeeper.evaluation.bm25 import Bm25
from turnkeeper.evaluation.public_retrieval import CUT, ndcg
from turnkeeper.evaluation.statistics import bootstrap_difference
from turnkeeper.modules._expand_compose import TERM_WEIGHT
from turnkeeper.signatures.types import Passage


class Spared(NamedTuple):
    """A turn of which some passage has all words.

    Attributes:
        first_alone: Whether only the first one has.
        plain: nDCG@5 by the query's own words.
        expanded: The same with the LM's terms.
    """

    id: str
    conversation: str
    first_alone: bool
    plain: float
    expanded: float


def measure(turns: Sequence[PublicTurn], pool: Path, expand: Any, *, k: int, weight: float) -> list[Spared]:
    """Return the turns of which some passage has all words; one index is held at a time."""
    found: list[Spared] = []
    done = 0
    with Progress("spared expansions", len(turns)) as progress:
        for domain in dict.fromkeys(turn.domain or "" for turn in turns):
            passages = read_pool(pool, domain)
            index = Bm25(f"{passage.title} {passage.text}" for passage in passages)
            for turn in (one for one in turns if (one.domain or "") == domain):
                found += _of_turn(turn, passages, index, expand, k, weight)
                done += 1
                progress.update(done)
    return found


def _of_turn(
    turn: PublicTurn, passages: Sequence[MtragPassage], index: Bm25, expand: Any, k: int, weight: float
) -> Iterator[Spared]:
    query, gold = turn.rewrite or turn.query, frozenset(turn.gold_passages)
    before = next((message.content for message in reversed(turn.history) if message.role == "user"), "")
    scores = index.scores(query) + weight * index.scores(before)
    best = [
        Passage(doc_id=passages[place].id, title=passages[place].title, text=passages[place].text)
        for place in _ranked(scores)[:k]
    ]
    if not any(enough(query, [passage]) for passage in best):
        return
    result = expand(history=list(turn.history), query=turn.query, standalone_query=query)
    expanded = scores + TERM_WEIGHT * sum((index.scores(term) for term in result.expansion_terms_added), np.zeros(1))
    plain, with_terms = (ndcg([passages[place].id for place in _ranked(one)[:CUT]], gold) for one in (scores, expanded))
    yield Spared(turn.id, turn.conversation, enough(query, best), plain, with_terms)


def _ranked(scores: npt.NDArray[np.float64]) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable") if scores[place] > 0]


def figures(found: Sequence[Spared], turns: int) -> dict[str, Any]:
    """Return for each rule how many turns it takes, their nDCG@5, and what the terms bring there and over all."""
    rules = {"first alone": [one for one in found if one.first_alone], "some": list(found)}
    return {"turns": turns, "rules": {name: _figures(some, turns) for name, some in rules.items()}}


def _figures(some: Sequence[Spared], turns: int) -> dict[str, Any]:
    if not some:
        return {"turns": 0}
    plain, expanded = [one.plain for one in some], [one.expanded for one in some]
    gain = bootstrap_difference(plain, expanded, [one.conversation for one in some])
    return {
        "turns": len(some),
        "plain": round(float(np.mean(plain)), 4),
        "gain": gain.mean,
        "interval": None if math.isnan(gain.low) else [gain.low, gain.high],  # of few conversations there is none
        "gain_over_all_turns": gain.mean * len(some) / turns,
    }


def main(arguments: Sequence[str] | None = None, lm: Any = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--pool", type=Path, required=True)
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--context-weight", type=float, default=0.3)
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--program", default="auto")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        source = public_set(options.tasks, None, "rewrite")
        turns = [
            turn
            for turn in chosen(source.read(options.tasks), options.tasks, source, None)
            if turn.history and turn.gold_passages and turn.domain
        ][: options.rows]
        if not turns:
            raise InputError(f"{options.tasks}: {source.name} has no turn with relevant passages; MTRAG has")
        expand = load("expand", options.lm if lm is None else lm, program=options.program)
        found = measure(turns, options.pool, expand, k=options.k, weight=options.context_weight)
    except TurnkeeperError as error:
        note(f"spared_expansions: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    told = figures(found, len(turns))
    if options.json:
        print_json(told)
        return 0
    for name, one in told["rules"].items():
        print(f"{name}: {one['turns']} of {told['turns']} turns", end="")
        if one["turns"]:
            interval = "[{:+.3f}, {:+.3f}]".format(*one["interval"]) if one["interval"] else "of too few conversations"
            print(f", nDCG@5 {one['plain']:.3f}, the LM's terms {one['gain']:+.3f} {interval}", end="")
            print(f", over all turns {one['gain_over_all_turns']:+.4f}", end="")
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
