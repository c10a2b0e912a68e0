"""The embedded default: a tantivy index on disk, or in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SetupError
from ..signatures.types import Passage
from . import _tantivy_index as engine
from ._analysis import fold
from ._facts import equal, facts_of
from ._plan import Excluded, plan
from ._ranking import DEMOTION, Row, demotion_of, ranked
from ._tantivy_query import FACTS, render
from .passages import read_passages, stored
from .request import SearchRequest

if TYPE_CHECKING:
    import tantivy

    from ._plan import Plan

_HEAP = 64_000_000  # bytes; tantivy's minimum for one thread is 15 MB


class TantivyRetriever:
    """Full text search by BM25 with English stemming; other languages are searched by their unstemmed words.

    Safe to search from several threads. One process at a time may write; others see its commits at their next search.
    """

    in_process = True

    def __init__(self, path: str | Path | None = None, *, demotion: float = DEMOTION) -> None:
        """Open the index in a folder, or make one there.

        Args:
            path: The folder; None keeps the index in memory.
            demotion: What is left of the score of a passage that names something excluded, from 0 to 1.

        Raises:
            SetupError: tantivy is not installed, or the folder cannot be used.
            IntegrityError: The folder holds another index, a broken one, or one of another version.
        """
        self._demotion = demotion_of(demotion)
        self._index = engine.opened(None if path is None else Path(path))
        self._writing = threading.Lock()

    def __len__(self) -> int:
        """Passages in the index."""
        self._index.reload()
        return int(self._index.searcher().num_docs)

    def add(self, passages: Iterable[Passage], *, replace: bool = False) -> int:
        """Add passages, all or none, and return how many; a document may have several.

        Args:
            passages: What is added; read once, not kept in memory.
            replace: Whether what the index holds of these documents goes first.

        Raises:
            InputError: A passage cannot be stored.
            SetupError: Another process is writing, or the disk is full.
        """
        import tantivy

        count, replaced = 0, set[str]()
        with self._writing:
            writer = self._writer()
            try:
                for passage in passages:
                    data = stored(passage)
                    kept = Passage.model_validate_json(data)
                    if replace and kept.doc_id not in replaced:
                        replaced.add(kept.doc_id)
                        writer.delete_documents_by_term(FACTS, equal("doc_id", kept.doc_id))
                    document = tantivy.Document()
                    document.add_text("title", fold(kept.title))
                    document.add_text("text", fold(kept.text))
                    for fact in sorted(facts_of(kept)):
                        document.add_text(FACTS, fact)
                    document.add_bytes("stored", data.encode())
                    writer.add_document(document)
                    count += 1
                self._commit(writer)
            except BaseException:
                with suppress(ValueError):
                    writer.rollback()
                raise
        return count

    def add_jsonl(self, path: str | Path, *, replace: bool = False) -> int:
        """Add the passages of a JSONL file, as `add` does; see `read_passages` for what is raised."""
        return self.add(read_passages(path), replace=replace)

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Delete all passages of some documents; an unknown id is passed over."""
        with self._writing:
            writer = self._writer()
            for doc_id in doc_ids:
                writer.delete_documents_by_term(FACTS, equal("doc_id", doc_id))
            self._commit(writer)

    def search(self, request: SearchRequest) -> tuple[Passage, ...]:
        """Return the best passages; see `Retriever`."""
        asked = plan(request)
        self._index.reload()
        page = partial(self._page, self._index.searcher(), asked)  # one snapshot for all pages
        return ranked(page, asked, request, self._demotion)

    def _page(self, searcher: tantivy.Searcher, asked: Plan, excluded: Excluded, offset: int, limit: int) -> list[Row]:
        query = self._index.parse_query(render(asked, excluded), ["title", "text"])
        hits = searcher.search(query, limit, count=False, offset=offset).hits
        return [Row(score, engine.passage_of(searcher.doc(address))) for score, address in hits]

    def _writer(self) -> tantivy.IndexWriter:
        try:
            return self._index.writer(_HEAP, 1)  # one thread: the order of equal scores is that of the passages
        except ValueError as error:
            raise SetupError(f"the index cannot be written now: {str(error)[:200]}") from None

    def _commit(self, writer: tantivy.IndexWriter) -> None:
        try:
            writer.commit()
            writer.wait_merging_threads()
        except ValueError as error:
            raise SetupError(f"the index cannot be written: {str(error)[:200]}") from None
        self._index.reload()
