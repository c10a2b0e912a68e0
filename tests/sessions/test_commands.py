"""`turnkeeper sessions show`, `export`, `delete`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnkeeper.sessions import SqlStore

from ..cli.conftest import Cli, cli  # noqa: F401  (a fixture)
from .building import SESSION, TENANT, question, record, say, talk


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file with one session of three turns and an open question."""
    path = tmp_path / "kept.db"
    with SqlStore(path) as store:
        state = talk(store, 2)
        say(store, state, to=state.model_copy(update={"ledger": (question("q1", 3),)}), status="UNANSWERED")
    return path


def test_show_lists_turns_and_what_is_open(cli: Cli, kept: Path) -> None:  # noqa: F811
    done = cli("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT)
    assert done.code == 0
    assert "3 UNANSWERED And the opening hours?" in done.out
    assert "3 turns, version 3; digests verified" in done.err and "What of q1?" in done.err


def test_show_gives_json(cli: Cli, kept: Path) -> None:  # noqa: F811
    rows = cli("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT, "--json").rows()
    assert [row["record"]["turn"] for row in rows] == [1, 2, 3]


def test_the_store_is_found_by_the_setting(cli: Cli, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("TURNKEEPER_SESSIONS", f"sqlite:///{kept}")
    assert cli("sessions", "show", SESSION, "--tenant", TENANT).code == 0


def test_drift_names_the_turn_and_fails(cli: Cli, kept: Path) -> None:  # noqa: F811
    command = ("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT, "--drift")
    done = cli(*command)
    assert (done.code, done.out) == (1, "turn 3: fabricated_id: D-3\n")  # cited, and never registered
    assert cli(*command, "--json").rows() == [{"turn": 3, "code": "fabricated_id", "what": "D-3"}]


def test_terminal_commands_in_a_query_are_shown_and_not_obeyed(cli: Cli, kept: Path) -> None:  # noqa: F811
    with SqlStore(kept) as store:
        state = store.load(SESSION, TENANT)
        turn = record(4).model_copy(update={"query": "\x1b[2J"})
        store.commit(expected_version=3, turn=turn, state=state)
    assert "\x1b" not in cli("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT).out


def test_export_writes_one_object(cli: Cli, kept: Path, tmp_path: Path) -> None:  # noqa: F811
    command = ("sessions", "export", SESSION, "--store", kept, "--tenant", TENANT)
    (shown,) = cli(*command).rows()
    assert cli(*command, "--out", tmp_path / "all.json").code == 0
    assert json.loads((tmp_path / "all.json").read_text()) == shown
    assert len(shown["log"]) == 3 and shown["state"]["session_id"] == SESSION


def test_delete_asks_unless_told(cli: Cli, kept: Path) -> None:  # noqa: F811
    command = ("sessions", "delete", SESSION, "--store", kept, "--tenant", TENANT)
    assert cli(*command).code != 0  # nobody answers here
    assert cli("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT).code == 0
    assert cli(*command, "--yes").code == 0
    done = cli("sessions", "show", SESSION, "--store", kept, "--tenant", TENANT)
    assert (done.code, "there is no such session" in done.err) == (2, True)


def test_what_cannot_be_used_ends_with_2(cli: Cli, kept: Path, tmp_path: Path) -> None:  # noqa: F811
    for arguments in (
        (SESSION, "--store", tmp_path / "absent.db"),
        (SESSION, "--store", kept, "--tenant", "sued"),
        ("no such id", "--store", kept),
    ):
        done = cli("sessions", "show", *arguments)
        assert done.code == 2 and done.err.startswith("turnkeeper: ")
    assert not (tmp_path / "absent.db").exists()
