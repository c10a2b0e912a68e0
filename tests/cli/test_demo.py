"""`turnkeeper demo`: the shipped conversation, turn by turn, with a reader in place of an LM."""

from __future__ import annotations

from typing import Any

import pytest

import turnkeeper
from turnkeeper.cli import _behaviours, _demo
from turnkeeper.cli._render import console
from turnkeeper.conversation import ConversationTurn, OpenEntry, ResolvedEntry
from turnkeeper.data.demo import conversation, talk
from turnkeeper.signatures.types import Notice

from ..conversation.reading import Reader, lm_of

USERS = [step.user for step in talk() if step.user is not None]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Answers every step by rules; it knows one fact of the guide, so most turns show that something did not come."""
    found = Reader(facts={"bikes": "Pedalhuset rents out the Otter, the Heron and the Badger."}, terms=("cycle hire",))
    lm = lm_of(found)

    def load(name: str, **options: Any) -> Any:
        return turnkeeper.load(name, lm=lm, program="zero-shot", risk_level=options["risk_level"])

    monkeypatch.setattr(_behaviours, "load_program", load)
    return found


def test_the_conversation_of_reformulate_has_twelve_turns() -> None:
    turns = list(conversation())
    assert len(turns) == 12
    assert turns[-1].access_scope and turns[-1].access_scope.restricted_terms == ["Project Larkspur"]


def test_every_turn_is_shown_in_order_with_what_came_in(cli: Any, reader: Reader) -> None:
    done = cli("demo")
    assert done.code == 0, done.err
    places = [done.out.find(user) for user in USERS]
    assert -1 not in places and places == sorted(places)
    assert f"{len(USERS)} turns" in done.err and "LM calls" in done.err


def test_searches_citations_and_what_did_not_come_out_are_shown(cli: Any, reader: Reader) -> None:
    shown = cli("demo").out
    assert "cycle hire" in shown  # what expand added
    assert "I cannot find evidence to answer this question" in shown  # the reader knows nothing else
    assert "  open " in shown and "  ! " in shown
    assert "answered from the session, nothing is searched" in shown


def test_json_is_the_trace_one_object_a_turn(cli: Any, reader: Reader) -> None:
    rows = cli("demo", "--json").rows()
    assert [row["query"] for row in rows] == USERS
    assert {"shows", "missed", "standalone_query", "negation_constraints", "cited", "open_questions", "steps"} <= set(
        rows[0]
    )


def test_a_failed_lm_call_is_exit_code_1(cli: Any, reader: Reader) -> None:
    reader.trouble["cite"] = ConnectionError("away")
    done = cli("demo")
    assert done.code == 1 and "an LM call failed" in done.err


def test_terminal_escapes_of_a_model_are_shown_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b]0;owned\x07 [red]ride[/red] \u202e"
    notice = Notice(code="question_undecided", message=hostile)
    turn = ConversationTurn(
        session_id="demo", turn=1, query=hostile, standalone_query=hostile, answer=hostile, expansion_terms=(hostile,),
        found=(hostile,), cited=(hostile,), new_citations=(hostile,), warnings=(notice,),
        resolved_questions=(ResolvedEntry(question=hostile, answer=hostile),),
        open_questions=(OpenEntry(question_id="q1", question=hostile),),
    )  # fmt: skip
    _demo._show(console(), talk()[0], turn, None, [hostile])
    shown = capsys.readouterr().out
    assert shown.count("\\x1b]0;owned\\x07 [red]ride[/red] \\u202e") == 10
    assert "\x1b" not in shown and "\u202e" not in shown
