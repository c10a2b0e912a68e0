"""The talk at the terminal: what is typed becomes turns or commands, and what comes back is shown and never obeyed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Protocol

from .._turn.result import ConversationTurn
from .._turn.streamed import StreamEvent, TurnCommitted
from ..errors import StoreUnavailableError, TurnkeeperError
from ..sessions import SessionState
from ._chat_lists import LISTS, trace_lines
from ._chat_screen import Screen

HELP = (
    "/trace       what the last turn searched, found, cited and cost",
    "/open        questions that are still open",
    "/sources     what has been cited so far",
    "/exclusions  what is ruled out",
    "/again       take the last line once more, where it could not be kept",
    "/new         begin another session",
    "/quit        leave; the session is kept",
)
Read = Callable[[], "str | None"]
"""Returns the next line without its end, or None at the end of input; may raise `KeyboardInterrupt`."""


class Talk(Protocol):
    """One session of a conversation, as the loop sees it."""

    def stream(self, text: str, *, again: bool = False) -> Generator[StreamEvent, None, None]:
        """Take a turn, commit it, and tell how it goes; raises a `TurnkeeperError` when it was not committed.

        With `again` it is the same turn as that of the last call, begun or not: if that was committed after all, it is
        given again.
        """
        ...

    def state(self) -> SessionState | None:
        """Return the session as it is stored, or None before its first turn."""
        ...

    def new(self) -> str:
        """Go on in a new session, and return its id."""
        ...


def chat_loop(talk: Talk, read: Read, screen: Screen) -> int:
    """Talk until `/quit` or the end of input; return how many turns were committed.

    An interrupt ends the turn that is being taken and not the talk; where the turn was committed already, its answer is
    shown. An interrupt at the prompt leaves. Whatever the store cannot do now is said with its remedy, and the talk
    goes on.
    """
    return _Loop(talk, read, screen).run()


class _Loop:
    def __init__(self, talk: Talk, read: Read, screen: Screen) -> None:
        self._talk, self._read, self._screen = talk, read, screen
        self._last: ConversationTurn | None = None
        self._lost: str | None = None
        """The line that could not be kept, for `/again`."""
        self._kept = 0

    def run(self) -> int:
        while True:
            try:
                line = self._read()
            except KeyboardInterrupt:
                line = None
            if line is None or line.strip() == "/quit":
                return self._kept
            if not line.strip():
                continue
            try:
                self._take(line)
            except KeyboardInterrupt:
                self._screen.say(("(interrupted)",))
            except TurnkeeperError as error:
                self._screen.say((f"({error})",))

    def _take(self, line: str) -> None:
        if line.strip() == "/again":
            if self._lost is None:
                self._screen.say(("(nothing waits to be taken again)",))
            else:
                self._turn(self._lost, again=True)
        elif line.startswith("/"):
            self._screen.say(self._command(line.strip()))
        else:
            self._turn(line)

    def _turn(self, text: str, *, again: bool = False) -> None:
        self._lost, before = text, None
        try:
            events = self._talk.stream(text, again=again)  # first: `/again` must mean this line, whatever fails now
            before = _turns(self._talk)
            with closing(events), self._screen.watching() as seen:
                for event in events:
                    if isinstance(event, TurnCommitted):
                        self._last = event.turn
                        self._lost = None
                    seen(event)
        except KeyboardInterrupt:
            self._interrupted(before)
            return
        except TurnkeeperError as error:
            lines = [f"({error})"]
            if isinstance(error, StoreUnavailableError):
                lines.append("(nothing of this turn was kept, and what was kept before is; /again takes it once more)")
            self._screen.say(lines)
            return
        self._kept += 1
        if self._last is not None:
            self._screen.answer(self._last)

    def _interrupted(self, before: int | None) -> None:
        """Say what became of a turn that was interrupted: the session itself is asked."""
        state = self._talk.state()  # what it raises is said by `run`
        if before is None or state is None or state.turn <= before:
            self._screen.say(("(interrupted; nothing of this turn was kept)",))
            return
        self._kept += 1
        self._lost = None
        if state.turns:
            self._screen.say(state.turns[-1].answer.split("\n"))
        self._screen.say(("(interrupted after the turn was kept)",))

    def _command(self, name: str) -> Iterator[str]:
        if name == "/help":
            yield from HELP
        elif name == "/new":
            self._last = self._lost = None
            yield f"(session {self._talk.new()})"
        elif name == "/trace":
            yield from trace_lines(self._last) if self._last else ("(no turn yet)",)
        elif name in LISTS:
            state = self._talk.state()
            yield from LISTS[name](state) if state else ("(no turn yet)",)
        else:
            yield f"({name.split()[0]} is no command; a blank before it says it to the conversation)"
            yield from HELP


def _turns(talk: Talk) -> int:
    state = talk.state()
    return state.turn if state is not None else 0
