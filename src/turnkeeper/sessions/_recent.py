"""The states this process has seen last: a commit compares with the one it started from and need not read it again.

Nothing is believed because it stands here: a snapshot counts only when the stored session has its digest.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from ._items import Snapshot

KEPT = 256


class Recent:
    """Snapshots by session, the least recently used go first; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Snapshot] = OrderedDict()

    def keep(self, snapshot: Snapshot) -> None:
        """Remember what a session's rows say."""
        with self._lock:
            self._kept[snapshot.state.session_id] = snapshot
            self._kept.move_to_end(snapshot.state.session_id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def of(self, session_id: str, digest: str) -> Snapshot | None:
        """Return the snapshot of a session if it is the one with this digest."""
        with self._lock:
            snapshot = self._kept.get(session_id)
        return snapshot if snapshot and snapshot.digest == digest else None

    def drop(self, session_id: str) -> None:
        """Forget a session."""
        with self._lock:
            self._kept.pop(session_id, None)
