"""What a query finds in a pool of passages: nDCG@5 and recall@5, with and without a context leg."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..data.public import MtragPassage, PublicTurn
from .bm25 import Bm25

__all__ = ["CUT", "LEG", "RetrievalScore", "ndcg", "score_retrieval"]

CUT = 5
LEG = " + context"
"""What the name of an arm ends with when the previous question's scores were added."""


class RetrievalScore(NamedTuple):
    """What one arm found for one turn."""

    ndcg_at_5: float
    recall_at_5: float


def score_retrieval(
    turns: Sequence[PublicTurn],
    arms: Mapping[str, Mapping[str, str]],
    pool: Callable[[str], Sequence[MtragPassage]],
    *,
    context_weight: float,
) -> Iterator[tuple[str, dict[str, RetrievalScore]]]:
    """Yield the id of each turn and the score of each arm, domain by domain; one index is held at a time.

    Args:
        turns: Turns with a domain and gold passages.
        arms: Name of an arm -> id of a turn -> the query.
        pool: Passages of a domain.
        context_weight: Weight of the previous user message in the arms whose names end with `LEG`.
    """
    for domain in dict.fromkeys(turn.domain or "" for turn in turns):
        passages = pool(domain)
        index = Bm25(f"{passage.title} {passage.text}" for passage in passages)
        names = [passage.id for passage in passages]
        for turn in turns:
            if (turn.domain or "") == domain:
                yield turn.id, _of_turn(turn, arms, index, names, context_weight)


def ndcg(found: Sequence[str], gold: frozenset[str]) -> float:
    """Return nDCG of the found ids with gains of 0 and 1; the ideal has every gold passage that fits."""
    gain = sum(1 / math.log2(rank + 2) for rank, name in enumerate(found) if name in gold)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(CUT, len(gold))))
    return gain / ideal if ideal else 0.0


def _of_turn(
    turn: PublicTurn, arms: Mapping[str, Mapping[str, str]], index: Bm25, names: Sequence[str], weight: float
) -> dict[str, RetrievalScore]:
    asked = next((message.content for message in reversed(turn.history) if message.role == "user"), "")
    leg = weight * index.scores(asked)
    gold = frozenset(turn.gold_passages)
    scores: dict[str, RetrievalScore] = {}
    for arm, queries in arms.items():
        alone = index.scores(queries[turn.id])
        for name, found in ((arm, alone), (arm + LEG, alone + leg)):
            scores[name] = _score(_best(found, names), gold)
    return scores


def _best(scores: npt.NDArray[np.float64], names: Sequence[str]) -> list[str]:
    """Return the first `CUT` ids; of equal scores the earlier passage comes first."""
    return [names[place] for place in np.argsort(-scores, kind="stable")[:CUT]]


def _score(found: Sequence[str], gold: frozenset[str]) -> RetrievalScore:
    return RetrievalScore(ndcg(found, gold), len(gold.intersection(found)) / len(gold))
