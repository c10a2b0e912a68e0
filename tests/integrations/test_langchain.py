"""The LangChain wrappers, held against the real langchain-core."""

from __future__ import annotations

import asyncio
import doctest
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="needs pip install 'turnkeeper[langchain]'")

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from pydantic import Field

from turnkeeper.errors import InputError, RetrievalError
from turnkeeper.integrations import langchain
from turnkeeper.integrations.langchain import StandaloneQuery, VerifiedRetriever
from turnkeeper.signatures.types import AccessScope, Turn

from .lamps import HISTORY, PASSAGES, STANDALONE, Index, Keeper

MESSAGES = [SystemMessage("Be brief."), HumanMessage("Which lamps do you sell?"), AIMessage("The Aldra.")]


class Shelf(BaseRetriever):
    """A LangChain retriever; `asked` is what it was asked."""

    documents: list[Document]
    asked: list[str] = Field(default_factory=list)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        self.asked.append(query)
        return self.documents


def shelf(**metadata: Any) -> Shelf:
    return Shelf(documents=[Document(id=p.doc_id, page_content=p.text, metadata=metadata) for p in PASSAGES])


def test_the_example_of_the_docstring_runs() -> None:
    parsed = doctest.DocTestParser().get_doctest(
        str(langchain.__doc__), {"keeper": Keeper(), "index": Index(), "history": list(HISTORY)}, "langchain", None, 0
    )
    assert len(parsed.examples) == 5 and doctest.DocTestRunner().run(parsed).failed == 0


def test_messages_of_langchain_reach_the_keeper_as_turns() -> None:
    keeper = Keeper()
    assert StandaloneQuery(keeper).invoke({"query": "and without a cord?", "history": MESSAGES}) == STANDALONE
    assert keeper.asked[0]["history"] == [
        Turn(role="user", content="Which lamps do you sell?"), Turn(role="assistant", content="The Aldra."),
    ]  # fmt: skip


def test_a_chain_runs_in_batches_and_on_an_event_loop() -> None:
    chain = StandaloneQuery(Keeper()) | VerifiedRetriever(retriever=Index()) | RunnableLambda(len)
    turn = {"query": "and without a cord?", "history": MESSAGES}
    assert chain.invoke(turn) == 1 and chain.batch([turn, turn]) == [1, 1]
    assert asyncio.run(chain.ainvoke(turn)) == 1


def test_another_input_is_an_error_of_the_caller() -> None:
    with pytest.raises(InputError, match="expected"):
        StandaloneQuery(Keeper()).invoke({"question": "x"})


def test_a_retriever_of_langchain_is_held_to_what_was_ruled_out() -> None:
    behind = shelf()
    documents = VerifiedRetriever(retriever=behind).invoke("a lamp without a cord")
    assert [(d.id, d.metadata["doc_id"]) for d in documents] == [("lamp-2", "lamp-2")]
    assert all("cord" not in asked for asked in behind.asked)


def test_history_and_scope_come_with_the_call() -> None:
    history = [HumanMessage("Show me lamps without a cord."), AIMessage("Here.")]
    assert [d.id for d in VerifiedRetriever(retriever=shelf()).invoke("lamp prices", history=history)] == ["lamp-2"]
    narrow = AccessScope(allowed={"shop": ["south"]})
    assert VerifiedRetriever(retriever=shelf(shop="north")).invoke("lamps", access_scope=narrow) == []
    assert VerifiedRetriever(retriever=shelf(shop="north"), scope=narrow).invoke("lamps") == []


def test_a_document_that_still_contradicts_says_so() -> None:
    [document] = VerifiedRetriever(retriever=Index(PASSAGES[:1]), contradicting="warn").invoke("a lamp without a cord")
    assert "cord" in document.metadata["warning"]


def test_a_document_without_an_id_cannot_be_cited() -> None:
    with pytest.raises((InputError, RetrievalError), match="no id"):
        VerifiedRetriever(retriever=Shelf(documents=[Document(page_content="x")])).invoke("lamps")


def test_what_is_no_retriever_is_named() -> None:
    with pytest.raises(InputError, match="not dict"):
        VerifiedRetriever(retriever={}).invoke("lamps")
