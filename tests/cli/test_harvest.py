"""`turnkeeper harvest`: at a terminal, by a file of decisions, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.reformulate import load

from ..harvest.recording import lamp, record


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return record(tmp_path / "events.jsonl", "reformulate", [lamp(number) for number in range(4)])


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    folder = tmp_path / "golden"
    folder.mkdir()
    return folder


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches the command


def at_a_terminal(*arguments: object, keys: list[str], **environment: str) -> tuple[int, str]:
    """Run the command with a pseudo-terminal, answering each question with the next keys; returns code and screen."""
    child, parent = pty.openpty()[::-1]
    process = subprocess.Popen(
        [sys.executable, "-m", "turnkeeper", "harvest", *map(str, arguments)], stdin=child, stdout=child, stderr=child,
        env={**os.environ, "COLUMNS": "400", **environment}, start_new_session=True, preexec_fn=_take_terminal,
    )  # fmt: skip
    os.close(child)
    screen, answered, waiting = "", 0, list(keys)
    end = time.monotonic() + 240
    while time.monotonic() < end:
        if select.select([parent], [], [], 0.2)[0]:
            try:
                data = os.read(parent, 65536)
            except OSError:
                break
            if not data:
                break
            screen += data.decode("utf-8", "replace")
        elif process.poll() is not None:
            break
        if screen.count("[y/e/n/s/q]") > answered and waiting:
            answered += 1
            os.write(parent, (waiting.pop(0)).encode())
    os.close(parent)
    if process.poll() is None and time.monotonic() >= end:
        process.kill()
    return process.wait(timeout=240), screen


def test_a_person_says_yes_no_and_skips(events: Path, golden: Path) -> None:
    code, screen = at_a_terminal(events, "--golden", golden, "--domain", "lamps", keys=["y\n", "n\n", "s\n", "y\n"])
    assert code == 0, screen
    assert [row.gold.standalone_query for row in load("train", golden)] == [
        "is the Aldra lamp dimmable?", "is the Delna lamp dimmable?",
    ]  # fmt: skip
    assert "2 yes, 0 edit, 1 no, 1 open" in screen and "user: is it dimmable?" in screen
    code, screen = at_a_terminal(events, "--golden", golden, keys=["y\n"])
    assert code == 0 and "draft 1 of 1" in screen and len(load("train", golden)) == 3


def test_ctrl_c_keeps_what_was_decided(events: Path, golden: Path) -> None:
    code, screen = at_a_terminal(events, "--golden", golden, keys=["y\n", "\x03"])
    assert code == 130, screen
    assert len(load("train", golden)) == 1


def test_an_edit_goes_through_the_persons_editor(events: Path, golden: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\n{EDIT}\n", encoding="utf-8")
    editor.chmod(0o755)
    code, screen = at_a_terminal(events, "--golden", golden, keys=["e\n", "q\n"], EDITOR=str(editor), VISUAL="")
    assert code == 0, screen
    assert load("train", golden)[0].kind == "edited" and "1 edit" in screen


EDIT = (
    'import json, sys; p = sys.argv[1]; row = json.load(open(p)); row["kind"] = "edited"; json.dump(row, open(p, "w"))'
)


def test_nobody_at_a_terminal_is_no_yes(cli: Callable[..., Any], events: Path, golden: Path) -> None:
    done = cli("harvest", events, "--golden", golden)
    assert done.code == 2 and "a person decides on drafts" in done.err and not list(golden.glob("*.jsonl"))


def test_the_test_split_is_refused(cli: Callable[..., Any], events: Path, golden: Path) -> None:
    done = cli("harvest", events, "--golden", golden, "--split", "test")
    assert done.code == 2 and "harvested rows go to train or dev" in done.err


def test_decisions_of_a_file(cli: Callable[..., Any], events: Path, golden: Path, tmp_path: Path) -> None:
    drafts = tmp_path / "drafts.jsonl"
    assert cli("harvest", events, "--golden", golden, "--drafts", drafts).code == 0
    rows = [json.loads(line) for line in drafts.read_text().splitlines()]
    assert [row["decision"] for row in rows] == [None] * 4 and all(row["problem"] == "" for row in rows)
    rows[0]["decision"], rows[1]["decision"], rows[2]["decision"] = "yes", "edit", "no"
    rows[1]["row"]["kind"] = "pronoun_thing"
    drafts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = cli("harvest", events, "--golden", golden, "--accept", drafts, "--split", "dev", "--json", "--by", "nora")
    assert done.code == 0, done.err
    counts = {"yes": 1, "edit": 1, "no": 1, "open": 1, "refused": 0}
    assert done.rows() == [{"behaviour": "reformulate", "drafts": 4, "passed_over": 0, **counts}]
    assert [row.kind for row in load("dev", golden)] == ["harvested", "pronoun_thing"]
    again = cli("harvest", events, "--golden", golden, "--accept", drafts, "--split", "dev", "--json")
    assert again.code == 0 and len(load("dev", golden)) == 2 and again.rows()[0]["drafts"] == 1


def test_a_decision_that_cannot_be_carried_out_is_named_and_the_others_are_done(
    cli: Callable[..., Any], events: Path, golden: Path, tmp_path: Path
) -> None:
    drafts = tmp_path / "drafts.jsonl"
    cli("harvest", events, "--golden", golden, "--drafts", drafts)
    rows = [{**json.loads(line), "decision": "edit"} for line in drafts.read_text().splitlines()]
    rows[0]["row"]["gold"]["standalone_query"] = "what is it?"
    drafts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = cli("harvest", events, "--golden", golden, "--accept", drafts)
    assert done.code == 1 and f"{drafts}:1: {rows[0]['id']}: field `gold" in done.err
    assert len(load("train", golden)) == 3


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"id": "hv-none", "decision": "yes"}, "field `id`: is no draft of these events"),
        ({"id": ["x"], "decision": "yes"}, "field `id`: is no draft of these events"),
        ({"id": None, "decision": "yes"}, "field `id`: is no draft of these events"),
        ({"decision": ["yes"]}, "field `decision`: ['yes']; yes, edit or no"),
        ({"decision": "perhaps"}, "field `decision`: 'perhaps'; yes, edit or no"),
        ({"decision": "edit", "row": None}, "field `row`: an edit needs the edited row"),
    ],
)
def test_a_bad_decision_stops_before_anything_is_written(
    entry: dict[str, Any], says: str, cli: Callable[..., Any], events: Path, golden: Path, tmp_path: Path
) -> None:
    drafts = tmp_path / "drafts.jsonl"
    cli("harvest", events, "--golden", golden, "--drafts", drafts)
    first, second = [json.loads(line) for line in drafts.read_text().splitlines()][:2]
    drafts.write_text(json.dumps({**first, "decision": "yes"}) + "\n" + json.dumps({**second, **entry}) + "\n")
    done = cli("harvest", events, "--golden", golden, "--accept", drafts)
    assert done.code == 2 and f"{drafts}:2: {says}" in done.err and not (golden / "train.jsonl").exists()


def test_a_redactor_of_the_working_folder_is_used(cli: Callable[..., Any], events: Path, golden: Path) -> None:
    Path("redact_here.py").write_text("def names(text):\n    return text.replace('Aldra', '[name]')\n")
    drafts = Path("drafts.jsonl")
    done = cli("harvest", events, "--golden", golden, "--redactor", "redact_here:names", "--drafts", drafts)
    assert done.code == 0 and "[name]" in drafts.read_text() and "Aldra" not in drafts.read_text()
    assert cli("harvest", events, "--golden", golden, "--redactor", "redact_here:none").code == 2
