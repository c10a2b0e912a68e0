"""What a turn hands to a person: items of the review queue, raised once, when something becomes so."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..sessions import ReviewItem
from ..signatures.types import Notice
from .talk import Talk
from .tallied import Tallied

if TYPE_CHECKING:
    from .flow import Taken

_GENERAL = "human_review"
"""What a step says beside its own reason; one item a reason is enough."""
_ALWAYS = frozenset(("ledger_review", "unresolvable", "contradicting_passage", _GENERAL))
_AT_HIGH_RISK = frozenset(("permission_boundary", "citation_unverified", "ambiguous_reference", "uncertain_reference"))


class Reviewed(NamedTuple):
    """The queue after a turn, and the ids of what the turn raised."""

    items: tuple[ReviewItem, ...]
    raised: tuple[str, ...]


def reviewed(talk: Talk, taken: Taken, tallied: Tallied) -> Reviewed:
    """Raise an item for each notice that a person has to see, unless one like it is open."""
    wanted = _ALWAYS | _AT_HIGH_RISK if talk.risk_level == "high" else _ALWAYS
    return queued(taken.state.reviews, tallied.warnings, taken.number, taken.asked.query, wanted, tallied.of_open)


def queued(
    known: Iterable[ReviewItem],
    notices: Iterable[Notice],
    number: int,
    query: str,
    wanted: Collection[str] = _ALWAYS,
    of_open: Collection[Notice] = (),
) -> Reviewed:
    """Return the queue with an item for each notice of a turn that is `wanted`, unless one like it is open.

    Args:
        known: The queue before.
        notices: Of the turn.
        number: Of the turn.
        query: The user's words.
        wanted: Codes that a person has to see.
        of_open: Those of them that come from the search for an open question, and name it themselves.
    """
    items = list(known)
    open_ = {(item.reason, item.text) for item in items if item.status == "open"}
    ever = {(item.reason, item.text) for item in items}
    raised: list[str] = []
    told = set[str]()
    for notice in sorted(notices, key=lambda notice: notice.code == _GENERAL):  # what tells more comes first
        if (notice.code == _GENERAL and raised) or (notice.code in _AT_HIGH_RISK and notice.code in told):
            continue
        told.add(notice.code)
        # An open question is searched for each turn: what a person has seen of it once is not raised again.
        again = notice in of_open
        text = notice.message if again else f"{notice.message} Question: {query}"
        if notice.code in wanted and (notice.code, text) not in (ever if again else open_):
            open_.add((notice.code, text))
            name = f"r{number}-{len(raised) + 1}"
            items.append(ReviewItem(review_id=name, turn=number, reason=notice.code, text=text))
            raised.append(name)
    return Reviewed(tuple(items), tuple(raised))
