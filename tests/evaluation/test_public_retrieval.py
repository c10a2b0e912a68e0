"""BM25 and what an arm finds, against the formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from turnkeeper.data.public import MtragPassage, PublicTurn
from turnkeeper.evaluation.bm25 import Bm25
from turnkeeper.evaluation.public_retrieval import ndcg, score_retrieval
from turnkeeper.signatures.types import Turn

TEXTS = ["heron heron lake", "heron city", "tram city map city", "the of", ""]


def test_bm25_is_the_formula() -> None:
    found = Bm25(TEXTS).scores("a heron CITY, city")
    lengths, mean = [3, 2, 4, 0, 0], 9 / 5
    idf = {"heron": math.log(1 + (5 - 2 + 0.5) / 2.5), "city": math.log(1 + (5 - 2 + 0.5) / 2.5)}

    def weight(count: int, length: int) -> float:
        return count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))

    wanted = [
        idf["heron"] * weight(2, lengths[0]),
        idf["heron"] * weight(1, lengths[1]) + 2 * idf["city"] * weight(1, lengths[1]),
        2 * idf["city"] * weight(2, lengths[2]),
        0.0,
        0.0,
    ]
    assert found == pytest.approx(wanted)


def test_words_that_no_passage_holds_score_nothing() -> None:
    assert np.array_equal(Bm25(TEXTS).scores("the zeppelin"), np.zeros(5))
    assert np.array_equal(Bm25(["", "of"]).scores("heron"), np.zeros(2))


def test_ndcg_counts_ranks_and_the_ideal() -> None:
    gold = frozenset("ab")
    assert ndcg(list("abxyz"), gold) == 1.0
    assert ndcg(list("xaybz"), gold) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert ndcg(list("xyz"), gold) == 0.0
    assert ndcg(list("abcde"), frozenset("abcdefgh")) == 1.0


def test_the_context_leg_adds_the_previous_question() -> None:
    passages = [MtragPassage(_id=f"p{n}", title="", text=text) for n, text in enumerate(
        ["noise price"] * 6 + ["heron price", "lake"]
    )]  # fmt: skip
    turn = PublicTurn(
        id="t", conversation="c", query="price", domain="govt", gold_passages=("p6",),
        history=(Turn(role="user", content="heron"), Turn(role="assistant", content="noise")),
    )  # fmt: skip
    found = dict(score_retrieval([turn], {"ours": {"t": "price"}}, lambda domain: passages, context_weight=1.0))
    assert found["t"]["ours"] == (0.0, 0.0)
    assert found["t"]["ours + context"] == (1.0, 1.0)


def test_each_domain_is_indexed_once() -> None:
    asked: list[str] = []

    def pool(domain: str) -> list[MtragPassage]:
        asked.append(domain)
        return [MtragPassage(_id=f"{domain}-1", text="price")]

    turns = [
        PublicTurn(id=f"{n}", conversation="c", query="price", history=(), domain=d, gold_passages=(f"{d}-1",))
        for n, d in enumerate(["govt", "fiqa", "govt"])
    ]
    found = dict(score_retrieval(turns, {"a": {t.id: t.query for t in turns}}, pool, context_weight=0.3))
    assert asked == ["govt", "fiqa"] and list(found) == ["0", "2", "1"]
    assert {scores["a"].ndcg_at_5 for scores in found.values()} == {1.0}
