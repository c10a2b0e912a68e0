"""A store that fails while one chats: the remedy is named, the talk goes on, and nothing that was kept is lost."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from turnkeeper.cli._chat import SessionTalk
from turnkeeper.cli._chat_loop import chat_loop
from turnkeeper.cli._chat_screen import LineScreen
from turnkeeper.conversation import Conversation
from turnkeeper.errors import StoreUnavailableError
from turnkeeper.retrieval import Fts5Retriever
from turnkeeper.sessions import SqlStore

from ..conversation.reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, LAKE, Reader
from ..full_disk import room_for
from ..streamed import streaming

LOCKER = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN EXCLUSIVE" if sys.argv[2] == "write" else "PRAGMA locking_mode = EXCLUSIVE")
if sys.argv[2] != "write":
    held.execute("PRAGMA journal_mode = DELETE").fetchall()
    held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
held.rollback()
"""
Line = "str | Callable[[], object]"


def chatted(store: SqlStore, *lines: str | Callable[[], object]) -> list[str]:
    """Say some lines in one talk, do what stands between them, and return what was shown."""
    index = Fts5Retriever()
    index.add(LAKE)
    talk = SessionTalk(Conversation(store, index, streaming(*[Reader()] * 80)), "s")
    left, shown = iter(lines), list[str]()

    def read() -> str | None:
        for line in left:
            if isinstance(line, str):
                return line
            line()
        return None

    chat_loop(talk, read, LineScreen(shown.append))
    return shown


def kept(path: Path) -> list[str]:
    with SqlStore(path) as store:
        return [turn.query for turn in store.export("s").state.turns]


@contextlib.contextmanager
def locked(path: Path, how: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield
    finally:
        process.communicate(timeout=60)


def test_a_lock_of_another_process_is_named_and_the_turn_is_taken_again(tmp_path: Path) -> None:
    path, held = tmp_path / "s.db", contextlib.ExitStack()
    with SqlStore(path, wait=0.3) as store, held:
        shown = chatted(
            store, ASK_HIRE, lambda: held.enter_context(locked(path, "write")), ASK_HOURS, "/open", "/sources",
            held.close, "/again", ASK_NIGHT,
        )  # fmt: skip
    text = "\n".join(shown)
    assert "another process holds the write lock; try again, or end the process that holds it" in text
    assert text.count("/again takes it once more") == 1
    assert kept(path) == [ASK_HIRE, ASK_HOURS, ASK_NIGHT]
    assert text.index("holds the write lock") < text.index("The boathouse opens at 9:30")


def test_a_line_that_failed_before_its_turn_began_is_the_one_that_is_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with SqlStore(path) as store, pytest.MonkeyPatch.context() as patch:

        def busy(*_: object, **__: object) -> None:
            raise StoreUnavailableError("s.db: another process holds the lock")

        shown = chatted(
            store, ASK_HIRE, lambda: patch.setattr(store, "load", busy), ASK_HOURS, patch.undo, "/again", "/again",
        )  # fmt: skip
    text = "\n".join(shown)
    assert text.count("another process holds the lock") == 1
    assert kept(path) == [ASK_HIRE, ASK_HOURS]
    assert "9:30" in text.partition("holds the lock")[2] and shown[-1] == "(nothing waits to be taken again)"


def test_a_full_disk_is_named_and_nothing_that_was_kept_is_lost(tmp_path: Path) -> None:
    path, full = tmp_path / "s.db", contextlib.ExitStack()
    with SqlStore(path) as store, full:

        def fill() -> None:
            sizes = [one.stat().st_size for one in tmp_path.iterdir()]
            full.enter_context(room_for(max(sizes)))

        shown = chatted(store, ASK_HIRE, fill, ASK_HOURS, ASK_NIGHT, "/sources", full.close, "/again")
    text = "\n".join(shown)
    assert text.count("free some space") == 2 and "LAKE-1: Boat hire (turns 1 to 1)" in text
    assert kept(path) == [ASK_HIRE, ASK_NIGHT]


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of nobody's, while this process is nobody special."""
    with SqlStore(tmp_path / "first.db") as store:
        chatted(store, ASK_HIRE)  # what is imported late may lie where nobody may read
    codecs.lookup("utf-8-sig")
    folder = Path(tempfile.mkdtemp(prefix="tk-chat-"))
    monkeypatch.chdir(folder)
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        monkeypatch.undo()
        shutil.rmtree(folder)


def test_a_file_that_may_not_be_written_is_named_and_written_once_it_may(nobody: Path) -> None:
    path = nobody / "s.db"
    with SqlStore(path) as store:
        chatted(store, ASK_HIRE)
    path.chmod(0o444)

    def allow() -> None:
        for one in nobody.glob("s.db*"):
            one.chmod(0o644)

    with SqlStore(path, wait=0.3) as store:
        shown = chatted(store, ASK_HOURS, "/sources", allow, "/again")
    text = "\n".join(shown)
    assert "give write permission on the file" in text and "LAKE-1: Boat hire" in text
    assert kept(path) == [ASK_HIRE, ASK_HOURS]


def test_a_folder_that_may_not_be_written_ends_the_command_with_the_remedy(
    nobody: Path, cli: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    from turnkeeper import lms

    monkeypatch.setattr(lms, "resolve_lm", lambda *given, **named: streaming())
    docs = nobody / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Fees\n\nA berth costs 24 euros.\n", encoding="utf-8")
    nobody.chmod(0o555)
    done: object = cli("chat", docs, "--store", nobody / "s.db")
    assert done.code == 2 and "make the folder, and give read and write permission on it" in done.err  # type: ignore[attr-defined]
