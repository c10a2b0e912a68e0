"""turnkeeper in LlamaIndex: a transform that makes a query stand alone, a retriever held to what was ruled out.

>>> from turnkeeper.integrations.llama_index import StandaloneQueryTransform, VerifiedRetriever
>>> transform = StandaloneQueryTransform(keeper)  # keeper = turnkeeper.load("reformulate", lm="openai/gpt-4o-mini")
>>> search = VerifiedRetriever(index)  # one of turnkeeper.retrieval, or any LlamaIndex retriever
>>> query = transform.run("and those without a cord?", metadata={"history": history})
>>> [found.node.node_id for found in search.retrieve(query)]
['lamp-2']

The transform goes where LlamaIndex takes one: `TransformRetriever`, `TransformQueryEngine`. Needs
`pip install 'turnkeeper[llama-index]'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError, SetupError
from ..retrieval import CallableRetriever, Retriever, SearchRequest
from ..signatures.types import AccessScope, Exclusion, Passage
from ._shared import Contradicting, Found, turns_of, verified, words_of

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.indices.query.query_transform.base import BaseQueryTransform
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError:
    raise SetupError("turnkeeper.integrations.llama_index needs pip install 'turnkeeper[llama-index]'") from None

__all__ = ["StandaloneQueryTransform", "VerifiedRetriever"]


class StandaloneQueryTransform(BaseQueryTransform):
    """Replaces a query by one that can be read without its history, which stands in the metadata of the call.

    Metadata: `history` (messages), and `access_scope` where there is one. A failed call of the LM leaves the query.

    Args:
        keeper: What `turnkeeper.load("reformulate", …)` returns.
    """

    def __init__(self, keeper: Any) -> None:
        super().__init__()
        self.keeper = keeper

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        pass  # the prompt is the compiled program's own

    def _run(self, query_bundle: QueryBundle, metadata: dict[str, Any]) -> QueryBundle:
        said = self.keeper(
            history=turns_of(metadata.get("history")),
            query=query_bundle.query_str,
            access_scope=metadata.get("access_scope"),
        )
        text = str(said.standalone_query)
        if text == query_bundle.query_str:
            return query_bundle
        # An embedding that was made of the query as it was asked would find what that finds.
        return QueryBundle(query_str=text, custom_embedding_strs=[text], image_path=query_bundle.image_path)


class VerifiedRetriever(BaseRetriever):
    """Searches without what the user ruled out, drops what asserts it, and searches once more when too little is left.

    Args:
        retriever: One of `turnkeeper.retrieval`, or a LlamaIndex retriever.
        history: The user's earlier words, in which exclusions are read too; the query alone by default.
        exclusions: The state that an application carries; None reads it in the history.
        scope: What this user may see.
        k: Nodes wanted.
        contradicting: "drop", or "warn" to get nodes that assert what was ruled out last, with `warning` in their
            metadata, where nothing better is found.
    """

    def __init__(
        self,
        retriever: Any,
        *,
        history: Sequence[Any] = (),
        exclusions: Sequence[Exclusion] | None = None,
        scope: AccessScope | None = None,
        k: int = 4,
        contradicting: Contradicting = "drop",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._engine = _engine(retriever)
        self._history, self._exclusions, self._scope, self._k = turns_of(history), exclusions, scope, k
        self._contradicting: Contradicting = contradicting

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = verified(
            self._engine, query_bundle.query_str, history=self._history, exclusions=self._exclusions,
            scope=self._scope, k=self._k, contradicting=self._contradicting,
        )  # fmt: skip
        return [_node(each) for each in found]


def _engine(retriever: Any) -> Retriever:
    if not isinstance(retriever, BaseRetriever):
        if not isinstance(retriever, Retriever):
            raise InputError(f"retriever: one of turnkeeper or LlamaIndex is expected, not {type(retriever).__name__}")
        return retriever

    def search(request: SearchRequest) -> list[Passage]:
        return [_passage(found) for found in retriever.retrieve(words_of(request))]

    return CallableRetriever(search)


def _passage(found: NodeWithScore) -> Passage:
    node, said = found.node, dict(found.node.metadata)
    name, title = said.pop("doc_id", None) or node.node_id, said.pop("title", None) or ""
    return Passage(doc_id=str(name), title=str(title), text=node.get_content(), score=found.score, metadata=said)


def _node(found: Found) -> NodeWithScore:
    passage = found.passage
    said = {**passage.metadata, "doc_id": passage.doc_id, "title": passage.title}
    if found.warning is not None:
        said["warning"] = found.warning
    return NodeWithScore(node=TextNode(id_=passage.doc_id, text=passage.text, metadata=said), score=passage.score)
