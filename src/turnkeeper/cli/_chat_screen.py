"""How a talk looks: on a terminal the steps and the draft while a turn is taken; lines elsewhere; JSON for machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from .._turn.result import ConversationTurn
from .._turn.streamed import DraftRetracted, DraftText, StepEnded, StepStarted, StreamEvent
from ._render import safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

Write = Callable[[str], None]
"""Shows one line, which holds nothing that a terminal would obey."""
Seen = Callable[[StreamEvent], None]

_DOING = {
    "reformulate": "reading the question",
    "expand": "choosing the words to search for",
    "retrieve": "searching",
    "retrieve_open": "searching again for what is open",
    "cite": "answering",
    "carry_forward": "going through what is open",
    "reply": "answering",
    "commit": "keeping the turn",
}
_MOST_TITLES = 4


class Screen(Protocol):
    """Where a talk is shown."""

    def watching(self) -> AbstractContextManager[Seen]:
        """Return what is told of the events of one turn, for as long as it is taken."""
        ...

    def answer(self, turn: ConversationTurn) -> None:
        """Show the answer of a committed turn."""
        ...

    def say(self, lines: Iterable[str]) -> None:
        """Show lines about the talk."""
        ...


class LineScreen:
    """Lines, and nothing but the lines: no step, no draft, no control code."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def watching(self) -> AbstractContextManager[Seen]:
        """Show nothing of a turn until it is committed."""
        return nullcontext(_unseen)

    def answer(self, turn: ConversationTurn) -> None:
        """Show the answer line by line."""
        self.say(turn.answer.split("\n"))
        if turn.fallback:
            self.say(["(not everything went well; /trace says what)"])

    def say(self, lines: Iterable[str]) -> None:
        """Show lines."""
        for line in lines:
            self._write(safe(line))


class TerminalScreen(LineScreen):
    """A terminal: what the turn does, and the draft, stand below the question until the answer takes their place."""

    def __init__(self, write: Write, terminal: Console) -> None:
        super().__init__(write)
        self._terminal = terminal

    @contextmanager
    def watching(self) -> Iterator[Seen]:
        """Show steps and draft in a region that is gone when the turn is over, however it ends."""
        from rich.live import Live

        with Live(console=self._terminal, transient=True, refresh_per_second=8) as live:
            yield _Progress(live)


class JsonScreen:
    """For machines: each event of a turn as one JSON object a line, and each line about the talk as a `note`."""

    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        self._write = write

    def watching(self) -> AbstractContextManager[Seen]:
        """Show each event as it comes."""
        return nullcontext(lambda event: self._write(event.model_dump(mode="json")))

    def answer(self, turn: ConversationTurn) -> None:
        """Show nothing: the last event has the turn."""

    def say(self, lines: Iterable[str]) -> None:
        """Show lines."""
        for line in lines:
            self._write({"type": "note", "text": line})


class _Progress:
    """The region of one turn."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._doing, self._found, self._draft, self._void = "", "", "", ""

    def __call__(self, event: StreamEvent) -> None:
        if isinstance(event, StepStarted):
            self._doing = _DOING.get(event.name, event.name)
        elif isinstance(event, StepEnded) and event.name == "retrieve":
            titles = [passage.title or passage.doc_id for passage in event.passages or ()]
            more = f" and {len(titles) - _MOST_TITLES} more" if len(titles) > _MOST_TITLES else ""
            self._found = f"found {'; '.join(titles[:_MOST_TITLES])}{more}" if titles else "found nothing"
        elif isinstance(event, DraftText):
            self._draft, self._void = self._draft + event.text, ""
        elif isinstance(event, DraftRetracted):
            self._draft, self._void = "", f"(withdrawn, it failed a check: {', '.join(event.codes)})"
        self._live.update(self._region(), refresh=True)

    def _region(self) -> Any:
        from rich.text import Text

        lines = [(line, "dim") for line in (self._found, self._void, f"{self._doing} ...") if line]
        if self._draft:
            lines += [("draft, checked as far as it goes:", "dim")]
            lines += [(line, "italic") for line in self._draft.split("\n")]
        return Text("\n").join(Text(f"  {safe(line)}", style) for line, style in lines)


def _unseen(event: StreamEvent) -> None:
    return None
