"""Writing a revision of a session, and copying the log of one for a branch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import InvalidStateError, VersionConflictError
from ..signatures.types import CitationRegistry
from . import _chain
from ._chain import GENESIS, Head, Revision
from ._items import Change, Snapshot, dumped, same_id
from ._reading import replayed
from ._rows import Rows
from .state import TurnRecord
from .store import RECENT_TURNS

MAX_BYTES = 8_000_000
"""Bytes that one turn may write, its record and its changes together."""


def write(
    rows: Rows,
    base: Snapshot,
    change: Change,
    after: Snapshot,
    *,
    turn: TurnRecord | None = None,
    kind: str = "turn",
    key: str | None = None,
) -> Snapshot:
    """Write a revision over the one that `base` is; return what is stored then.

    Raises:
        VersionConflictError: The session is not at that revision any more.
        InvalidStateError: The turn is too large, or cannot be written as JSON.
    """
    before, convention = base.state, after.state.registry.convention
    body = dumped(turn) if turn else ""
    changes = _chain.encode(convention, change)
    if len(body) + len(changes) > MAX_BYTES:
        raise InvalidStateError(
            f"session {before.session_id}: the turn would write {len(body) + len(changes)} bytes; "
            f"at most {MAX_BYTES} are accepted (shorten snippets or `details`)"
        )
    line = Revision(
        version=before.version + 1,
        turn=before.turn + (turn is not None),
        kind=kind,
        key=key,
        body=body,
        changes=changes,
        state=after.state_digest(),
        previous="",
        digest="",
    )
    line = _chain.chained(head_of(base), base.digest or GENESIS, line)
    turns = (*before.turns, turn)[-RECENT_TURNS:] if turn else before.turns
    state = after.state.model_copy(update={"version": line.version, "turn": line.turn, "turns": turns})
    snapshot = after._replace(state=state, digest=line.digest)
    _store(rows, head_of(snapshot), before.version, [line], change)
    return snapshot


def copied(rows: Rows, owner: Head, log: Sequence[Revision]) -> Snapshot:
    """Write the first lines of another session's log as a new one's, with digests of its own and without keys.

    Args:
        rows: The transaction.
        owner: The new session, with its parent.
        log: Lines from the first on, verified.
    """
    lines: list[Revision] = []
    for line in log:
        previous = lines[-1].digest if lines else GENESIS
        lines.append(_chain.chained(owner, previous, line._replace(key=None)))
    convention, items = _chain.replay(lines)
    last = lines[-1]
    head = owner._replace(version=last.version, turn=last.turn, digest=last.digest, convention=convention)
    _store(rows, head, 0, lines, Change(tuple(items)))
    return replayed(head, lines)


def without(registry: CitationRegistry, doc_ids: Collection[str]) -> CitationRegistry:
    """Return a registry in which these ids (as `same_id` gives them) are marked as withdrawn."""
    entries = tuple(
        entry.model_copy(update={"withdrawn": True})
        if same_id(entry.doc_id) in doc_ids and not entry.withdrawn
        else entry
        for entry in registry.entries
    )
    return registry.model_copy(update={"entries": entries})


def unused(rows: Rows, base: Snapshot, change: Change) -> None:
    """Check that what is new in ledger and review queue has an id that the session never used.

    Raises:
        InvalidStateError: An id stood for a question or an item that has left.
    """
    for kind in ("ledger", "reviews"):
        fresh = [item.identity for item in change.put if item.kind == kind and item.identity not in base.held[kind]]
        taken = sorted(rows.known(base.state.session_id, kind, fresh)) if fresh else []
        if taken:
            raise InvalidStateError(
                f"session {base.state.session_id}: the {kind} id {taken[0][:80]!r} was used before and is never reused"
            )


def head_of(snapshot: Snapshot) -> Head:
    """Return the head that a snapshot's session has."""
    state = snapshot.state
    return Head(
        session_id=state.session_id,
        tenant=state.tenant,
        version=state.version,
        turn=state.turn,
        convention=state.registry.convention,
        digest=snapshot.digest,
        parent=state.parent,
        parent_turn=state.parent_turn,
    )


def _store(rows: Rows, head: Head, expected_version: int, lines: Sequence[Revision], change: Change) -> None:
    if not rows.swap(head, expected_version):
        raise conflict(head.session_id, expected_version)
    rows.append(head.session_id, lines)
    rows.put(head.session_id, change.put)
    rows.close_items(head.session_id, change.closed)


def conflict(session_id: str, expected: int, stored: int | None = None) -> VersionConflictError:
    """Return the error for a commit that started from a version which is not the stored one."""
    now = "another version by now" if stored is None else f"version {stored}"
    behind = stored is not None and stored < expected
    return VersionConflictError(
        f"session {session_id}: the turn started from version {expected}, and the session has {now}; "
        + (
            "the store is older than what you hold: it was restored from a copy, or has lost turns"
            if behind
            else "load it again and do the turn over"
        )
    )
