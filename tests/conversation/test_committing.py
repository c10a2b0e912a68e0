"""One durable commit a turn: replayed under its key, never twice, and never on top of another writer's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.errors import StoreUnavailableError, UnknownSessionError, VersionConflictError
from turnkeeper.sessions import MemoryStore, SqlStore

from .conftest import Make
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, HOURS, LAKE, NIGHT, Reader, codes, lm_of


def test_a_turn_is_replayed_under_its_key_without_a_call(talk: Conversation, reader: Reader) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE], idempotency_key="k1")
    first = talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k2")
    reader.steps()
    before = talk.export("s")
    again = talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k2")
    assert reader.steps() == [] and talk.export("s") == before
    assert again.replayed and not first.replayed
    times = {"latency_ms": 0.0, "steps": (), "replayed": False}
    assert again.model_copy(update=times) == first.model_copy(update=times)


def test_a_replay_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with SqlStore(path) as store:
        first = Conversation(store, lm=lm_of(Reader())).turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k")
    with SqlStore(path) as store:
        reader = Reader()
        again = Conversation(store, lm=lm_of(reader)).turn("s", ASK_HIRE, passages=[], idempotency_key="k")
    assert again.replayed and again.answer == first.answer and reader.steps() == []


def test_a_key_that_comes_again_with_other_words_is_told_of(talk: Conversation, store: MemoryStore) -> None:
    first = talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k")
    again = talk.turn("s", ASK_HOURS, passages=LAKE, idempotency_key="k")
    assert again.replayed and again.answer == first.answer and store.load("s").turn == 1
    assert codes(again) == ["idempotency_key_reused"]
    assert codes(talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k")) == []


def test_a_branch_takes_a_key_of_the_other_session_as_a_new_one(talk: Conversation) -> None:
    talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k1")
    talk.turn("s", ASK_HOURS, passages=LAKE, idempotency_key="k2")
    talk.branch("s", 1, new_session_id="b")
    told = talk.turn("b", ASK_NIGHT, passages=LAKE, idempotency_key="k2")
    assert (told.replayed, told.turn, told.query) == (False, 2, ASK_NIGHT)


def test_keys_belong_to_a_session(talk: Conversation) -> None:
    talk.turn("a", ASK_HIRE, passages=LAKE, idempotency_key="k")
    assert talk.turn("b", ASK_HOURS, passages=LAKE, idempotency_key="k").replayed is False


def _one_more(talk: Conversation) -> None:
    talk.turn("s", ASK_HOURS, passages=[HOURS])


def test_a_turn_that_another_writer_overtook_is_taken_again_from_the_new_state(
    make: Make, store: MemoryStore, reader: Reader
) -> None:
    other = make()
    overtaken = []

    def search(request: Any) -> Any:
        if not overtaken:
            overtaken.append(1)
            _one_more(other)
        return [HIRE, NIGHT]

    told = make(retriever=search).turn("s", ASK_HIRE)
    assert (told.turn, told.registry) == (2, ("LAKE-2", "LAKE-1"))
    assert [turn.query for turn in store.load("s").turns] == [ASK_HOURS, ASK_HIRE]


def test_one_that_is_always_overtaken_gives_up_and_commits_nothing(
    make: Make, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnkeeper._turn.flow.PAUSES", (0.001, 0.001))
    other = make()

    def search(request: Any) -> Any:
        _one_more(other)
        return [HIRE]

    with pytest.raises(VersionConflictError):
        make(retriever=search).turn("s", ASK_HIRE)
    assert {turn.query for turn in store.load("s").turns} == {ASK_HOURS}


def test_two_writers_never_fork_a_session(tmp_path: Path) -> None:
    with SqlStore(tmp_path / "s.db") as store:
        talks = [Conversation(store, lm=lm_of(Reader())) for _ in range(3)]
        failed: list[BaseException] = []

        def write(talk: Conversation, number: int) -> None:
            try:
                for turn in range(3):
                    _patient(talk, f"{ASK_HIRE} ({number}-{turn})", f"k{number}-{turn}")
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(talk, n)) for n, talk in enumerate(talks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = store.export("s")
    assert failed == []
    assert [line.turn for line in found.log] == list(range(1, 10))
    assert sorted(str(line.idempotency_key) for line in found.log) == sorted(
        f"k{n}-{t}" for n in range(3) for t in range(3)
    )
    assert [entry.doc_id for entry in found.state.registry.entries] == ["LAKE-1"]


def _patient(talk: Conversation, query: str, key: str) -> None:
    for _ in range(10):
        try:
            talk.turn("s", query, passages=LAKE, idempotency_key=key)
            return
        except VersionConflictError:
            continue
    raise AssertionError("never committed")


def test_two_submissions_with_one_key_are_one_turn(make: Make, store: MemoryStore) -> None:
    other = make()
    overtaken = []

    def search(request: Any) -> Any:
        if not overtaken:
            overtaken.append(1)
            other.turn("s", ASK_HIRE, passages=[HIRE], idempotency_key="k")
        return [HIRE]

    told = make(retriever=search).turn("s", ASK_HIRE, idempotency_key="k")
    assert told.replayed and told.turn == 1 and store.load("s").turn == 1


def test_what_the_store_raises_gets_out_and_nothing_is_committed(make: Make, store: MemoryStore) -> None:
    class Away(MemoryStore):
        def commit(self, **given: Any) -> Any:
            raise StoreUnavailableError("the disk is full")

    with pytest.raises(StoreUnavailableError):
        Conversation(Away(), lm=lm_of(Reader())).turn("s", ASK_HIRE, passages=LAKE)


def test_another_tenants_session_is_not_to_be_had(talk: Conversation) -> None:
    talk.turn("s", ASK_HIRE, passages=LAKE, tenant="nord")
    with pytest.raises(UnknownSessionError):
        talk.turn("s", ASK_HOURS, passages=LAKE, tenant="syd")
    with pytest.raises(UnknownSessionError):
        talk.turn("s", ASK_HOURS, passages=LAKE, tenant="syd", idempotency_key="k")
    assert talk.state("s", "nord").turn == 1


def test_a_branch_begins_after_the_turn_and_leaves_the_other_alone(talk: Conversation) -> None:
    talk.turn("s", ASK_NIGHT, passages=[HIRE])
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    branch = talk.branch("s", 1, new_session_id="b")
    assert (branch.turn, [one.question for one in branch.ledger], branch.registry.entries) == (1, [ASK_NIGHT], ())
    told = talk.turn("b", ASK_HOURS, passages=[HOURS])
    assert (told.turn, told.registry) == (2, ("LAKE-2",))
    assert talk.state("s").turn == 2 and talk.state("s").registry.entries[0].doc_id == "LAKE-1"


def test_an_export_has_every_turn_and_a_deleted_session_is_gone(talk: Conversation) -> None:
    talk.turn("s", ASK_HIRE, passages=[HIRE])
    talk.turn("s", ASK_HOURS, passages=[HOURS])
    assert [line.record.query for line in talk.export("s").log if line.record] == [ASK_HIRE, ASK_HOURS]
    talk.delete("s")
    with pytest.raises(UnknownSessionError):
        talk.state("s")
    assert talk.turn("s", ASK_HIRE, passages=[HIRE]).turn == 1
