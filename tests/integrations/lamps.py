"""Three lamps, one of them without a cord, and a keeper that answers from a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnkeeper.retrieval import CallableRetriever, SearchRequest
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Passage

PASSAGES = (
    Passage(doc_id="lamp-1", title="Aldra", text="The Aldra lamp costs 40 crowns and comes with a cord of two metres."),
    Passage(doc_id="lamp-2", title="Birla", text="The Birla lamp costs 55 crowns and has no cord."),
)
HISTORY = (
    {"role": "user", "content": "Which lamps do you sell?"},
    {"role": "assistant", "content": "The Aldra lamp and the Birla lamp."},
)
STANDALONE = "prices of lamps without a cord"


class Index:
    """Finds the lamps, in order, and notes what it was asked."""

    def __init__(self, passages: Sequence[Passage] = PASSAGES) -> None:
        self.passages = tuple(passages)
        self.asked: list[SearchRequest] = []
        self._found = CallableRetriever(lambda request: self.passages)

    def search(self, request: SearchRequest) -> Sequence[Passage]:
        self.asked.append(request)
        return self._found.search(request)


class Keeper:
    """Answers with one rewrite and notes what it was asked."""

    def __init__(self, text: str = STANDALONE) -> None:
        self.text = text
        self.asked: list[dict[str, Any]] = []

    def __call__(self, **inputs: Any) -> ReformulateResult:
        self.asked.append(inputs)
        return ReformulateResult(standalone_query=self.text)

    async def acall(self, **inputs: Any) -> ReformulateResult:
        return self(**inputs)
