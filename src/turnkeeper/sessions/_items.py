"""A state as the rows it is stored in, and back.

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
MODULUS = 1 << 256


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
    """A state and the rows it stands in, as of the revision with this digest; `sources` finds an id by its document."""

    state: SessionState
    held: Mapping[str, Mapping[str, Held]]
    total: int
    sources: Mapping[str, str]
    digest: str = ""

    def state_digest(self) -> str:
        """Return the digest of all that the state's rows say."""
        return f"{(self.total + _number('convention', self.state.registry.convention or '')) % MODULUS:064x}"


def same_id(doc_id: str) -> str:
    """Return an id in the form in which ids are compared: exactly, after NFC."""
    return unicodedata.normalize("NFC", doc_id)


def empty(state: SessionState) -> Snapshot:
    """Return the snapshot of a session that has no row yet."""
    bare = SessionState(
        session_id=state.session_id, tenant=state.tenant, parent=state.parent, parent_turn=state.parent_turn
    )
    return Snapshot(bare, {kind: {} for kind in MODELS}, 0, {})


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
        row = hold(item, MODELS[item.kind].model_validate_json(item.body))
        held[item.kind][item.identity] = row
        total += row.digest
    models = {kind: tuple(row.model for row in rows.values()) for kind, rows in held.items()}
    registry = CitationRegistry(convention=convention, entries=models.pop("registry"))  # type: ignore[arg-type]
    sources = {source_of(entry): entry.doc_id for entry in registry.entries}
    return Snapshot(about.model_copy(update={**models, "registry": registry}), held, total % MODULUS, sources)


def source_of(entry: RegisteredSource) -> str:
    """Return the document that an entry stands for, in the form in which ids are compared."""
    return same_id(entry.source_id or entry.doc_id)


def dumped(model: Frozen) -> str:
    """Return a model as JSON.

    Raises:
        InvalidStateError: Its `metadata` or `details` hold what JSON cannot hold, or a text half of a surrogate pair.
    """
    try:
        return model.model_dump_json()
    except ValueError as error:  # pydantic's serialization error is one
        raise InvalidStateError(f"a {type(model).__name__} cannot be written as JSON: {error}") from None


def hold(item: Item, model: Frozen) -> Held:
    """Return what is kept in memory of a row."""
    metadata = model.metadata if isinstance(model, RegisteredSource) else {}
    return Held(model, item.position, _number(*map(str, item)), copy.deepcopy(metadata) if metadata else {})


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest(), "big")
