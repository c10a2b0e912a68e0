"""The rows of sessions in tables; see `Rows` for what the methods promise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ..errors import CorruptStoreError
from ._chain import Head, Revision
from ._items import Item
from ._schema import HEADS, ITEMS, LOG, TABLES, name_of

_HEAD = select(*(HEADS.c[name] for name in Head._fields)).where(HEADS.c.session_id == bindparam("id"))
_LINES = select(*(LOG.c[name] for name in Revision._fields)).where(LOG.c.session_id == bindparam("id"))
_AFTER = _LINES.where(LOG.c.version > bindparam("after")).order_by(LOG.c.version)
_OF_KEY = _LINES.where(LOG.c.key == bindparam("key"))
_REMAINS = select(LOG.c.version).where(LOG.c.session_id == bindparam("id")).limit(1)
_SWAP = (
    update(HEADS)
    .where(HEADS.c.session_id == bindparam("id"), HEADS.c.version == bindparam("expected"))
    .values({name: bindparam(f"new_{name}") for name in ("version", "turn", "convention", "digest")})
)
_FIRST: Mapping[bool, Any] = {
    is_sqlite: (sqlite if is_sqlite else postgresql)  # its count of rows is not kept unless it is asked for
    .insert(HEADS)
    .on_conflict_do_nothing()
    .execution_options(preserve_rowcount=True)
    for is_sqlite in (True, False)
}


def _upsert(table: Table, dialect: Any) -> Any:
    statement = dialect.insert(table)
    changed = {name: statement.excluded[name] for name in ("open", "position", "identity", "body")}
    return statement.on_conflict_do_update(index_elements=["session_id", "name"], set_=changed)


_UPSERTS: Mapping[tuple[str, bool], Any] = {
    (kind, is_sqlite): _upsert(table, sqlite if is_sqlite else postgresql)
    for kind, table in ITEMS.items()
    for is_sqlite in (True, False)
}


class SqlRows:
    """One transaction on a connection; `forgot` says whether it deleted a session."""

    def __init__(self, connection: Connection, place: str) -> None:
        self._run, self._place, self.forgot = connection.execute, place, False
        self._sqlite = connection.dialect.name == "sqlite"
        self._writes = bool(connection.get_execution_options().get("turnkeeper_writes"))

    def head(self, session_id: str) -> Head | None:
        query = _HEAD.with_for_update() if self._writes and not self._sqlite else _HEAD
        row = self._run(query, {"id": session_id}).first()
        return None if row is None else Head(*self._typed(row, (str, str, int, int, (str, type(None)), str, str, int)))

    def swap(self, head: Head, expected_version: int) -> bool:
        if expected_version:
            new = {f"new_{name}": getattr(head, name) for name in ("version", "turn", "convention", "digest")}
            done = self._run(_SWAP, {"id": head.session_id, "expected": expected_version, **new})
            return bool(done.rowcount == 1)
        done = self._run(_FIRST[self._sqlite], head._asdict())
        return bool(done.rowcount == 1)

    def items(self, session_id: str) -> list[Item]:
        found = []
        for kind, table in ITEMS.items():
            query = select(table.c.identity, table.c.position, table.c.body)
            for row in self._run(query.where(table.c.session_id == session_id, table.c.open == 1)):
                identity, position, body = self._typed(row, (str, int, str))
                found.append(Item(kind, self._identity(identity), position, body))
        return found

    def put(self, session_id: str, items: Iterable[Item]) -> None:
        rows: dict[str, list[dict[str, Any]]] = {}
        for item in items:
            rows.setdefault(item.kind, []).append(
                {
                    "session_id": session_id,
                    "name": name_of(item.identity),
                    "open": 1,
                    "position": item.position,
                    "identity": json.dumps(item.identity),
                    "body": item.body,
                }
            )
        for kind, values in rows.items():
            self._run(_UPSERTS[kind, self._sqlite], values)

    def close_items(self, session_id: str, names: Iterable[tuple[str, str]]) -> None:
        for kind, identity in names:
            table = ITEMS[kind]
            here = (table.c.session_id == session_id, table.c.name == name_of(identity))
            self._run(update(table).where(*here).values(open=0))

    def known(self, session_id: str, kind: str, identities: Iterable[str]) -> set[str]:
        table, names = ITEMS[kind], {name_of(identity): identity for identity in identities}
        query = select(table.c.name).where(table.c.session_id == session_id, table.c.name.in_(names))
        return {names[name] for (name,) in self._run(query)}

    def holding(self, tenant: str, kind: str) -> list[str]:
        table = ITEMS[kind]
        here = (table.c.session_id == HEADS.c.session_id, table.c.open == 1, HEADS.c.tenant == tenant)
        found = [self._typed(row, (str,))[0] for row in self._run(select(HEADS.c.session_id).where(*here).distinct())]
        return sorted(found)

    def append(self, session_id: str, revisions: Iterable[Revision]) -> None:
        self._run(insert(LOG), [{"session_id": session_id, **line._asdict()} for line in revisions])

    def revisions(self, session_id: str, after: int = 0) -> list[Revision]:
        return [self._line(row) for row in self._run(_AFTER, {"id": session_id, "after": after})]

    def revision_of(self, session_id: str, key: str) -> Revision | None:
        row = self._run(_OF_KEY, {"id": session_id, "key": key}).first()
        return None if row is None else self._line(row)

    def remains(self, session_id: str) -> bool:
        return self._run(_REMAINS, {"id": session_id}).first() is not None

    def forget(self, session_id: str) -> None:
        for table in TABLES:
            self._run(delete(table).where(table.c.session_id == session_id))
        self.forgot = True

    def _identity(self, text: str) -> str:
        try:
            return str(json.loads(text))
        except ValueError:
            raise CorruptStoreError(
                f"{self._place}: a row has a name that nobody wrote; restore it from a copy"
            ) from None

    def _line(self, row: Any) -> Revision:
        return Revision(*self._typed(row, (int, int, str, (str, type(None)), str, str, str, str, str)))

    def _typed(self, row: Any, types: tuple[Any, ...]) -> tuple[Any, ...]:
        if all(isinstance(value, allowed) for value, allowed in zip(row, types, strict=True)):
            return tuple(row)
        raise CorruptStoreError(f"{self._place}: a row has values that nobody wrote; restore it from a copy")
