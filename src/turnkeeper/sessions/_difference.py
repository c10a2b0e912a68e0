"""What of the stored rows a new state changes, so that a commit writes that and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from ..signatures.types import Exclusion, Frozen, OpenQuestion, RegisteredSource
from ._items import MODULUS, Change, Held, Item, Snapshot, dumped, hold, same_id, source_of
from .state import ReviewItem, SessionState

_METADATA = attrgetter("metadata")


def difference(base: Snapshot, new: SessionState, places: Sequence[int]) -> tuple[Change, Snapshot]:
    """Return what must be written to come from a stored state to a new one, and the snapshot that results.

    `places` are those of the registry that `changed` gives.
    """
    put: list[Item] = []
    closed: list[tuple[str, str]] = []
    held = {
        "registry": _appended(base, new.registry.entries, places, put),
        "ledger": _replaced("ledger", base.held["ledger"], _open(new.ledger), put, closed),
        "exclusions": _replaced("exclusions", base.held["exclusions"], _numbered(new.exclusions), put, closed),
        "reviews": _replaced("reviews", base.held["reviews"], _open_reviews(new.reviews), put, closed),
    }
    total = base.total
    for item in put:
        before = base.held[item.kind].get(item.identity)
        total += held[item.kind][item.identity].digest - (before.digest if before else 0)
    for kind, identity in closed:
        total -= base.held[kind][identity].digest
    left = {kind: tuple(row.model for row in held[kind].values()) for kind in ("ledger", "exclusions", "reviews")}
    state = base.state.model_copy(update={**left, "registry": new.registry})
    sources = dict(base.sources)
    sources.update({source_of(entry): entry.doc_id for entry in new.registry.entries[len(sources) :]})
    return Change(tuple(put), tuple(closed)), Snapshot(state, held, total % MODULUS, sources)


def with_review(base: Snapshot, review: ReviewItem) -> tuple[Change, Snapshot]:
    """Return what must be written to put a review item in the place of the stored one, and the snapshot then."""
    before = base.held["reviews"][review.review_id]
    item = Item("reviews", review.review_id, before.position, dumped(review))
    reviews = {**base.held["reviews"], review.review_id: hold(item, review)}
    total = base.total + reviews[review.review_id].digest - before.digest
    state = base.state.model_copy(update={"reviews": tuple(row.model for row in reviews.values())})
    held = {**base.held, "reviews": reviews}
    return Change((item,), ()), Snapshot(state, held, total % MODULUS, base.sources)


def changed(base: Snapshot, entries: tuple[RegisteredSource, ...]) -> Sequence[int]:
    """Return the places of the entries that are not as they are stored.

    What did not change is compared object by object, and outside Python: this is all of a commit that the size of the
    registry has a part in.
    """
    before, count = base.state.registry.entries, len(base.state.registry.entries)
    copies = list(map(_METADATA, base.held["registry"].values()))
    if entries[:count] == before and list(map(_METADATA, before)) == copies:
        return range(count, len(entries))
    return [
        index
        for index, entry in enumerate(entries)
        if index >= count or (entry is not before[index] and entry != before[index]) or entry.metadata != copies[index]
    ]


def _appended(
    base: Snapshot, entries: tuple[RegisteredSource, ...], places: Sequence[int], put: list[Item]
) -> Mapping[str, Held]:
    result = dict(base.held["registry"])
    for index in places:
        item = Item("registry", same_id(entries[index].doc_id), index, dumped(entries[index]))
        result[item.identity] = hold(item, entries[index])
        put.append(item)
    return result


def _replaced(
    kind: str,
    held: Mapping[str, Held],
    models: Iterable[tuple[str, Frozen]],
    put: list[Item],
    closed: list[tuple[str, str]],
) -> Mapping[str, Held]:
    result: dict[str, Held] = {}
    last, top = -1, max((row.position for row in held.values()), default=-1)
    for identity, model in models:
        before = held.get(identity)
        if before and before.position > last:
            last = before.position
        else:  # new, or moved behind one that it stood before
            last = top = max(last, top) + 1
        if before and before.position == last and before.model == model:
            result[identity] = before
            continue
        item = Item(kind, identity, last, dumped(model))
        result[identity] = hold(item, model)
        put.append(item)
    closed += [(kind, identity) for identity in held if identity not in result]
    return result


def _open(ledger: tuple[OpenQuestion, ...]) -> list[tuple[str, Frozen]]:
    return [(one.question_id, one) for one in ledger if one.status != "resolved"]


def _open_reviews(reviews: tuple[ReviewItem, ...]) -> list[tuple[str, Frozen]]:
    return [(one.review_id, one) for one in reviews if one.status != "resolved"]


def _numbered(exclusions: tuple[Exclusion, ...]) -> list[tuple[str, Frozen]]:
    return [(str(index), one) for index, one in enumerate(exclusions)]
