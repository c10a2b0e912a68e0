"""`turnkeeper demo`: the shipped conversation, turn by turn."""

from typing import Any

from turnkeeper.data.demo import conversation
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice


def test_the_conversation_has_twelve_turns() -> None:
    turns = list(conversation())
    assert len(turns) == 12
    assert turns[0].user == "Which cargo bikes does Halden Cycles build?"
    assert turns[9].user == "Yes, please."
    assert turns[-1].access_scope and turns[-1].access_scope.restricted_terms == ["Project Larkspur"]


def test_the_history_grows_by_the_given_replies(cli: Any, keeper: Any) -> None:
    assert cli("demo").code == 0
    first, second = list(conversation())[:2]
    assert keeper.histories[:2] == [[], [first.user, first.assistant]]
    assert keeper.queries[1] == second.user
    assert len(keeper.histories[-1]) == 22


def test_a_turn_shows_what_is_searched_and_why(cli: Any, keeper: Any, fallen_back: ReformulateResult) -> None:  # REF-13
    keeper.trouble["Yes, please."] = fallen_back
    done = cli("demo")
    shown = done.out
    assert "12 turns, 1 fallbacks, 13 LM attempts, program stand-in" in done.err
    for text in (
        "HOW MUCH CAN THE SECOND ONE CARRY?", "it -> the lamp", "rewrite, 1 LM attempts",
        "unchanged, 2 LM attempts, fallback",
        "fallback_raw_query: The raw query is searched.", "too_long: Say it in fewer words.",
    ):  # fmt: skip
        assert text in shown


def test_a_failed_lm_call_is_exit_code_1(cli: Any, keeper: Any, fallen_back: ReformulateResult) -> None:
    away = Notice(code="lm_error", message="The LM call failed: APIConnectionError.")
    keeper.trouble["Yes, please."] = fallen_back.model_copy(update={"warnings": (away,)})
    done = cli("demo")
    assert done.code == 1 and "failed in 1 turns" in done.err


def test_json_is_one_object_a_turn(cli: Any, keeper: Any) -> None:
    rows = cli("demo", "--json").rows()
    assert [row["turn"] for row in rows] == list(range(1, 13))
    assert rows[1]["standalone_query"] == "HOW MUCH CAN THE SECOND ONE CARRY?"
    assert {"user", "action", "warnings", "violations", "lm_attempts", "fallback", "latency_ms"} <= rows[0].keys()


def test_terminal_escapes_of_a_model_are_shown_not_obeyed(cli: Any, keeper: Any) -> None:
    keeper.trouble["Yes, please."] = ReformulateResult(standalone_query="\x1b]0;owned\x07 [red]x[/red] \u202e")
    shown = cli("demo").out
    assert "\\x1b]0;owned\\x07 [red]x[/red] \\u202e" in shown
    assert "\x1b" not in shown
