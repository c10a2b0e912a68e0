"""The LlamaIndex wrappers, held against the real llama-index-core."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="needs pip install 'turnkeeper[llama-index]'")

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.retrievers import TransformRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from turnkeeper.errors import InputError
from turnkeeper.integrations import llama_index
from turnkeeper.integrations.llama_index import StandaloneQueryTransform, VerifiedRetriever
from turnkeeper.signatures.types import AccessScope, Turn

from .lamps import HISTORY, PASSAGES, STANDALONE, Index, Keeper

MESSAGES = [
    ChatMessage(role=MessageRole.SYSTEM, content="Be brief."),
    ChatMessage(role=MessageRole.USER, content="Which lamps do you sell?"),
    ChatMessage(role=MessageRole.ASSISTANT, content="The Aldra."),
]


class Shelf(BaseRetriever):
    """A LlamaIndex retriever; `asked` is what it was asked."""

    def __init__(self, **metadata: Any) -> None:
        super().__init__()
        self.nodes = [TextNode(id_=p.doc_id, text=p.text, metadata=metadata) for p in PASSAGES]
        self.asked: list[str] = []

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.asked.append(query_bundle.query_str)
        return [NodeWithScore(node=node, score=0.5) for node in self.nodes]


def found(retriever: Any, query: str) -> list[str]:
    return [each.node.node_id for each in retriever.retrieve(query)]


def test_the_example_of_the_docstring_runs() -> None:
    parsed = doctest.DocTestParser().get_doctest(
        str(llama_index.__doc__), {"keeper": Keeper(), "index": Index(), "history": list(HISTORY)}, "llama", None, 0
    )
    assert len(parsed.examples) == 5 and doctest.DocTestRunner().run(parsed).failed == 0


def test_messages_of_llama_index_reach_the_keeper_as_turns() -> None:
    keeper = Keeper()
    bundle = StandaloneQueryTransform(keeper).run("and without a cord?", metadata={"history": MESSAGES})
    assert (bundle.query_str, bundle.embedding_strs) == (STANDALONE, [STANDALONE])
    assert keeper.asked[0]["history"] == [
        Turn(role="user", content="Which lamps do you sell?"), Turn(role="assistant", content="The Aldra."),
    ]  # fmt: skip


def test_an_unchanged_query_keeps_its_embedding() -> None:
    bundle = QueryBundle(query_str="what do lamps cost?", embedding=[0.5])
    assert StandaloneQueryTransform(Keeper("what do lamps cost?")).run(bundle) is bundle


def test_a_changed_query_loses_the_embedding_of_the_old_one() -> None:
    bundle = QueryBundle(query_str="and without a cord?", embedding=[0.5])
    assert StandaloneQueryTransform(Keeper()).run(bundle).embedding is None


def test_it_fits_where_llama_index_takes_a_transform() -> None:
    behind = Shelf()
    whole = TransformRetriever(VerifiedRetriever(behind), StandaloneQueryTransform(Keeper()), {"history": MESSAGES})
    assert found(whole, "and without a cord?") == ["lamp-2"]
    assert all("cord" not in asked for asked in behind.asked)


def test_history_and_scope_bind_the_search() -> None:
    history = [ChatMessage(role=MessageRole.USER, content="Show me lamps without a cord.")]
    assert found(VerifiedRetriever(Shelf(), history=history), "lamp prices") == ["lamp-2"]
    assert found(VerifiedRetriever(Shelf(shop="north"), scope=AccessScope(allowed={"shop": ["south"]})), "lamps") == []


def test_a_node_that_still_contradicts_says_so() -> None:
    [node] = VerifiedRetriever(Index(PASSAGES[:1]), contradicting="warn").retrieve("a lamp without a cord")
    assert "cord" in node.node.metadata["warning"]


def test_what_is_no_retriever_is_named() -> None:
    with pytest.raises(InputError, match="not dict"):
        VerifiedRetriever({})
