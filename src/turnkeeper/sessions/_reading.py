"""Reading a session out of its rows, with every digest verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import CorruptSessionError, UnknownSessionError, WrongTenantError
from ..signatures.types import RegisteredSource
from . import _chain
from ._chain import Head, Revision
from ._items import Item, Snapshot, assemble, same_id
from ._rows import Rows
from .state import ReviewItem, SessionExport, SessionState, StoredRevision, TurnRecord


def found(rows: Rows, session_id: str, tenant: str) -> Head | None:
    """Return the head of a session, None if there is no such session.

    Raises:
        WrongTenantError: It is another tenant's.
        CorruptSessionError: There are turns of it and no head.
    """
    head = rows.head(session_id)
    if head is None:
        if rows.remains(session_id):
            message = f"session {session_id}: its turns are there and its head is gone; restore it from a copy"
            raise CorruptSessionError(message, session_id=session_id)
        return None
    if head.tenant != tenant:
        raise WrongTenantError(f"session {session_id}: is not a session of tenant {tenant}")
    return head


def owned(rows: Rows, session_id: str, tenant: str) -> Head:
    """Return the head of a session that must be there; see `found`.

    Raises:
        UnknownSessionError: It is not.
    """
    head = found(rows, session_id, tenant)
    if head is None:
        raise UnknownSessionError(f"session {session_id}: there is no such session; it may have been deleted")
    return head


def read(rows: Rows, head: Head, recent: int) -> Snapshot:
    """Return a session with its newest turns."""
    lines = max(1, recent)
    while True:
        log = rows.revisions(head.session_id, head.version - lines)
        if sum(line.kind == "turn" for line in log) >= recent or lines >= head.version:
            break
        lines *= 2  # there were changes between the turns
    _chain.verify(head, log)
    return _snapshot(head, log, head.convention, rows.items(head.session_id), recent)


def whole(rows: Rows, session_id: str, tenant: str) -> tuple[Head, list[Revision]]:
    """Return a session's head and its log, verified from the first turn on."""
    head = owned(rows, session_id, tenant)
    log = rows.revisions(session_id)
    _chain.verify(head, log, whole=True)
    return head, log


def replayed(head: Head, log: Sequence[Revision]) -> Snapshot:
    """Return the state that a (verified) log adds up to."""
    convention, items = _chain.replay(log)
    return _snapshot(head, log, convention, items, 0)


def record_of(head: Head, line: Revision) -> TurnRecord:
    """Return the turn that a line of the log records; checks the line, and not its neighbours."""
    _chain.verify_line(head, line)
    return TurnRecord.model_validate_json(line.body)


def exported(head: Head, log: Sequence[Revision], state: SessionState) -> SessionExport:
    """Return all of a session, as `SessionStore.export` gives it."""
    known: dict[str, bool] = {}
    lines = []
    for line in log:
        registered, withdrawn = [], []
        put = _chain.changes_of(line).put
        for entry in _entries(put):
            name = same_id(entry.doc_id)
            registered += [] if name in known else [entry.doc_id]
            withdrawn += [entry.doc_id] if entry.withdrawn and not known.get(name) else []
            known[name] = entry.withdrawn
        lines.append(
            StoredRevision(
                version=line.version,
                turn=line.turn,
                kind=line.kind,
                record=record_of(head, line) if line.kind == "turn" else None,
                registered=tuple(registered),
                withdrawn=tuple(withdrawn),
                reviews=tuple(ReviewItem.model_validate_json(item.body) for item in put if item.kind == "reviews"),
                idempotency_key=line.key,
                previous=line.previous,
                digest=line.digest,
            )
        )
    return SessionExport(state=state, log=tuple(lines))


def _entries(items: Iterable[Item]) -> list[RegisteredSource]:
    return [RegisteredSource.model_validate_json(item.body) for item in items if item.kind == "registry"]


def _snapshot(
    head: Head, log: Sequence[Revision], convention: str | None, items: Iterable[Item], recent: int
) -> Snapshot:
    try:
        turns = [TurnRecord.model_validate_json(line.body) for line in log if line.kind == "turn"] if recent > 0 else []
        about = SessionState(
            session_id=head.session_id,
            tenant=head.tenant,
            version=head.version,
            turn=head.turn,
            turns=tuple(turns[-recent:]) if recent > 0 else (),
            parent=head.parent,
            parent_turn=head.parent_turn,
        )
        snapshot = assemble(about, convention, items)._replace(digest=head.digest)
    except ValueError:  # what a digest protects was written by another version, or the rows below it are damaged
        raise _chain.damaged(head, head.turn, "a row of its state cannot be read") from None
    if snapshot.state_digest() != log[-1].state:
        raise _chain.damaged(head, head.turn, "its state is not the one that this turn left")
    return snapshot
