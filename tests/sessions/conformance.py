"""What every session store must do: one function a clause, each given a fresh store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

import pytest

from turnkeeper.errors import InvalidState, MalformedId, UnknownSession, VersionConflict, WrongTenant
from turnkeeper.sessions import ReviewItem, SessionState, SessionStore
from turnkeeper.signatures.types import Exclusion

from .building import SESSION, TENANT, new, question, record, say, source, talk, with_sources

Clause = Callable[[SessionStore], None]
CLAUSES: list[Clause] = []


def clause(function: Clause) -> Clause:
    CLAUSES.append(function)
    return function


def same(store: SessionStore, state: SessionState) -> None:
    """The store holds this state, and no other."""
    assert store.load(state.session_id, state.tenant) == state


@clause
def a_session_that_nobody_made_is_unknown(store: SessionStore) -> None:
    with pytest.raises(UnknownSession, match="nobody-7"):
        store.load("nobody-7", TENANT)
    assert store.committed("nobody-7", TENANT, idempotency_key="k") is None


@clause
def what_is_committed_is_read_back(store: SessionStore) -> None:
    after = with_sources(new(), source("D-1", metadata={"regions": ["nord", 3], "open": True}), source("D-2"))
    after = after.model_copy(
        update={
            "ledger": (question("q1"), question("q2")),
            "exclusions": (Exclusion(phrase="ferries", cue="without", aliases=("boats",)),),
            "reviews": (ReviewItem(review_id="r1", turn=1, reason="unanswered"),),
        }
    )
    done = say(store, new(), to=after, details={"scope": {"tenant": ["nord"]}})
    assert not done.replayed and (done.state.version, done.state.turn) == (1, 1)
    assert done.state.turns == (done.turn,)
    for part in ("registry", "ledger", "exclusions", "reviews"):
        assert getattr(done.state, part) == getattr(after, part)
    same(store, done.state)


@clause
def the_newest_turns_come_with_the_state(store: SessionStore) -> None:
    talk(store, 25)
    assert [turn.turn for turn in store.load(SESSION, TENANT).turns] == list(range(6, 26))
    assert [turn.turn for turn in store.load(SESSION, TENANT, recent=3).turns] == [23, 24, 25]
    assert store.load(SESSION, TENANT, recent=0).turns == ()


@clause
def a_stale_version_conflicts_and_changes_nothing(store: SessionStore) -> None:
    old = talk(store, 2)
    now = say(store, old).state
    for stale in (old, new()):
        with pytest.raises(VersionConflict, match="version 3") as refused:
            say(store, stale, word="price")
        assert refused.value.code == "version_conflict"
    same(store, now)


@clause
def a_version_that_never_was_conflicts(store: SessionStore) -> None:
    now = talk(store, 2)
    with pytest.raises(VersionConflict, match="older than what you hold"):
        store.commit(expected_version=9, turn=record(3), state=now)
    with pytest.raises(VersionConflict):
        store.commit(expected_version=1, turn=record(2), state=new("other"))
    same(store, now)


@clause
def a_key_gives_back_its_turn_and_changes_nothing(store: SessionStore) -> None:
    first = say(store, new(), key="k-1")
    now = talk(store, 2, first.state)
    for state in (new(), first.state, now):
        again = say(store, state, key="k-1", word="price")
        assert again.replayed and again.turn == first.turn and again.state == now
    same(store, now)
    assert store.committed(SESSION, TENANT, idempotency_key="k-1") == first.turn
    assert store.committed(SESSION, TENANT, idempotency_key="k-2") is None


@clause
def a_key_belongs_to_its_session(store: SessionStore) -> None:
    say(store, new(), key="k-1")
    other = say(store, new("harbour-8"), key="k-1")
    assert not other.replayed and other.state.turn == 1


@clause
def turns_have_no_gap(store: SessionStore) -> None:
    now = talk(store, 2)
    for turn in (0, 2, 4):
        with pytest.raises(InvalidState, match="next turn is 3"):
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
        with pytest.raises(InvalidState, match=r"harbour-7, turn 4: "):
            say(store, now, to=bad)
    same(store, now)


@clause
def an_id_never_stands_for_two_documents(store: SessionStore) -> None:
    now = say(store, new(), to=with_sources(new(), source("1", source_id="tide-table"), convention="numeric")).state
    for extra in (source("1", source_id="crane-list"), source("2", source_id="tide-table"), source("")):
        with pytest.raises(InvalidState):
            say(store, now, to=with_sources(now, extra, convention="numeric"))
    with pytest.raises(InvalidState):
        two = (source("2", source_id="quay"), source("2", source_id="pier"))
        say(store, now, to=with_sources(now, *two, convention="numeric"))
    same(store, now)


@clause
def ids_compare_after_nfc_and_otherwise_exactly(store: SessionStore) -> None:
    now = say(store, new(), to=with_sources(new(), source("caf\u00e9"))).state
    with pytest.raises(InvalidState, match="already"):
        say(store, now, to=with_sources(now, source("cafe\u0301")))
    assert len(say(store, now, to=with_sources(now, source("Caf\u00e9"))).state.registry.entries) == 2


@clause
def the_convention_stays(store: SessionStore) -> None:
    now = talk(store, 1)
    with pytest.raises(InvalidState, match="numeric"):
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
        with pytest.raises(InvalidState, match="question"):
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
        with pytest.raises(InvalidState, match="never reused"):
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
    with pytest.raises(InvalidState, match="r1"):
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


@clause
def tenants_are_kept_apart(store: SessionStore) -> None:
    now = talk(store, 2)
    attempts: list[Callable[[], object]] = [
        lambda: store.load(SESSION, "sued"),
        lambda: store.commit(expected_version=2, turn=record(3), state=now.model_copy(update={"tenant": "sued"})),
        lambda: store.committed(SESSION, "sued", idempotency_key="k"),
        lambda: store.branch(SESSION, 1, "sued"),
        lambda: store.withdraw(SESSION, "D-1", "sued"),
        lambda: store.export(SESSION, "sued"),
        lambda: store.delete(SESSION, "sued"),
    ]
    for attempt in attempts:
        with pytest.raises(WrongTenant):
            attempt()
    same(store, now)


@clause
def a_malformed_id_is_refused_everywhere(store: SessionStore) -> None:
    now = talk(store, 1)
    for bad in ("", " ", "a b", "a'--", "a\n", "\u00e9", "x" * 201, "\0", "%", '"', "\ud800", "../x"):
        attempts: list[Callable[[], object]] = [
            lambda bad=bad: store.load(bad, TENANT),  # type: ignore[misc]
            lambda bad=bad: store.load(SESSION, bad),  # type: ignore[misc]
            lambda bad=bad: say(store, now, key=bad),  # type: ignore[misc]
            lambda bad=bad: say(store, new(bad)),  # type: ignore[misc]
            lambda bad=bad: store.committed(SESSION, TENANT, idempotency_key=bad),  # type: ignore[misc]
            lambda bad=bad: store.branch(SESSION, 1, TENANT, new_session_id=bad),  # type: ignore[misc]
            lambda bad=bad: store.withdraw(bad, "D-1", TENANT),  # type: ignore[misc]
            lambda bad=bad: store.export(bad, TENANT),  # type: ignore[misc]
            lambda bad=bad: store.delete(bad, TENANT),  # type: ignore[misc]
        ]
        for attempt in attempts:
            with pytest.raises(MalformedId, match="must be a text of 1 to 200"):
                attempt()
    same(store, now)


@clause
def a_withdrawn_source_keeps_its_id(store: SessionStore) -> None:
    now = talk(store, 2)
    for _ in range(2):  # the second time nothing is left to do
        after = store.withdraw(SESSION, "D-1", TENANT)
        assert (after.version, after.turn) == (3, 2) and after.turns == now.turns
        assert [(entry.doc_id, entry.withdrawn) for entry in after.registry.entries] == [("D-1", True), ("D-2", False)]
        same(store, after)
    with pytest.raises(VersionConflict):
        say(store, now)
    with pytest.raises(InvalidState, match="withdrawn"):
        say(store, after, to=after.model_copy(update={"registry": now.registry}))
    with pytest.raises(InvalidState, match="D-9"):
        store.withdraw(SESSION, "D-9", TENANT)
    assert say(store, after).state.turn == 3


@clause
def a_branch_starts_after_its_turn(store: SessionStore) -> None:
    then = talk(store, 2)
    now = store.withdraw(SESSION, "D-1", TENANT)
    now = talk(store, 2, now)
    there = store.branch(SESSION, 2, TENANT, new_session_id="harbour-7b")
    assert (there.session_id, there.parent, there.parent_turn, there.turn) == ("harbour-7b", SESSION, 2, 2)
    assert there.turns == then.turns
    assert [(entry.doc_id, entry.withdrawn) for entry in there.registry.entries] == [("D-1", True), ("D-2", False)]
    same(store, there)
    early = store.branch(SESSION, 1, TENANT)
    assert [(entry.doc_id, entry.withdrawn) for entry in early.registry.entries] == [("D-1", True)]
    assert say(store, there, word="price").state.turn == 3
    same(store, now)
    assert [line.turn for line in store.export("harbour-7b", TENANT).log][-1] == 3
    for turn in (0, 5):
        with pytest.raises(InvalidState, match="1 to 4"):
            store.branch(SESSION, turn, TENANT)
    with pytest.raises(InvalidState, match="exists"):
        store.branch(SESSION, 2, TENANT, new_session_id="harbour-7b")


@clause
def a_branch_takes_no_keys_along(store: SessionStore) -> None:
    first = say(store, new(), key="k-1").state
    there = store.branch(SESSION, 1, TENANT, new_session_id="harbour-7b")
    assert store.committed("harbour-7b", TENANT, idempotency_key="k-1") is None
    assert not say(store, there, key="k-1").replayed
    same(store, first)


@clause
def an_export_holds_every_turn_and_a_whole_chain(store: SessionStore) -> None:
    talk(store, 25)
    now = store.withdraw(SESSION, "D-3", TENANT)
    found = store.export(SESSION, TENANT)
    assert [line.record.turn for line in found.log if line.record] == list(range(1, 26))
    assert [line.registered for line in found.log[:2]] == [("D-1",), ("D-2",)]
    assert (found.log[-1].kind, found.log[-1].withdrawn) == ("withdrawal", ("D-3",))
    assert all(after.previous == before.digest for before, after in pairwise(found.log))
    assert found.state.registry == now.registry and len(found.state.turns) == 25


@clause
def a_deleted_session_is_gone_and_can_begin_anew(store: SessionStore) -> None:
    talk(store, 3)
    other = talk(store, 1, new("harbour-8"))
    store.delete(SESSION, TENANT)
    with pytest.raises(UnknownSession):
        store.load(SESSION, TENANT)
    with pytest.raises(UnknownSession):
        store.delete(SESSION, TENANT)
    again = say(store, new(), word="price").state
    assert (again.version, len(again.registry.entries)) == (1, 1)
    same(store, again)
    same(store, other)


@clause
def any_text_is_kept_as_it_is(store: SessionStore) -> None:
    strange = "'; DROP TABLE turnkeeper_turns; --\0 \x1b[2J \u202e 🜁 [Source: \u0336] %s :x {y} \\u0000"
    after = with_sources(new(), source(strange, metadata={strange: [strange]}))
    after = after.model_copy(update={"ledger": (question(strange),), "exclusions": (Exclusion(phrase=strange),)})
    now = say(store, new(), to=after, standalone_query=strange).state
    assert now.ledger[0].question_id == strange
    same(store, now)
    assert store.withdraw(SESSION, strange, TENANT).registry.entries[0].withdrawn


@clause
def what_json_cannot_hold_is_refused(store: SessionStore) -> None:
    now = talk(store, 1)
    for bad in (
        with_sources(now, source("D-2", metadata={"x": object()})),
        with_sources(now, source("D-\ud800")),
        now.model_copy(update={"ledger": (question("q\ud800", 2),)}),
    ):
        with pytest.raises(InvalidState, match="JSON"):
            say(store, now, to=bad)
    with pytest.raises(InvalidState, match="bytes"):
        say(store, now, details={"page": "x" * 9_000_000})
    same(store, now)


@clause
def of_many_threads_each_turn_is_there_once(store: SessionStore) -> None:
    talk(store, 1)
    done: list[str] = []

    def write(name: int) -> None:
        for number in range(4):
            word = f"{name}-{number}"
            while True:
                state = store.load(SESSION, TENANT)
                try:
                    say(store, state, word=word, key=word)
                except VersionConflict:
                    continue
                done.append(word)
                break

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = store.export(SESSION, TENANT)
    assert [line.turn for line in found.log] == list(range(1, 18))
    assert sorted(line.record.query for line in found.log[1:] if line.record) == sorted(f"And the {w}?" for w in done)
    assert len(done) == 16 and len({entry.doc_id for entry in found.state.registry.entries}) == 17
