"""`turnkeeper review list`, `show`, `resolve`."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnkeeper.sessions import ReviewItem, SqlStore
from turnkeeper.signatures.types import Notice

from ..cli.conftest import Cli, cli  # noqa: F401  (a fixture)
from .building import SESSION, TENANT, new, say


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file with two sessions, of which one raised two items."""
    path = tmp_path / "kept.db"
    items = (
        ReviewItem(review_id="r1-1", turn=1, reason="human_review", text="Nobody answered: \x1b[2J"),
        ReviewItem(review_id="r1-2", turn=1, reason="ledger_review", text="5 questions are open."),
    )
    with SqlStore(path) as store:
        warnings = (Notice(code="human_review", message="A person has to answer."),)
        say(store, new(), to=new().model_copy(update={"reviews": items}), warnings=warnings)
        say(store, new("harbour-8"))
    return path


def test_the_list_names_session_item_and_reason(cli: Cli, kept: Path) -> None:  # noqa: F811
    done = cli("review", "list", "--store", kept, "--tenant", TENANT)
    assert done.code == 0 and "2 review items wait" in done.err
    assert f"{SESSION} r1-2 turn 1 ledger_review: 5 questions are open.\n" in done.out
    assert "\x1b" not in done.out and "\\x1b[2J" in done.out
    assert cli("review", "list", "--store", kept, "--tenant", TENANT, "--fail").code == 1
    assert cli("review", "list", "--store", kept, "--tenant", "sued", "--fail").code == 0
    assert cli("review", "list", "--store", kept, "--tenant", TENANT, "--session", "harbour-8").out == ""


def test_an_item_is_shown_with_the_turn_that_raised_it(cli: Cli, kept: Path) -> None:  # noqa: F811
    done = cli("review", "show", SESSION, "r1-2", "--store", kept, "--tenant", TENANT)
    assert done.code == 0
    assert "r1-2, open" in done.out and "And the opening hours?" in done.out and "A person has to answer." in done.out
    (row,) = cli("review", "show", SESSION, "r1-2", "--store", kept, "--tenant", TENANT, "--json").rows()
    assert (row["status"], row["version"], row["raised_by"]["turn"]) == ("open", 1, 1)


def test_a_resolution_is_kept_and_seen(cli: Cli, kept: Path) -> None:  # noqa: F811
    where = ("--store", kept, "--tenant", TENANT)
    done = cli("review", "resolve", SESSION, "r1-2", "--resolution", "called the harbour", *where, "--at", 1, "--json")
    assert done.code == 0
    (row,) = done.rows()
    assert (row["status"], row["resolution"], row["version"]) == ("resolved", "called the harbour", 2)
    assert [r["review_id"] for r in cli("review", "list", *where, "--json").rows()] == ["r1-1"]
    with SqlStore(kept) as store:
        state = store.load(SESSION, TENANT)
        assert state.reviews[1].resolution == "called the harbour"
        say(store, state)
    shown = cli("review", "show", SESSION, "r1-2", *where)  # it has left the state, and not the log
    assert "r1-2, resolved" in shown.out and "called the harbour" in shown.out
    everything = cli("review", "list", *where, "--session", SESSION, "--all", "--json").rows()
    assert [(r["review_id"], r["status"]) for r in everything] == [("r1-1", "open"), ("r1-2", "resolved")]
    assert "review: r1-2" in cli("sessions", "show", SESSION, *where).out


def test_what_cannot_be_done_ends_with_2_and_changes_nothing(cli: Cli, kept: Path) -> None:  # noqa: F811
    where = ("--store", kept, "--tenant", TENANT)
    for arguments in (
        ("review", "resolve", SESSION, "r9", "--resolution", "x", *where),
        ("review", "resolve", SESSION, "r1-1", "--resolution", " ", *where),
        ("review", "resolve", SESSION, "r1-1", "--resolution", "x", *where, "--at", 7),
        ("review", "resolve", "nobody", "r1-1", "--resolution", "x", *where),
        ("review", "resolve", SESSION, "r1-1", *where),
        ("review", "show", SESSION, "r9", *where),
        ("review", "list", "--all", *where),
        ("review", "list", "--store", kept.with_name("absent.db")),
    ):
        assert cli(*arguments).code == 2, arguments
    assert len(cli("review", "list", *where, "--json").rows()) == 2
