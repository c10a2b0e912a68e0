"""`turnkeeper chat`: a durable conversation about a folder of documents."""

from __future__ import annotations

import hashlib
import sys
import uuid
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import ApiBaseOption, LmOption
from ._render import command, console, note, print_json

if TYPE_CHECKING:
    from .._turn.streamed import StreamEvent
    from ..conversation import Conversation
    from ..retrieval import Fts5Retriever
    from ..sessions import SessionState
    from ._chat_screen import Screen


@command
def chat(
    docs: Annotated[Path, typer.Argument(help="A folder of .txt, .md and .jsonl files, or one of them.")],
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    session: Annotated[
        str | None, typer.Option("--session", help="Go on in this session; by default in that of the folder.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", help="A file or URL of sessions; TURNKEEPER_SESSIONS, turnkeeper.db."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Each event of a turn as one JSON object on stdout.")] = False,
) -> None:
    """Talk about documents: answers cite them, open questions are kept, and the session goes on after a restart.

    On a terminal, what a turn does and the sentences that have passed their checks are shown while it is taken.
    """
    from .. import settings
    from ..conversation import Conversation
    from ..lms import resolve_lm
    from ..sessions import open_store
    from ._chat_loop import HELP, chat_loop

    retriever = indexed(docs)
    note(f"loading {lm} ...")
    resolved = resolve_lm(lm, api_base=api_base)
    with open_store(store or settings.sessions_store()) as kept:
        talk = SessionTalk(Conversation(kept, retriever, resolved), session or session_of(docs))
        state = talk.state()
        note(f"session {talk.session}, {state.turn if state else 0} turns so far; /help lists commands")
        if state is None:
            for line in HELP:
                note(f"  {line}")
        turns = chat_loop(talk, _read, _screen(json_))
        note(f"session {talk.session}: {turns} turns kept")


class SessionTalk:
    """A `Talk` over a `Conversation`: each turn has an idempotency key of its own, so that none is taken twice."""

    def __init__(self, conversation: Conversation, session: str) -> None:
        self._conversation, self.session = conversation, session
        self._key = uuid.uuid4().hex

    def stream(self, text: str, *, again: bool = False) -> Generator[StreamEvent, None, None]:
        """Take a turn and tell how it goes; `again`, under the key of the last one. The key is drawn at the call."""
        if not again:
            self._key = uuid.uuid4().hex
        return self._taken(text, self._key)

    def _taken(self, text: str, key: str) -> Generator[StreamEvent, None, None]:
        yield from self._conversation.stream(self.session, text, idempotency_key=key)

    def state(self) -> SessionState | None:
        """Return the session, or None before its first turn."""
        from ..errors import UnknownSessionError

        try:
            return self._conversation.state(self.session)
        except UnknownSessionError:
            return None

    def new(self) -> str:
        """Go on in a new session."""
        self.session = f"chat-{uuid.uuid4().hex[:12]}"
        return self.session


def indexed(docs: Path) -> Fts5Retriever:
    """Return an index in memory of the documents, with progress on stderr.

    Raises:
        InputError: What `Documents` raises, or there is no text in any of them.
    """
    from ..errors import InputError
    from ..retrieval import Fts5Retriever
    from ..retrieval.documents import Documents
    from ._progress import Progress

    documents = Documents(docs)
    index = Fts5Retriever()
    with Progress(f"reading {docs}", len(documents.files), unit="files") as bar:
        count = index.add(documents.passages(lambda done, total, name: bar.update(done, total, name)))
    if not count:
        raise InputError(f"{docs}: there is no text in any of {len(documents.files)} files")
    passed = f", {len(documents.skipped)} passed over" if documents.skipped else ""
    note(f"{count} passages of {len(documents.files)} files{passed}")
    return index


def session_of(docs: Path) -> str:
    """Return the session of a folder: the same one each time."""
    return f"chat-{hashlib.sha256(str(docs.resolve()).encode()).hexdigest()[:12]}"


def _screen(json_: bool) -> Screen:
    from ._chat_screen import JsonScreen, LineScreen, TerminalScreen

    if json_:
        return JsonScreen(print_json)
    terminal = console(stderr=True)
    if not terminal.is_terminal or terminal.is_dumb_terminal or not sys.stdout.isatty():
        return LineScreen(typer.echo)
    return TerminalScreen(typer.echo, terminal)


def _read() -> str | None:
    if sys.stdin.isatty():
        try:
            import readline  # noqa: F401  (history and line editing of `input`)
        except ImportError:  # not on Windows
            pass
        try:
            return input("> ")
        except EOFError:
            return None
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
