"""BM25 over a pool of passages, in numpy: small, exact and the same on every machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .public_rewrites import FUNCTION_WORDS

K1, B = 1.2, 0.75


class Bm25:
    """An index with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, 2009), and an idf that is never negative.

    Args:
        texts: One a passage.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        terms: dict[str, int] = {}
        passages: list[int] = []
        columns: list[int] = []
        counts: list[int] = []
        lengths: list[int] = []
        for place, text in enumerate(texts):
            bag = Counter(_terms(text))
            lengths.append(bag.total())
            for term, count in bag.items():
                passages.append(place)
                columns.append(terms.setdefault(term, len(terms)))
                counts.append(count)
        self._terms = terms
        self.size = len(lengths)
        order = np.argsort(np.array(columns, dtype=np.int64), kind="stable")
        column, self._passages = np.array(columns, dtype=np.int64)[order], np.array(passages, dtype=np.int64)[order]
        often, length = np.array(counts, dtype=float)[order], np.array(lengths, dtype=float)
        holding = np.bincount(column, minlength=len(terms))
        self._starts = np.concatenate(([0], np.cumsum(holding)))
        idf = np.log(1 + (self.size - holding + 0.5) / (holding + 0.5))
        relative = length[self._passages] / length.mean() if length.sum() else 0.0
        self._weights = often * (K1 + 1) / (often + K1 * (1 - B + B * relative)) * idf[column]

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of each passage; a term that the query says twice counts twice."""
        found = np.zeros(self.size)
        for term, count in Counter(_terms(query)).items():
            place = self._terms.get(term)
            if place is not None:
                span = slice(self._starts[place], self._starts[place + 1])
                found[self._passages[span]] += self._weights[span] * count
        return found


def _terms(text: str) -> list[str]:
    return [term for term in re.findall(r"[a-z0-9]+", text.lower()) if term not in FUNCTION_WORDS]
