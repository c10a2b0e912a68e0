"""Progress: a bar on a terminal, plain lines elsewhere, nothing where nothing happens."""

import io

import pytest

from turnkeeper.cli._progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_before_the_first_update(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("weights", None):
        pass
    assert capsys.readouterr().err == ""


def test_plain_lines_come_seldom_and_the_last_one_always(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("rows", 500) as progress:
        for done in range(500):
            progress.update(done + 1)
    assert capsys.readouterr().err == "rows: 500/500 rows (0 s)\n"


def test_bytes_are_shown_as_megabytes_and_the_note_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("weights", None, unit="MB") as progress:
        progress.update(52_428_800, 1_117_320_768, "part \x1b[2J")
    assert capsys.readouterr().err == "weights: 52/1117 MB part \\x1b[2J (0 s)\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with Progress("rows [b]", 4) as progress:
        progress.update(3, text="[red]1[/red] fallbacks")
    assert "rows [b]" in screen.getvalue() and "3/4 rows" in screen.getvalue()
    assert "[red]1[/red] fallbacks" in screen.getvalue()
