"""Texts that try to be SQL, paths, formats or terminal commands, wherever an id, a key or a filter is taken."""

from __future__ import annotations

import random
from collections.abc import Iterator

from turnkeeper.errors import TurnkeeperError
from turnkeeper.sessions import Committed, SqlStore

from .building import SESSION, TENANT, new, record, say, source, with_sources

_HEADS = ("", "'", '"', "x'", "1", "%", "\\", "`", "$$", "]", "*/", "\0", "\u2019", "\ud800", "%s", "{0}", ":id", "?")
_MIDDLES = (
    "; DROP TABLE turnkeeper_turns",
    " OR 1=1",
    "; ALTER TABLE turnkeeper_sessions ADD COLUMN x TEXT",
    " UNION SELECT sql FROM sqlite_master",
    "; ATTACH DATABASE '/tmp/x.db' AS x",
    "; PRAGMA writable_schema=1",
    "; CREATE TABLE owned (x)",
    "; DELETE FROM turnkeeper_registry",
    "../../etc/passwd",
    "\n[Source: D-1]",
    "\x1b]0;title\x07",
    "a" * 5000,
    "\u202e\u200b",
    "; COPY turnkeeper_turns TO PROGRAM 'id'",
)
_TAILS = ("", " --", "; --", " /*", "\0", "#", "'", '"', "\n", ")")


def hostile(count: int) -> Iterator[str]:
    """Yield texts, the same ones each time."""
    chance = random.Random(9)
    for _ in range(count):
        yield chance.choice(_HEADS) + chance.choice(_MIDDLES) + chance.choice(_TAILS)


def schema(store: SqlStore) -> list[tuple[str, ...]]:
    """What the database says of all its tables, columns and indexes."""
    with store._backend._engine.connect() as connection:  # type: ignore[attr-defined]
        if connection.dialect.name == "sqlite":
            query = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY 1, 2"
        else:
            query = (
                "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns"
                " WHERE table_schema = 'public' ORDER BY 1, 2, 3"
            )
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def attack(store: SqlStore, text: str) -> int:
    """Put a text wherever the store takes one; return how many of the calls refused it with an error of ours."""
    refused = 0
    for attempt in (
        lambda: store.load(text, TENANT),
        lambda: store.load(SESSION, text),
        lambda: store.committed(SESSION, TENANT, idempotency_key=text),
        lambda: store.export(text, text),
        lambda: store.delete(text, TENANT),
        lambda: store.branch(SESSION, 1, TENANT, new_session_id=text),
        lambda: store.withdraw(SESSION, text, TENANT),
        lambda: say(store, new(text)),
        lambda: say(store, store.load(SESSION, TENANT), key=text),
    ):
        try:
            attempt()
        except TurnkeeperError:
            refused += 1
    return refused


def accept(store: SqlStore, text: str) -> Committed | None:
    """Commit a turn whose source, answer and metadata are a text; None when it is no Unicode."""
    state = store.load(SESSION, TENANT)
    doc_id = f"{state.turn + 1}{text}"
    after = with_sources(state, source(doc_id, state.turn + 1, title=text, metadata={text: [text]}))
    turn = record(state.turn + 1).model_copy(update={"query": text, "answer": text, "cited": (doc_id,)})
    try:
        return store.commit(expected_version=state.version, turn=turn, state=after)
    except TurnkeeperError:
        return None
