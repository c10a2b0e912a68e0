"""What commands print: text of users and models made harmless, errors as one line, machine output as JSON lines."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from ..errors import TurnkeeperError

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., None])

# Control characters, bidirectional overrides, zero-width and tag characters, line separators, lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\x1b"}


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    return _SHORT.get(char) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def safe(text: object) -> str:
    """Return text on one line that a terminal only shows: every character that it would obey is escaped."""
    return _UNSAFE.sub(_escape, str(text))


def console(*, stderr: bool = False) -> Console:
    """Return a console that reads no markup out of the text it is given."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def note(text: str) -> None:
    """Print one line for the person at the terminal (stderr)."""
    typer.echo(safe(text), err=True)


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object as one line on stdout."""
    from ..data.rows import dumps

    typer.echo(dumps(value))


def command(function: F) -> F:
    """Turn the errors that turnkeeper raises on purpose into one line and an exit code, and Ctrl-C into 130."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except TurnkeeperError as error:
            note(f"turnkeeper: {error}")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            note("turnkeeper: interrupted")
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # The reader has left (`| head`); Python would complain again when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(141) from None
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            note(f"turnkeeper: {place}{error.strerror or type(error).__name__}")
            raise typer.Exit(2) from None

    return wrapped  # type: ignore[return-value]
