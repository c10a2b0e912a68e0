"""The command as a whole: help, version, errors, text made harmless."""

import subprocess
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper import __version__
from turnkeeper.cli._render import command, safe


def test_version(cli: Any) -> None:
    assert cli("--version")[:2] == (0, f"turnkeeper {__version__}\n")


def test_help_names_every_command(cli: Any) -> None:
    shown = cli("--help").out
    assert all(name in shown for name in ("demo", "run", "check", "models", "Exit codes"))


@pytest.mark.parametrize("arguments", [("nope",), ("check",), ("run", "reformulate"), ("check", "x", "--frob")])
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...], cli: Any) -> None:
    assert cli(*arguments).code == 2


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "turnkeeper", "--version"], capture_output=True, text=True)
    assert done.stdout == f"turnkeeper {__version__}\n"


def test_an_error_of_the_system_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    import typer

    @command
    def full() -> None:
        raise OSError(28, "No space left on device", "out.jsonl")

    with pytest.raises(typer.Exit) as left:
        full()
    assert left.value.exit_code == 2
    assert capsys.readouterr().err == "turnkeeper: out.jsonl: No space left on device\n"


@given(st.text())
def test_safe_text_has_no_character_that_a_terminal_obeys(text: str) -> None:
    shown = safe(text + "\x00\x1b\x9b\r\n\u202e\u200b\ud800\U000e0041")
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(shown) & set("\x00\x1b\x9b\r\n\u202e\u200b\ud800\U000e0041")


def test_safe_text_keeps_what_is_harmless() -> None:
    assert safe("Grüße, 東京 [b]ok[/b] \N{SNOWMAN}") == "Grüße, 東京 [b]ok[/b] \N{SNOWMAN}"
