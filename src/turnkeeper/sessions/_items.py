"""A state as the rows it is stored in, and back; and what of them a new state changes.

Each source, question, exclusion and review item is one row, so that a commit writes what changed and no more. The
digest of a state is the sum of its rows' digests: a commit brings it up to date without reading the other rows.
"""

from __future__ import annotations

import copy
import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..errors import InvalidStateError
from ..signatures.types import CitationRegistry, Exclusion, Frozen, OpenQuestion, RegisteredSource
from .state import ReviewItem, SessionState

MODELS: Mapping[str, type[Frozen]] = {
    "registry": RegisteredSource,
    "ledger": OpenQuestion,
    "exclusions": Exclusion,
    "reviews": ReviewItem,
}
_MODULUS = 1 << 256


class Item(NamedTuple):
    """One row: what kind, which one, where in the order, and the model as JSON."""

    kind: str
    identity: str
    position: int
    body: str


class Held(NamedTuple):
    """A stored row as the caller was given it; `metadata` is a copy, since the caller's can be changed in place."""

    model: Frozen
    position: int
    digest: int
    metadata: dict[str, Any]


class Change(NamedTuple):
    """What one revision writes: rows new or replaced, and rows that left the state."""

    put: tuple[Item, ...] = ()
    closed: tuple[tuple[str, str], ...] = ()


class Snapshot(NamedTuple):
    """A state and the rows it stands in, as of the revision with this digest."""

    state: SessionState
    held: Mapping[str, Mapping[str, Held]]
    total: int
    digest: str = ""

    def state_digest(self) -> str:
        """Return the digest of all that the state's rows say."""
        return f"{(self.total + _number('convention', self.state.registry.convention or '')) % _MODULUS:064x}"


def same_id(doc_id: str) -> str:
    """Return an id in the form in which ids are compared: exactly, after NFC."""
    return unicodedata.normalize("NFC", doc_id)


def empty(state: SessionState) -> Snapshot:
    """Return the snapshot of a session that has no row yet."""
    bare = SessionState(
        session_id=state.session_id, tenant=state.tenant, parent=state.parent, parent_turn=state.parent_turn
    )
    return Snapshot(bare, {kind: {} for kind in MODELS}, 0)


def assemble(about: SessionState, convention: Any, items: Iterable[Item]) -> Snapshot:
    """Build the snapshot that rows stand for; `about` gives all that is no row.

    Raises:
        ValueError: A row is no model of its kind (pydantic's error is one), or its kind is none.
    """
    held: dict[str, dict[str, Held]] = {kind: {} for kind in MODELS}
    total = 0
    for item in sorted(items, key=lambda one: one.position):
        if item.kind not in MODELS:
            raise ValueError(f"a row of the kind {item.kind!r}")
        row = _hold(item, MODELS[item.kind].model_validate_json(item.body))
        held[item.kind][item.identity] = row
        total += row.digest
    models = {kind: tuple(row.model for row in rows.values()) for kind, rows in held.items()}
    registry = CitationRegistry(convention=convention, entries=models.pop("registry"))  # type: ignore[arg-type]
    return Snapshot(about.model_copy(update={**models, "registry": registry}), held, total % _MODULUS)


def difference(base: Snapshot, new: SessionState) -> tuple[Change, Snapshot]:
    """Return what must be written to come from a stored state to a new one, and the snapshot that results.

    The cost is one comparison of objects for each row that did not change.
    """
    put: list[Item] = []
    closed: list[tuple[str, str]] = []
    held = {
        "registry": _appended(base.held["registry"], new.registry.entries, put),
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
    return Change(tuple(put), tuple(closed)), Snapshot(state, held, total % _MODULUS)


def dumped(model: Frozen) -> str:
    """Return a model as JSON.

    Raises:
        InvalidStateError: Its `metadata` or `details` hold what JSON cannot hold, or a text half of a surrogate pair.
    """
    try:
        return model.model_dump_json()
    except ValueError as error:  # pydantic's serialization error is one
        raise InvalidStateError(f"a {type(model).__name__} cannot be written as JSON: {error}") from None


def _appended(held: Mapping[str, Held], entries: tuple[RegisteredSource, ...], put: list[Item]) -> Mapping[str, Held]:
    result, before = dict(held), list(held.values())
    for index, entry in enumerate(entries):
        if index < len(before) and before[index].model is entry and before[index].metadata == entry.metadata:
            continue
        item = Item("registry", same_id(entry.doc_id), index, dumped(entry))
        result[item.identity] = _hold(item, entry)
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
        result[identity] = _hold(item, model)
        put.append(item)
    closed += [(kind, identity) for identity in held if identity not in result]
    return result


def _open(ledger: tuple[OpenQuestion, ...]) -> list[tuple[str, Frozen]]:
    return [(one.question_id, one) for one in ledger if one.status != "resolved"]


def _open_reviews(reviews: tuple[ReviewItem, ...]) -> list[tuple[str, Frozen]]:
    return [(one.review_id, one) for one in reviews if one.status != "resolved"]


def _numbered(exclusions: tuple[Exclusion, ...]) -> list[tuple[str, Frozen]]:
    return [(str(index), one) for index, one in enumerate(exclusions)]


def _hold(item: Item, model: Frozen) -> Held:
    metadata = model.metadata if isinstance(model, RegisteredSource) else {}
    return Held(model, item.position, _number(*map(str, item)), copy.deepcopy(metadata) if metadata else {})


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest(), "big")
