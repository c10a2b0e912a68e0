"""`turnkeeper chat` as a user meets it: on a terminal, through pipes, as JSON, with hostile texts, and interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.sessions import SqlStore

from .chatting import HOSTILE, SENTENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
PROGRAM = str(Path(__file__).parent / "chatting.py")
ASKED = f"How much does a rowing boat cost {HOSTILE}?"
TALK = (ASKED, f"Who is the warden {HOSTILE}?", "/trace", "/open", "/sources", "/exclusions", f"/no{HOSTILE}",
        f"Anything without dogs {HOSTILE}?", "/trace", "/exclusions")  # fmt: skip
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey, but for the end of a line."""
OURS = re.compile(r"\x1b\[(?:\?(?:25|2004)[lh]|[0-9;]*m|2K|[0-9]*[AG]|K)|\r")
"""The codes of our own regions: cursor on and off, colours, erase a line, up; and those of line editing."""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / f"boats{HOSTILE.replace('/', '')}.md").write_text(
        f"# Boats {HOSTILE}\n\n{SENTENCE}.\n", encoding="utf-8", newline=""
    )
    (folder / f"skipped{HOSTILE}.png").write_bytes(b"")
    rows = [{"doc_id": f"W{HOSTILE}", "title": f"Wardens {HOSTILE}", "text": f"The jetty has no rail {HOSTILE}."}]
    (folder / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def _environment(**more: str) -> dict[str, str]:
    return {
        **os.environ,
        "TERM": "xterm-256color",
        "PYTHONIOENCODING": "utf-8",
        "LITELLM_LOCAL_MODEL_COST_MAP": "true",
        **more,
    }


def _piped(docs: Path, store: Path, lines: tuple[str, ...], *options: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, PROGRAM, str(docs), str(store), *options], capture_output=True, timeout=280, check=False,
        input="".join(f"{line}\n" for line in lines).encode(), env=_environment(),
    )  # fmt: skip
    out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    assert done.returncode == 0, err
    return out, err


def test_through_pipes_nothing_that_a_terminal_obeys_comes_out(docs: Path, tmp_path: Path) -> None:
    out, err = _piped(docs, tmp_path / "s.db", TALK)
    for text in (out, err):
        assert OBEYED.findall(text) == []
    # The texts are there, harmless: in the answer, the trace, the lists, what is no command, and what was passed over.
    assert "A rowing boat costs 14 euros an hour \\x1b]0;owned\\x07\\x9b5m\\u202eevil\\u2066\\x08 [Source:" in out
    for line in (
        "searched   ",
        "open       Who is the warden \\x1b]0;owned",
        "Who is the warden \\x1b]0;owned",
        "(/no\\x1b]0;",
    ):
        assert any(shown.startswith(line) for shown in out.splitlines()), line
    assert "3 turns kept" in err


def test_as_json_each_event_is_a_line_and_nothing_is_obeyed(docs: Path, tmp_path: Path) -> None:
    out, err = _piped(docs, tmp_path / "s.db", (ASKED, "/open"), "--json")
    assert OBEYED.findall(out) == [] and OBEYED.findall(err) == []
    events = [json.loads(line) for line in out.splitlines()]
    kinds = [event["type"] for event in events]
    assert {"step_started", "step_ended", "draft", "answer", "turn", "note"} <= set(kinds)
    turn = events[kinds.index("turn")]["turn"]
    assert "".join(event["text"] for event in events if event["type"] == "answer") == turn["answer"]
    assert SENTENCE in turn["answer"] and turn["query"] == ASKED  # as data it is what it was


class Terminal:
    """A pseudo-terminal with the program on it; `seen` is every byte that it wrote."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process, self._descriptor, self.seen = process, descriptor, b""

    def until(self, wanted: str, *, after: int = 0) -> int:
        """Read until a text has come; returns where what follows it begins."""
        deadline = time.monotonic() + 240
        while (at := self.seen.find(wanted.encode(), after)) < 0:
            assert time.monotonic() < deadline and self.process.poll() is None, self.seen.decode(errors="replace")
            self._read()
        return at + len(wanted.encode())

    def type(self, line: str) -> None:
        os.write(self._descriptor, f"{line}\n".encode())

    def end(self) -> int:
        deadline = time.monotonic() + 120
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.seen.decode(errors="replace")
            self._read()
        while self._read():
            pass
        return self.process.returncode

    def _read(self) -> bool:
        if select.select([self._descriptor], [], [], 0.2)[0]:
            with contextlib.suppress(OSError):  # the other side is closed
                data = os.read(self._descriptor, 65536)
                self.seen += data
                return bool(data)
        return False


@contextlib.contextmanager
def terminal(docs: Path, store: Path, **more: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    command = [sys.executable, PROGRAM, str(docs), str(store)]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True, start_new_session=True,
        env=_environment(COLUMNS="100", LINES="40", **more),
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(60)
        os.close(ours)


def test_a_terminal_shows_steps_and_draft_and_obeys_nothing_of_the_documents(docs: Path, tmp_path: Path) -> None:
    with terminal(docs, tmp_path / "s.db", CHATTING_PAUSE="0.02") as screen:
        screen.until("> ")
        screen.type("How much does a rowing boat cost?")
        draft = screen.until("draft, checked as far as it goes")
        answer = screen.until("Sources:", after=draft)
        at = screen.until("> ", after=answer)
        for line in ("/trace", "/open", "/sources"):
            screen.type(line)
            at = screen.until("> ", after=screen.until("\n", after=at))
        screen.type("/quit")
        assert screen.end() == 0
    text = screen.seen.decode("utf-8")
    assert "searching ..." in text and "found Boats" in text
    assert text.index("draft, checked") < text.index("A rowing boat costs") < text.rindex("A rowing boat costs")
    assert OBEYED.findall(OURS.sub("", text)) == []
    for sequence in ("\x1b]", "\x1b[38;5;201m", "\x1b[2J", "\x1b[5n", "\x9b", "\x07", "\x08", "\u202e", "\u2066"):
        assert sequence in HOSTILE and sequence not in text


def test_ctrl_c_ends_the_turn_and_not_the_talk_and_loses_no_committed_turn(docs: Path, tmp_path: Path) -> None:
    with terminal(docs, tmp_path / "s.db", CHATTING_PAUSE="0.05") as screen:
        screen.until("> ")
        screen.type("How much does a rowing boat cost?")
        at = screen.until("> ", after=screen.until("Sources:"))
        screen.type("And what does the rowing boat cost by day?")
        at = screen.until("draft, checked", after=at)
        os.kill(screen.process.pid, signal.SIGINT)
        at = screen.until("interrupted", after=at)
        at = screen.until("> ", after=at)
        screen.type("/sources")
        at = screen.until("(turns 1 to", after=at)
        screen.type("/quit")
        assert screen.end() == 0
    said = screen.seen.decode("utf-8")
    with SqlStore(tmp_path / "s.db") as store:
        talk = Conversation(store, lm=None)
        session = re.findall(r"session (chat-[0-9a-f]{12})", said)[0]
        turns = talk.export(session).state.turns
    kept = 2 if "interrupted after the turn was kept" in said else 1
    assert [turn.turn for turn in turns] == list(range(1, kept + 1)) and f"{kept} turns kept" in said
