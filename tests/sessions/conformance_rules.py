"""What no new state may do, and what it may."""

from __future__ import annotations

import pytest

from turnkeeper.errors import InvalidStateError
from turnkeeper.sessions import ReviewItem, SessionStore
from turnkeeper.signatures.types import Exclusion

from ._clauses import clause, same
from .building import SESSION, TENANT, new, question, record, say, source, talk, with_sources


@clause
def turns_have_no_gap(store: SessionStore) -> None:
    now = talk(store, 2)
    for turn in (0, 2, 4):
        with pytest.raises(InvalidStateError, match="next turn is 3"):
            store.commit(expected_version=2, turn=record(turn), state=now)
    same(store, now)


@clause
def a_registered_source_is_never_dropped_or_renamed(store: SessionStore) -> None:
    now = talk(store, 3)
    same(store, now)
    first, second, third = now.registry.entries
    for entries in (
        (first, second),
        (),
        (second, first, third),
        (first, second.model_copy(update={"doc_id": "d-2"}), third),
        (first, second.model_copy(update={"source_id": "chunk-9"}), third),
        (first, second.model_copy(update={"first_turn": 1}), third),
    ):
        bad = now.model_copy(update={"registry": now.registry.model_copy(update={"entries": entries})})
        with pytest.raises(InvalidStateError, match=r"harbour-7, turn 4: "):
            say(store, now, to=bad)
    same(store, now)


@clause
def an_id_never_stands_for_two_documents(store: SessionStore) -> None:
    now = say(store, new(), to=with_sources(new(), source("1", source_id="tide-table"), convention="numeric")).state
    for extra in (source("1", source_id="crane-list"), source("2", source_id="tide-table"), source("")):
        with pytest.raises(InvalidStateError):
            say(store, now, to=with_sources(now, extra, convention="numeric"))
    with pytest.raises(InvalidStateError):
        two = (source("2", source_id="quay"), source("2", source_id="pier"))
        say(store, now, to=with_sources(now, *two, convention="numeric"))
    same(store, now)


@clause
def ids_compare_after_nfc_and_otherwise_exactly(store: SessionStore) -> None:
    now = say(store, new(), to=with_sources(new(), source("caf\u00e9"))).state
    with pytest.raises(InvalidStateError, match="taken already"):
        say(store, now, to=with_sources(now, source("cafe\u0301")))
    assert len(say(store, now, to=with_sources(now, source("Caf\u00e9"))).state.registry.entries) == 2


@clause
def the_convention_stays(store: SessionStore) -> None:
    now = talk(store, 1)
    with pytest.raises(InvalidStateError, match="numeric"):
        say(store, now, to=with_sources(now, source("D-2"), convention="numeric"))
    same(store, now)


@clause
def an_open_question_is_never_reworded_or_dropped(store: SessionStore) -> None:
    now = say(store, new(), to=new().model_copy(update={"ledger": (question("q1"), question("q2"))})).state
    same(store, now)
    one, two = now.ledger
    for ledger in (
        (one,),
        (one, two.model_copy(update={"question": "What of q2"})),
        (one, two.model_copy(update={"first_asked_turn": 2})),
        (one, two.model_copy(update={"attempts": 0})),
        (one, two, two),
        (one, two, question("")),
    ):
        with pytest.raises(InvalidStateError, match="question"):
            say(store, now, to=now.model_copy(update={"ledger": ledger}))
    same(store, now)


@clause
def a_resolved_question_leaves_and_its_id_is_never_used_again(store: SessionStore) -> None:
    now = say(store, new(), to=new().model_copy(update={"ledger": (question("q1"), question("q2"))})).state
    same(store, now)
    done = now.ledger[1].model_copy(update={"status": "resolved"})
    now = say(store, now, to=now.model_copy(update={"ledger": (done,)}), resolved=("q1",)).state
    assert now.ledger == ()
    for name in ("q1", "q2"):
        with pytest.raises(InvalidStateError, match="never reused"):
            say(store, now, to=now.model_copy(update={"ledger": (question(name, 3),)}))
    same(store, now)


@clause
def the_ledger_keeps_the_order_it_was_given(store: SessionStore) -> None:
    one, two, three = question("q1"), question("q2"), question("q3")
    now = say(store, new(), to=new().model_copy(update={"ledger": (one, two, three)})).state
    for ledger in ((three, one, two), (two.model_copy(update={"attempts": 2}), three, one)):
        now = say(store, now, to=now.model_copy(update={"ledger": ledger})).state
        assert now.ledger == ledger
        same(store, now)


@clause
def an_exclusion_is_revoked_or_gone_as_the_turn_says(store: SessionStore) -> None:
    now = new()
    one, two = Exclusion(phrase="ferries", turn=0), Exclusion(phrase="mud", turn=2)
    for exclusions in ((one, two), (one.model_copy(update={"status": "revoked"}), two), (two,), (), (one,)):
        now = say(store, now, to=now.model_copy(update={"exclusions": exclusions})).state
        assert now.exclusions == exclusions
        same(store, now)


@clause
def a_review_item_leaves_only_when_it_is_resolved(store: SessionStore) -> None:
    item = ReviewItem(review_id="r1", turn=1, reason="unanswered")
    now = say(store, new(), to=new().model_copy(update={"reviews": (item,)})).state
    with pytest.raises(InvalidStateError, match="r1"):
        say(store, now, to=now.model_copy(update={"reviews": ()}))
    same(store, now)
    done = item.model_copy(update={"status": "resolved", "resolution": "asked the harbour office"})
    assert say(store, now, to=now.model_copy(update={"reviews": (done,)})).state.reviews == ()


@clause
def metadata_changed_in_place_is_seen(store: SessionStore) -> None:
    now = talk(store, 2)
    same(store, now)
    now.registry.entries[0].metadata["region"] = "sued"
    now = say(store, now).state
    assert store.load(SESSION, TENANT).registry.entries[0].metadata == {"region": "sued"}
