"""The log of a session: each line carries a digest of itself and of the line before.

It finds silent damage: a flipped bit, a lost page, a row edited or taken away. It is no signature: who can write the
file can also compute digests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import CorruptSessionError
from ._items import Change, Item

GENESIS = "0" * 64


class Head(NamedTuple):
    """Where a session stands: the row that is compared and swapped."""

    session_id: str
    tenant: str
    version: int
    turn: int
    convention: str | None
    digest: str
    parent: str
    parent_turn: int


class Revision(NamedTuple):
    """One line of the log. `body` is the turn's record as JSON, `state` the digest of the state after it."""

    version: int
    turn: int
    kind: str
    key: str | None
    body: str
    changes: str
    state: str
    previous: str
    digest: str


def chained(owner: Head, previous: str, revision: Revision) -> Revision:
    """Return a revision with its digest, behind the one whose digest is `previous`."""
    linked = revision._replace(previous=previous)
    return linked._replace(digest=_digest(owner, linked))


def encode(convention: str | None, change: Change) -> str:
    """Return the changes of a revision as JSON."""
    return json.dumps({"convention": convention, "put": change.put, "closed": change.closed}, ensure_ascii=True)


def replay(revisions: Iterable[Revision]) -> tuple[str | None, list[Item]]:
    """Return the convention and the rows that revisions, from the first one on, add up to."""
    convention, items = None, dict[tuple[str, str], Item]()
    for revision in revisions:
        change = changes_of(revision)
        for kind, identity in change.closed:
            items.pop((kind, identity), None)
        for item in change.put:
            items[item.kind, item.identity] = item
        convention = json.loads(revision.changes)["convention"]
    return convention, list(items.values())


def changes_of(revision: Revision) -> Change:
    """Return what a (verified) revision wrote."""
    raw = json.loads(revision.changes)
    return Change(tuple(Item(*item) for item in raw["put"]), tuple((kind, name) for kind, name in raw["closed"]))


def verify(head: Head, revisions: Sequence[Revision], *, whole: bool = False) -> None:
    """Check the newest revisions of a session, oldest first (`whole`: all of them), and that the head is their end.

    Raises:
        CorruptSessionError: With the session and the turn where the first damage shows.
    """
    if not revisions:
        raise damaged(head, head.turn, "its turns are gone")
    before: Revision | None = None
    for revision in revisions:
        verify_line(head, revision)
        if before is None:
            first = revision.version == 1
            follows = first == (revision.previous == GENESIS) and (first or not whole)
        else:
            follows = revision.version == before.version + 1 and revision.previous == before.digest
            follows = follows and revision.turn == before.turn + (revision.kind == "turn")
        if not follows:
            raise damaged(head, revision.turn, "the turn does not follow the one stored before it")
        before = revision
    newest = revisions[-1]
    if (head.version, head.turn, head.digest) != (newest.version, newest.turn, newest.digest):
        raise damaged(head, newest.turn, "the session does not end with its newest turn")


def verify_line(head: Head, revision: Revision) -> None:
    """Check one line of the log alone.

    Raises:
        CorruptSessionError: Its digest is not that of what it says.
    """
    if revision.digest != _digest(head, revision):
        raise damaged(head, revision.turn, "the turn is not what was committed (its digest differs)")


def damaged(head: Head, turn: int, what: str) -> CorruptSessionError:
    """Return the error for damage that shows at a turn."""
    return CorruptSessionError(
        f"session {head.session_id}, turn {turn}: {what}; restore the session from a copy, or delete it",
        session_id=head.session_id,
        turn=turn,
    )


def _digest(owner: Head, revision: Revision) -> str:
    known = (owner.session_id, owner.tenant, owner.parent, owner.parent_turn, *revision[:-1])
    parts = [b"-" if part is None else str(part).encode() for part in known]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()
