"""What a new state may do to the stored one: the registry only grows, and no open question is reworded or dropped.

These hold whatever a model, a passage or an application made of the turn: the store is the last to look.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidStateError
from ..signatures.types import CitationRegistry, OpenQuestion, RegisteredSource
from ._items import Snapshot, same_id, source_of
from .state import ReviewItem, SessionState, TurnRecord


def check(base: Snapshot, new: SessionState, turn: TurnRecord, places: Sequence[int]) -> None:
    """Check a commit against what is stored; `places` are those of the registry that `changed` gives.

    Raises:
        InvalidStateError: With the session, the turn, the offending value and what would be allowed.
    """
    stored = base.state
    try:
        if turn.turn != stored.turn + 1:
            raise InvalidStateError(f"the record says turn {turn.turn}, and the next turn is {stored.turn + 1}")
        _registry(base, new.registry, places)
        _ledger(stored.ledger, new.ledger, set(turn.resolved))
        _reviews(stored.reviews, new.reviews)
    except InvalidStateError as error:
        raise InvalidStateError(f"session {stored.session_id}, turn {stored.turn + 1}: {error}") from None


def _registry(base: Snapshot, new: CitationRegistry, places: Sequence[int]) -> None:
    stored = base.state.registry
    if stored.entries and stored.convention and new.convention != stored.convention:
        raise InvalidStateError(f"the convention is {stored.convention!r} and cannot become {new.convention!r}")
    if len(new.entries) < len(stored.entries):
        kept = {same_id(entry.doc_id) for entry in new.entries}
        gone = [entry.doc_id for entry in stored.entries if same_id(entry.doc_id) not in kept]
        raise InvalidStateError(f"registered sources are dropped: {_some(gone)}; entries are only ever added")
    for place in places:
        if place < len(stored.entries):
            _same_source(stored.entries[place], new.entries[place])
    _no_second_use(base, [new.entries[place] for place in places if place >= len(stored.entries)])


def _same_source(stored: RegisteredSource, new: RegisteredSource) -> None:
    if same_id(new.doc_id) != same_id(stored.doc_id):
        raise InvalidStateError(
            f"the registered source {_shown(stored.doc_id)} is dropped or renamed {_shown(new.doc_id)}"
        )
    if source_of(new) != source_of(stored):
        raise InvalidStateError(
            f"the id {_shown(new.doc_id)} stands for the document {_shown(source_of(stored))} "
            f"and cannot stand for {_shown(source_of(new))}"
        )
    if new.first_turn != stored.first_turn or new.last_turn < stored.last_turn:
        raise InvalidStateError(f"the turns of the registered source {_shown(new.doc_id)} run backwards")
    if stored.withdrawn and not new.withdrawn:
        raise InvalidStateError(f"the source {_shown(new.doc_id)} was withdrawn and stays so")


def _no_second_use(base: Snapshot, fresh: list[RegisteredSource]) -> None:
    ids: dict[str, str] = {}
    sources: dict[str, str] = {}
    for entry in fresh:
        name, source = same_id(entry.doc_id), source_of(entry)
        if not entry.doc_id.strip():
            raise InvalidStateError("a source without a doc_id is registered")
        if name in ids or name in base.held["registry"]:
            raise InvalidStateError(f"the id {_shown(entry.doc_id)} is taken already, and stands for one document")
        known = sources.get(source) or base.sources.get(source)
        if known is not None:
            raise InvalidStateError(
                f"the document {_shown(source)} is registered as {_shown(known)} already "
                f"and cannot be {_shown(entry.doc_id)} too"
            )
        ids[name] = sources[source] = entry.doc_id


def _ledger(stored: tuple[OpenQuestion, ...], new: tuple[OpenQuestion, ...], resolved: set[str]) -> None:
    asked = {one.question_id: one for one in new}
    if len(asked) < len(new):
        raise InvalidStateError("two open questions have the same question_id")
    if "" in asked:
        raise InvalidStateError(f"the open question {_shown(asked[''].question)} has no question_id")
    for before in stored:
        after = asked.get(before.question_id)
        name = f"the open question {_shown(before.question_id)}"
        if after is None:
            if before.question_id not in resolved:
                raise InvalidStateError(f"{name} left the ledger, and the turn's `resolved` does not name it")
        elif after.question != before.question:
            raise InvalidStateError(
                f"{name} is worded {_shown(before.question)} and cannot become {_shown(after.question)}"
            )
        elif after.first_asked_turn != before.first_asked_turn or after.attempts < before.attempts:
            raise InvalidStateError(f"{name} was first asked in another turn, or its attempts run backwards")


def _reviews(stored: tuple[ReviewItem, ...], new: tuple[ReviewItem, ...]) -> None:
    raised = {one.review_id for one in new}
    if len(raised) < len(new) or "" in raised:
        raise InvalidStateError("each review item needs a review_id of its own")
    gone = [one.review_id for one in stored if one.status == "open" and one.review_id not in raised]
    if gone:
        raise InvalidStateError(f"review items are dropped: {_some(gone)}; mark them as resolved instead")
    decided = {one.review_id for one in stored if one.status == "resolved"}
    again = [one.review_id for one in new if one.review_id in decided and one.status == "open"]
    if again:
        raise InvalidStateError(f"review items were resolved and stay so: {_some(again)}; raise new ones instead")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}...")


def _some(values: list[str]) -> str:
    return ", ".join(map(_shown, values[:3])) + (f" and {len(values) - 3} more" if len(values) > 3 else "")
