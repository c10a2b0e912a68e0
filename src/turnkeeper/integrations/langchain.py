"""turnkeeper in LangChain: a Runnable that makes a query stand alone, and a retriever held to what was ruled out.

>>> from turnkeeper.integrations.langchain import StandaloneQuery, VerifiedRetriever
>>> rewrite = StandaloneQuery(keeper)  # keeper = turnkeeper.load("reformulate", lm="openai/gpt-4o-mini")
>>> search = VerifiedRetriever(retriever=index)  # one of turnkeeper.retrieval, or any LangChain retriever
>>> query = rewrite.invoke({"query": "and those without a cord?", "history": history})
>>> [document.metadata["doc_id"] for document in search.invoke(query, history=history)]
['lamp-2']

Both are ordinary Runnables: `rewrite | search` is a chain, and `batch`, `ainvoke` and callbacks work as ever. Needs
`pip install 'turnkeeper[langchain]'`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, SetupError
from ..retrieval import CallableRetriever, Retriever, SearchRequest
from ..signatures.types import AccessScope, Exclusion, Passage
from ._shared import Contradicting, Found, turns_of, verified, words_of

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableConfig
except ImportError:
    raise SetupError("turnkeeper.integrations.langchain needs pip install 'turnkeeper[langchain]'") from None

__all__ = ["StandaloneQuery", "VerifiedRetriever"]


class StandaloneQuery(Runnable):
    """Turns {"query", "history", and maybe "access_scope"} into the query that can be read without its history.

    A failed call of the LM gives the query as it was asked, as the guard does; `result` gives all that it says.

    Args:
        keeper: What `turnkeeper.load("reformulate", …)` returns.
    """

    def __init__(self, keeper: Any) -> None:
        self.keeper = keeper

    def invoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """Return the standalone query. Raises `InputError` on another input."""
        return self._call_with_config(self._rewrite, input, config, **kwargs)  # type: ignore[no-any-return]

    async def ainvoke(self, input: Mapping[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """Return the standalone query without blocking the event loop."""
        return await self._acall_with_config(self._arewrite, input, config, **kwargs)  # type: ignore[no-any-return]

    def result(self, input: Mapping[str, Any]) -> Any:
        """Return the whole result: action, references, warnings, usage."""
        return self.keeper(**_asked(input))

    def _rewrite(self, input: Mapping[str, Any]) -> str:
        return str(self.result(input).standalone_query)

    async def _arewrite(self, input: Mapping[str, Any]) -> str:
        return str((await self.keeper.acall(**_asked(input))).standalone_query)


class VerifiedRetriever(BaseRetriever):
    """Searches without what the user ruled out, drops what asserts it, and searches once more when too little is left.

    `invoke(query)` reads exclusions in the query. Pass `history=` where the user may have ruled something out before,
    or `exclusions=`, the state that an application carries; `access_scope=` where it differs from user to user.

    Attributes:
        retriever: One of `turnkeeper.retrieval`, or a LangChain retriever, whose documents need a `doc_id` or an id.
        scope: What every user may see at most.
        k: Documents wanted.
        contradicting: "drop", or "warn" to get documents that assert what was ruled out last, with `warning` in their
            metadata, where nothing better is found.
    """

    retriever: Any
    scope: AccessScope | None = None
    k: int = 4
    contradicting: Contradicting = "drop"

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        history: Sequence[Any] = (),
        exclusions: Sequence[Exclusion] | None = None,
        access_scope: AccessScope | None = None,
    ) -> list[Document]:
        engine = _engine(self.retriever, run_manager)
        found = verified(
            engine, query, history=turns_of(history), exclusions=exclusions, scope=access_scope or self.scope, k=self.k,
            contradicting=self.contradicting,
        )  # fmt: skip
        return [_document(each) for each in found]


def _asked(input: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(input, Mapping) or not isinstance(input.get("query"), str):
        raise InputError('expected {"query": text, "history": messages}')
    history = turns_of(input.get("history"))
    return {"history": history, "query": input["query"], "access_scope": input.get("access_scope")}


def _engine(retriever: Any, run_manager: Any) -> Retriever:
    if not isinstance(retriever, BaseRetriever):
        if not isinstance(retriever, Retriever):
            raise InputError(f"retriever: one of turnkeeper or LangChain is expected, not {type(retriever).__name__}")
        return retriever

    def search(request: SearchRequest) -> list[Passage]:
        config = {"callbacks": run_manager.get_child()}
        return [_passage(document) for document in retriever.invoke(words_of(request), config=config)]

    return CallableRetriever(search)


def _passage(document: Document) -> Passage:
    said = dict(document.metadata)
    name = said.pop("doc_id", None) or document.id or said.get("source")
    if name is None:
        raise InputError("a document has no id and no `doc_id` or `source` in its metadata; it could not be cited")
    title = said.pop("title", None) or ""
    return Passage(doc_id=str(name), title=str(title), text=document.page_content, metadata=said)


def _document(found: Found) -> Document:
    passage = found.passage
    said = {**passage.metadata, "doc_id": passage.doc_id, "title": passage.title, "score": passage.score}
    if found.warning is not None:
        said["warning"] = found.warning
    return Document(id=passage.doc_id, page_content=passage.text, metadata=said)
