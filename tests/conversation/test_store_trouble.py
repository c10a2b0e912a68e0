"""A store that fails as a turn is committed: the error names the remedy, nothing is half done, a retry is one turn."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.errors import StoreUnavailableError
from turnkeeper.sessions import SessionExport, SqlStore

from ..full_disk import room_for
from .reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, HIRE, LAKE, Reader, lm_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and permissions of POSIX")
Trouble = Callable[[Path], AbstractContextManager[Any]]


@contextmanager
def _full(path: Path) -> Iterator[None]:
    with room_for(path.with_name(path.name + "-wal").stat().st_size):
        yield


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Another process holds the write lock."""
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        yield
        other.communicate()


@contextmanager
def _read_only(path: Path) -> Iterator[None]:
    """SQLite itself refuses every write of the connections that the store holds, as on a read-only mount."""
    import sqlite3

    from sqlalchemy import Engine, event

    def refuse(connection: sqlite3.Connection, *_: Any) -> None:
        connection.execute("PRAGMA query_only = ON")

    def allow(connection: sqlite3.Connection, *_: Any) -> None:
        connection.execute("PRAGMA query_only = OFF")

    event.listen(Engine, "checkout", refuse)
    try:
        yield
    finally:
        event.remove(Engine, "checkout", refuse)
        event.listen(Engine, "checkout", allow, once=True)


TROUBLES: dict[str, tuple[Trouble, str]] = {
    "full": (_full, "free some space"),
    "locked": (_held, "another process holds the write lock; try again"),
    "read-only": (_read_only, "give write permission"),
}


@contextmanager
def _begun(path: Path) -> Iterator[tuple[SqlStore, Conversation, SessionExport]]:
    """A session with one turn, whose question is open."""
    with SqlStore(path, wait=0.2) as store:
        talk = Conversation(store, lm=lm_of(Reader()))
        talk.turn("s", ASK_NIGHT, passages=[HIRE], idempotency_key="k-1")
        yield store, talk, store.export("s")


def _once(store: SqlStore, talk: Conversation, before: SessionExport) -> None:
    """Submit the turn that failed again, twice: it is there once, on top of what was there before."""
    assert store.export("s") == before
    told = talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2")
    again = talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2")
    found = store.export("s")
    assert (told.turn, told.replayed, again.turn, again.replayed) == (2, False, 2, True)
    assert [line.idempotency_key for line in found.log] == ["k-1", "k-2"] and found.log[:1] == before.log
    assert told.answer == again.answer and found.state.registry.entries[0].doc_id == "LAKE-1"
    assert talk.turn("s", ASK_HOURS, passages=LAKE).turn == 3  # nobody waits for the turn that failed


@pytest.mark.parametrize("kind", sorted(TROUBLES))
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_turn_whose_commit_fails_is_not_there_and_is_there_once_when_it_comes_again(
    kind: str, way: str, tmp_path: Path
) -> None:
    trouble, said = TROUBLES[kind]
    path = tmp_path / "s.db"
    with _begun(path) as (store, talk, before), ExitStack() as later:
        told: list[str] = []

        def answer(**_: Any) -> str:  # the trouble begins after the session was read and before the turn is committed
            if not told:
                told.append("asked")
                later.enter_context(trouble(path))
            return "A rowing boat costs 14 euros an hour [Source: LAKE-1]."

        broken = Conversation(store, lm=lm_of(Reader()), answerer=answer)
        with pytest.raises(StoreUnavailableError, match=said) as failed:
            if way == "sync":
                broken.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2")
            else:
                asyncio.run(broken.aturn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2"))
        assert told == ["asked"] and str(path) in str(failed.value)
        later.close()
        _once(store, talk, before)
    with SqlStore(path) as store:
        assert store.load("s").turn == 3  # and a new process reads the same


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """A file system of 400 kB, in a mount namespace of its own; where that may not be made, the test is left out."""
    script = """
import sys
from pathlib import Path
from turnkeeper.conversation import Conversation
from turnkeeper.errors import StoreUnavailableError
from turnkeeper.sessions import SqlStore
from tests.conversation.reading import ASK_HIRE, ASK_NIGHT, HIRE, LAKE, Reader, lm_of

folder = Path(sys.argv[1])
with SqlStore(folder / "s.db") as store:
    talk = Conversation(store, lm=lm_of(Reader()))
    talk.turn("s", ASK_NIGHT, passages=[HIRE], idempotency_key="k-1")
    before = store.export("s")
    with (folder / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 512):
                pass
        except OSError:
            pass
    try:
        talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2")
        raise SystemExit("the turn was committed on a full disk")
    except StoreUnavailableError as error:
        assert "free some space" in str(error), error
    assert store.export("s") == before
    (folder / "filler").unlink()
    assert talk.turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2").replayed is False
    assert [line.turn for line in store.export("s").log] == [1, 2]
print("once")
"""
    inside = f'mount -t tmpfs -o size=400k none "$1" && exec "{sys.executable}" -c "$2" "$1"'
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("needs unshare")
    flags = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--mount"]
    probe = subprocess.run([unshare, *flags, "sh", "-c", 'mount -t tmpfs none "$1"', "-", str(tmp_path)], check=False)
    if probe.returncode != 0:
        pytest.skip("may not mount")
    command = [unshare, *flags, "sh", "-c", inside, "-", str(tmp_path), script]
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "once"), done.stderr


def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    """The permissions of the file itself; the store was opened by who may read it alone."""
    path = tmp_path / "s.db"
    with _begun(path) as (_, _, before):
        pass
    folder = Path(tempfile.mkdtemp(prefix="tk-ro-"))
    root = os.geteuid() == 0
    try:
        shutil.copy(path, folder / "s.db")
        (folder / "s.db").chmod(0o444)
        folder.chmod(0o555)
        if root:
            os.seteuid(65534)
        with pytest.raises(StoreUnavailableError, match=r"give (read and )?write permission"):
            with SqlStore(folder / "s.db", wait=0.2) as store:
                Conversation(store, lm=lm_of(Reader())).turn("s", ASK_HIRE, passages=LAKE, idempotency_key="k-2")
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)
    with SqlStore(path, wait=0.2) as store:
        _once(store, Conversation(store, lm=lm_of(Reader())), before)
