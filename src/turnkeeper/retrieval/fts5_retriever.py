"""A retriever over SQLite's FTS5: nothing to install, one file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ..errors import IntegrityError, SetupError
from ..signatures.types import Passage
from ._analysis import fold
from ._facts import facts_of
from ._fts5_query import SCHEMA, render
from ._plan import Excluded, Plan, plan
from ._ranking import DEMOTION, Row, demotion_of, ranked
from .passages import read_passages, stored
from .request import SearchRequest

VERSION = 1
"""Of schema, analysis and facts together."""


class Fts5Retriever:
    """Full text search by BM25 with English stemming, under the same contract as `TantivyRetriever`.

    Safe to use from several threads, which then take turns.
    """

    in_process = True

    def __init__(self, path: str | Path | None = None, *, demotion: float = DEMOTION) -> None:
        """Open the index in a file, or make one there.

        Args:
            path: The file; None keeps the index in memory.
            demotion: What is left of the score of a passage that names something excluded, from 0 to 1.

        Raises:
            SetupError: This SQLite has no FTS5, or the file cannot be opened.
            IntegrityError: The file is something else, damaged, or an index of another version.
        """
        self._demotion = demotion_of(demotion)
        self._place = "the index in memory" if path is None else str(path)
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
        except sqlite3.Error as error:
            raise SetupError(f"{self._place}: cannot be opened: {error}") from None
        with self._failing_as_ours():
            self._prepare()

    def __len__(self) -> int:
        """Passages in the index."""
        with self._lock, self._failing_as_ours():
            return int(self._db.execute("SELECT COUNT(*) FROM passages").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def add(self, passages: Iterable[Passage], *, replace: bool = False) -> int:
        """Add passages, all or none; see `TantivyRetriever.add`."""
        count, replaced = 0, set[str]()
        with self._lock, self._failing_as_ours(), self._db:
            for passage in passages:
                data = stored(passage)
                kept = Passage.model_validate_json(data)
                if replace and kept.doc_id not in replaced:
                    replaced.add(kept.doc_id)
                    self._forget(kept.doc_id)
                number = self._db.execute(
                    "INSERT INTO passages (doc_id, data) VALUES (?, ?)", (kept.doc_id, data)
                ).lastrowid
                row = (number, fold(kept.title), fold(kept.text))
                self._db.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", row)
                facts = [(fact, number) for fact in facts_of(kept)]
                self._db.executemany("INSERT INTO facts (fact, passage) VALUES (?, ?)", facts)
                count += 1
        return count

    def add_jsonl(self, path: str | Path, *, replace: bool = False) -> int:
        """Add the passages of a JSONL file, as `add` does; see `read_passages` for what is raised."""
        return self.add(read_passages(path), replace=replace)

    def delete(self, doc_ids: Iterable[str]) -> None:
        """Delete all passages of some documents; an unknown id is passed over."""
        with self._lock, self._failing_as_ours(), self._db:
            for doc_id in doc_ids:
                self._forget(doc_id)

    def search(self, request: SearchRequest) -> tuple[Passage, ...]:
        """Return the best passages; see `Retriever`."""
        asked = plan(request)
        with self._lock, self._failing_as_ours():
            return ranked(partial(self._page, asked), asked, request, self._demotion)

    def _page(self, asked: Plan, excluded: Excluded, offset: int, limit: int) -> list[Row]:
        query = render(asked, excluded)
        sql = f"SELECT score, data FROM ({query.sql}) JOIN passages ON id = passage ORDER BY 1 DESC, id"
        rows = self._db.execute(sql, (*query.parameters, limit, offset))
        return [Row(float(score), Passage.model_validate_json(data)) for score, data in rows]

    def _forget(self, doc_id: str) -> None:
        for table, column in (("words", "rowid"), ("facts", "passage")):
            self._db.execute(
                f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM passages WHERE doc_id = ?)", (doc_id,)
            )
        self._db.execute("DELETE FROM passages WHERE doc_id = ?", (doc_id,))

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        if version != VERSION and (version or tables):
            raise IntegrityError(f"{self._place}: holds something else, or an index of version {version}")
        self._db.execute("PRAGMA journal_mode = WAL")
        try:
            self._db.executescript(SCHEMA)
        except sqlite3.OperationalError as error:
            if "fts5" in str(error):
                raise SetupError("this Python's SQLite has no FTS5; use TantivyRetriever") from None
            raise
        self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _failing_as_ours(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:  # locked, read-only, full
            raise SetupError(f"{self._place}: {error}") from None
        except sqlite3.DatabaseError as error:
            raise IntegrityError(f"{self._place}: {error}") from None
