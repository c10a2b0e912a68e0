"""Progress of long work on stderr: a bar on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ._render import note, safe

PLAIN_SECONDS = 5.0


def _on_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed: None, or a file that no longer answers
        return False


class Progress:
    """Progress towards a total; `update` may be called as often as the caller likes.

    Args:
        label: What is being done.
        total: Units in all, or None while that is not known.
        unit: "rows", or "MB" when counts are bytes.
    """

    def __init__(self, label: str, total: int | None, *, unit: str = "rows") -> None:
        self._label = safe(label)
        self._total = total
        self._scale = 1_000_000 if unit == "MB" else 1
        self._unit = unit
        self._started = self._last = time.monotonic()
        self._shown = ""
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(self._label, total=self._total, counts="", note="")
        self._bar.start()

    def update(self, done: int, total: int | None = None, text: str = "") -> None:
        """Show how far the work is; `text` is a short remark. Nothing is shown before the first call."""
        self._total = self._total if total is None else total
        counts, text = self._counts(done), safe(text)
        if self._bar is None and _on_terminal():
            self._start_bar()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=self._total, counts=counts, note=text)
            return
        self._shown = f"{self._label}: {counts} {text}".rstrip()
        now = time.monotonic()
        if now - self._last >= PLAIN_SECONDS:
            self._last = now
            self._note()

    def _counts(self, done: int) -> str:
        total = "" if self._total is None else f"/{self._total // self._scale}"
        return f"{done // self._scale}{total} {self._unit}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._shown:
            self._note()

    def _note(self) -> None:
        note(f"{self._shown} ({time.monotonic() - self._started:.0f} s)")
        self._shown = ""
