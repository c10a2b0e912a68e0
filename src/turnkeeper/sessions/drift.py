"""Where a session's citations left their form or their ids: what `sessions show --drift` prints.

Read from what is stored, answer by answer, each against the sources that were registered by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..metrics._markers import find_markers, nfc
from ..signatures.types import Convention
from .state import SessionExport, TurnRecord


class Drift(NamedTuple):
    """One departure: the turn, a code of the cite checks, and what stands there."""

    turn: int
    code: str
    what: str


def drift(session: SessionExport) -> list[Drift]:
    """Return all departures of a session in the order of its turns; none for a session that kept its ids."""
    known: set[str] = set()
    found: list[Drift] = []
    for line in session.log:
        before = frozenset(known)
        known |= {nfc(doc_id) for doc_id in line.registered}
        if line.record:
            found += _of_turn(line.record, before, frozenset(known), session.state.registry.convention)
    return found


def _of_turn(
    turn: TurnRecord, before: frozenset[str], known: frozenset[str], convention: Convention | None
) -> Iterator[Drift]:
    cited = {nfc(doc_id) for doc_id in turn.cited}
    if convention:
        for marker in find_markers(turn.answer, known, convention):
            cited |= set(marker.ids)
            for code in marker.codes:
                yield Drift(turn.turn, code, marker.text)
    for doc_id in sorted(cited - known):
        yield Drift(turn.turn, "fabricated_id", doc_id)
    wrong = {nfc(doc_id) for doc_id in turn.new_citations} & before
    wrong |= {nfc(doc_id) for doc_id in turn.reused_citations} - before
    for doc_id in sorted(wrong & known):
        yield Drift(turn.turn, "new_reused_misclassified", doc_id)
