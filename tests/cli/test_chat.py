"""The talk at the terminal, over a talk that answers from a list; and once through a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from turnkeeper._turn.result import ConversationTurn, OpenEntry, StepReport
from turnkeeper._turn.streamed import DraftText, StepStarted, StreamEvent, TurnCommitted
from turnkeeper.cli._chat import indexed, session_of
from turnkeeper.cli._chat_loop import chat_loop
from turnkeeper.cli._chat_screen import LineScreen
from turnkeeper.errors import InputError, StoreUnavailableError
from turnkeeper.sessions import SessionState, TurnRecord
from turnkeeper.signatures.types import CitationRegistry, Exclusion, Notice, OpenQuestion, RegisteredSource

ANSWER = "It leaves at 7:15 [Source: F-1].\n\nSources:\n- F-1: Morning ferry"


class FakeTalk:
    """Answers every turn alike; `trouble` maps a text to what is raised, before or after it is kept."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.asked: list[tuple[str, bool]] = []
        self.session = "s1"
        self.answer = ANSWER
        self.trouble: dict[str, BaseException] = {}
        self.late: dict[str, BaseException] = {}

    def stream(self, text: str, *, again: bool = False) -> Generator[StreamEvent, None, None]:
        self.asked.append((text, again))
        yield StepStarted(name="cite")
        if text in self.trouble:
            raise self.trouble[text]
        yield DraftText(text=self.answer.split("\n")[0])
        self.kept.append(text)
        if text in self.late:
            raise self.late[text]
        yield TurnCommitted(turn=self._turn(text))

    def _turn(self, text: str) -> ConversationTurn:
        return ConversationTurn(
            session_id=self.session, turn=len(self.kept), query=text, standalone_query=f"{text} (alone)",
            answer=self.answer, cited=("F-1",), new_citations=("F-1",), found=("F-1", "F-2"), lm_calls=2,
            negation_constraints=("dogs",), steps=(StepReport(name="cite", latency_ms=12, calls=2),),
            open_questions=(OpenEntry(question_id="q1", question="Who pays?", first_asked_turn=1, attempts=3),),
            warnings=(Notice(code="ambiguous_reference", message="It may mean two things."),),
        )  # fmt: skip

    def state(self) -> SessionState | None:
        if not self.kept:
            return None
        entry = RegisteredSource(doc_id="F-1", title="Morning ferry")
        return SessionState(
            session_id=self.session,
            turn=len(self.kept),
            turns=(TurnRecord(turn=len(self.kept), query=self.kept[-1], answer=self.answer),),
            registry=CitationRegistry(convention="source_tag", entries=(entry,)),
            ledger=(OpenQuestion(question_id="q1", question="Who pays?", missing_evidence="a price list"),),
            exclusions=(Exclusion(phrase="dogs"), Exclusion(phrase="cats", status="revoked")),
        )

    def new(self) -> str:
        self.session, self.kept = "s2", []
        return self.session


def say(talk: FakeTalk, *lines: str | BaseException) -> tuple[int, list[str]]:
    """Type some lines; what is shown, and how many turns were kept."""
    typed: Iterator[str | BaseException] = iter(lines)
    shown: list[str] = []

    def read() -> str | None:
        line = next(typed, None)
        if isinstance(line, BaseException):
            raise line
        return line

    return chat_loop(talk, read, LineScreen(shown.append)), shown


def test_an_answer_is_shown_line_by_line_and_the_end_of_input_leaves() -> None:
    assert say(FakeTalk(), "When does it leave?", "", "  ") == (1, ANSWER.split("\n"))


def test_quit_leaves_and_what_follows_is_not_read() -> None:
    talk = FakeTalk()
    assert say(talk, "/quit", "Hello") == (0, []) and talk.kept == []


def test_the_trace_tells_what_the_last_turn_did() -> None:
    _, shown = say(FakeTalk(), "When?", "/trace")
    told = "\n".join(shown[len(ANSWER.split("\n")) :])
    for text in (
        "searched   When? (alone) (unchanged)", "excluded   dogs", "found      F-1, F-2", "cited      F-1 (new)",
        "open       Who pays? (since turn 1, attempts 3)", "warning    ambiguous_reference", "cite 12 ms, 2 LM calls",
    ):  # fmt: skip
        assert text in told


def test_open_sources_and_exclusions_come_from_the_stored_session() -> None:
    _, shown = say(FakeTalk(), "When?", "/open", "/sources", "/exclusions")
    rest = shown[len(ANSWER.split("\n")) :]
    assert rest == [
        "Who pays? (since turn 1, attempts 1; missing: a price list)", "F-1: Morning ferry (turns 1 to 1)", "dogs",
    ]  # fmt: skip


def test_before_the_first_turn_there_is_nothing_to_list() -> None:
    assert say(FakeTalk(), "/open", "/trace", "/sources")[1] == ["(no turn yet)"] * 3


def test_new_begins_another_session_and_forgets_the_trace() -> None:
    talk = FakeTalk()
    _, shown = say(talk, "When?", "/new", "/trace", "/open")
    assert shown[-3:] == ["(session s2)", "(no turn yet)", "(no turn yet)"]


def test_an_unknown_command_is_no_turn_and_a_blank_makes_it_one() -> None:
    talk = FakeTalk()
    _, shown = say(talk, "/etc/hosts is what?", " /etc/hosts is what?")
    assert shown[0].startswith("(/etc/hosts is no command") and talk.kept == [" /etc/hosts is what?"]


def test_an_error_of_ours_is_shown_and_the_talk_goes_on() -> None:
    talk = FakeTalk()
    talk.trouble["Where?"] = StoreUnavailableError("kept.db: the disk is full")
    turns, shown = say(talk, "Where?", "When?")
    assert turns == 1 and shown[0] == "(kept.db: the disk is full)" and talk.kept == ["When?"]
    assert shown[1].startswith("(nothing of this turn was kept") and "/again" in shown[1]


def test_a_line_that_could_not_be_kept_is_taken_again_as_the_same_turn() -> None:
    talk = FakeTalk()
    talk.trouble["Where?"] = StoreUnavailableError("kept.db: the disk is full")
    assert say(talk, "/again")[1] == ["(nothing waits to be taken again)"]
    say(talk, "Where?", "/again", "When?", "/again")
    assert talk.asked == [("Where?", False), ("Where?", True), ("When?", False)]


def test_a_store_that_cannot_be_read_ends_neither_a_turn_nor_a_list_nor_the_talk() -> None:
    talk = FakeTalk()
    state, trouble = talk.state, [True]

    def read_state() -> SessionState | None:
        if trouble[0]:
            raise StoreUnavailableError("kept.db: another process holds the write lock; try again")
        return state()

    talk.state = read_state  # type: ignore[method-assign]
    _, shown = say(talk, "When?", "/open", KeyboardInterrupt())
    assert shown.count("(kept.db: another process holds the write lock; try again)") == 2 and talk.kept == []
    trouble[0] = False
    assert say(talk, "When?")[0] == 1


def test_an_interrupt_in_the_middle_of_a_store_failure_does_not_end_the_talk() -> None:
    talk = FakeTalk()
    talk.trouble["Where?"] = KeyboardInterrupt()
    states = iter([None, StoreUnavailableError("kept.db: locked")])

    def read_state() -> SessionState | None:
        state = next(states, None)
        if isinstance(state, Exception):
            raise state
        return state

    talk.state = read_state  # type: ignore[method-assign]
    turns, shown = say(talk, "Where?", "When?")
    assert turns == 1 and shown[0] == "(kept.db: locked)"


def test_an_interrupt_before_the_commit_keeps_nothing_and_after_it_shows_the_answer() -> None:
    talk = FakeTalk()
    talk.trouble["Where?"] = KeyboardInterrupt()
    talk.late["Why?"] = KeyboardInterrupt()
    turns, shown = say(talk, "Where?", "Why?", "When?")
    assert turns == 2 and talk.kept == ["Why?", "When?"]
    assert shown[0] == "(interrupted; nothing of this turn was kept)"
    assert shown[1:6] == [*ANSWER.split("\n"), "(interrupted after the turn was kept)"]


def test_an_interrupt_at_the_prompt_leaves() -> None:
    assert say(FakeTalk(), KeyboardInterrupt(), "When?") == (0, [])


def test_what_a_terminal_would_obey_is_escaped() -> None:
    talk = FakeTalk()
    talk.answer = "\x1b]0;owned\x07 \u202e"
    assert say(talk, "When?")[1] == ["\\x1b]0;owned\\x07 \\u202e"]


def test_a_folder_has_one_session_and_its_documents_are_indexed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("# Fees\n\nA berth costs 24 euros.\n", encoding="utf-8")
    (tmp_path / "b.png").write_bytes(b"")
    assert len(indexed(tmp_path)) == 1 and "1 passages of 1 files, 1 passed over" in capsys.readouterr().err
    assert session_of(tmp_path) == session_of(tmp_path / "x" / "..") != session_of(tmp_path / "x")
    (tmp_path / "a.md").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no text"):
        indexed(tmp_path)


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import typer
from tests.cli.test_chat import FakeTalk
from turnkeeper.cli._chat import _read
from turnkeeper.cli._chat_loop import chat_loop
from turnkeeper.cli._chat_screen import LineScreen
print("kept", chat_loop(FakeTalk(), _read, LineScreen(typer.echo)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_it_talks_through_a_terminal() -> None:
    ours, theirs = pty.openpty()
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", PROGRAM, root]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True) as process:
        os.close(theirs)
        seen = ""
        for wanted, typed in (("> ", "When?\n"), ("Morning ferry", "/open\n"), ("Who pays?", "/quit\n")):
            seen += _until(ours, wanted, seen)
            os.write(ours, typed.encode())
        seen += _until(ours, "kept 1", seen)
        assert process.wait(timeout=240) == 0
    os.close(ours)


def _until(terminal: int, wanted: str, before: str) -> str:
    """What the terminal shows until some text has come; it must come within four minutes."""
    seen, deadline = "", time.monotonic() + 240
    while wanted not in seen:
        assert time.monotonic() < deadline, before + seen
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace")
    return seen
