"""`turnkeeper run conversation`: whole conversations with their documents and what happens between the turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...conversation.reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, Reader
from .conftest import PASSAGES, Run, says, talk

FIELDS = (
    "standalone_query action negation_constraints answer cited new_citations reused_citations open_questions status "
    "registry warnings fallback lm_calls latency_ms"
).split()


def test_a_row_gives_a_trace_of_each_user_turn_and_keeps_its_extras(
    run: Run, rows_of: Any, out: Path, loads: list[str]
) -> None:
    row = talk("a", says(ASK_HIRE, "LAKE-1", expect={"cites": ["LAKE-1"]}), says(ASK_HOURS, "LAKE-2"), kind="two")
    assert run(row).code == 0
    [made] = rows_of(out)
    assert (made["id"], made["kind"], made["ok"], made["fallback"], len(made["turns"])) == ("a", "two", True, False, 2)
    assert all(name in turn for turn in made["turns"] for name in FIELDS)
    assert [turn["cited"] for turn in made["turns"]] == [["LAKE-1"], ["LAKE-2"]]
    assert made["lm_calls"] == sum(turn["lm_calls"] for turn in made["turns"])
    assert loads == ["reformulate", "expand", "cite", "carry_forward"]


def test_docs_left_out_search_the_passages_of_the_row(turns: Any) -> None:
    [told] = turns(talk("a", {"user": ASK_HIRE}))
    assert told["cited"] == ["LAKE-1"] and told["found"][0] == "LAKE-1"


def test_docs_null_is_a_failed_search(turns: Any) -> None:
    first, second = turns(talk("a", {"user": ASK_HIRE, "docs": None}, says("Thanks!")))
    assert (first["found"], first["status"], first["open_questions"]) == (None, "UNANSWERED", [])
    assert "retrieval_failed" in [notice["code"] for notice in first["warnings"]]
    assert second["open_questions"] == []


def test_empty_docs_are_a_search_that_found_nothing(turns: Any) -> None:
    [told] = turns(talk("a", says(ASK_HIRE)))
    assert (told["found"], told["status"]) == ([], "UNANSWERED")
    assert [one["question"] for one in told["open_questions"]] == [ASK_HIRE]


def test_a_document_that_is_added_is_in_the_pool_from_then_on(turns: Any) -> None:
    first, second = turns(talk("a", {"user": ASK_NIGHT}, {"event": "add_doc", "doc_id": "LAKE-3"}, {"user": ASK_HIRE}))
    assert first["status"] == "UNANSWERED" and "LAKE-3" not in first["found"]
    assert "21:00" in second["answer"] and second["cited"] == ["LAKE-1", "LAKE-3"]
    assert [one["question"] for one in second["resolved_questions"]] == [ASK_NIGHT]


def test_a_document_that_is_removed_keeps_its_id_and_is_no_evidence(turns: Any) -> None:
    _, second = turns(
        talk("a", says(ASK_HIRE, "LAKE-1"), {"event": "remove_doc", "doc_id": "LAKE-1"}, says(ASK_HIRE, "LAKE-1"))
    )
    assert (second["status"], second["cited"], second["registry"]) == ("UNANSWERED", [], ["LAKE-1"])


def test_one_that_was_never_cited_can_be_removed(turns: Any) -> None:
    first, second = turns(
        talk("a", {"user": ASK_HOURS}, {"event": "remove_doc", "doc_id": "LAKE-1"}, {"user": ASK_HIRE})
    )
    assert first["cited"] == ["LAKE-2"] and "LAKE-1" not in second["found"]


def test_one_that_is_removed_before_the_first_turn_is_not_found(turns: Any) -> None:
    [told] = turns(talk("a", {"event": "remove_doc", "doc_id": "LAKE-1"}, {"user": ASK_HIRE}))
    assert "LAKE-1" not in told["found"]


def test_one_that_is_removed_before_it_was_cited_is_no_evidence_of_a_later_turn(turns: Any) -> None:
    removed = {"event": "remove_doc", "doc_id": "LAKE-1"}
    _, second = turns(talk("a", says(ASK_HOURS, "LAKE-2"), removed, says(ASK_HIRE, "LAKE-1")))
    assert (second["found"], second["status"], second["cited"]) == ([], "UNANSWERED", [])


def test_nor_is_it_cited_by_a_reply_that_is_given_until_it_is_added_again(turns: Any) -> None:
    given = says(ASK_HIRE, "LAKE-1", given_assistant="It is 14 euros [Source: LAKE-1].")
    removed, added = ({"event": event, "doc_id": "LAKE-1"} for event in ("remove_doc", "add_doc"))
    first, second = turns(talk("a", removed, given, added, says(ASK_HIRE, "LAKE-1")))
    assert first["registry"] == [] and second["cited"] == ["LAKE-1"]


def test_what_a_given_reply_without_docs_cites_is_searched_for(turns: Any) -> None:
    reply = "It is 14 euros [Source: LAKE-1]."
    [told] = turns(talk("a", {"user": ASK_HIRE, "given_assistant": reply}))
    assert (told["answer"], told["registry"], told["lm_calls"]) == (reply, ["LAKE-1"], 0)


def test_filler_turns_push_the_history_out_and_nothing_else(turns: Any) -> None:
    filler = {"event": "filler_turns", "count": 30, "text": "a word on oars"}
    first, second = turns(
        talk("a", says("Which boats are there without engines?", "LAKE-1"), filler, says(ASK_HIRE, "LAKE-1"))
    )
    assert (first["turn"], second["turn"], second["negation_constraints"]) == (1, 32, ["engines"])
    assert [one["first_asked_turn"] for one in second["open_questions"]] == [1]


def test_an_open_question_that_filler_turns_make_old_goes_to_a_person_once(turns: Any) -> None:
    filler = {"event": "filler_turns", "count": 6, "text": "a word on oars"}
    told = turns(talk("a", says(ASK_NIGHT, "LAKE-1"), filler, says(ASK_HIRE, "LAKE-1"), says("Thanks!")))
    assert [turn["human_review"] for turn in told] == [False, True, True]
    assert [turn["reviews"] for turn in told] == [[], ["r5-1"], []]
    assert [[w["code"] for w in turn["warnings"]].count("ledger_review") for turn in told] == [0, 1, 0]


def test_filler_turns_may_come_first(turns: Any) -> None:
    [told] = turns(talk("a", {"event": "filler_turns", "count": 2}, says(ASK_HIRE, "LAKE-1")))
    assert (told["turn"], told["cited"]) == (3, ["LAKE-1"])


def test_later_turns_run_in_the_branch(turns: Any) -> None:
    told = turns(
        talk(
            "a",
            says(ASK_NIGHT, "LAKE-1"),
            {"event": "filler_turns", "count": 2},
            says(ASK_HIRE, "LAKE-1"),
            {"event": "branch", "from_turn": 1},
            says(ASK_HOURS, "LAKE-2"),
        )
    )
    assert [turn["turn"] for turn in told] == [1, 4, 2]
    assert told[2]["registry"] == ["LAKE-2"]
    assert [one["question"] for one in told[2]["open_questions"]] == [ASK_NIGHT]


def test_a_branch_from_the_start_is_a_new_talk(turns: Any) -> None:
    told = turns(talk("a", says(ASK_NIGHT, "LAKE-1"), {"event": "branch", "from_turn": 0}, says(ASK_HIRE, "LAKE-1")))
    assert (told[1]["turn"], told[1]["open_questions"]) == (1, [])


def test_a_given_reply_is_taken_as_it_is(turns: Any, reader: Reader) -> None:
    reply = "It is 14 euros [Source: LAKE-1]."
    first, second = turns(talk("a", says(ASK_HIRE, "LAKE-1", given_assistant=reply), says(ASK_HIRE)))
    assert (first["answer"], first["registry"], first["lm_calls"]) == (reply, ["LAKE-1"], 0)
    assert second["reused_citations"] == ["LAKE-1"]


def test_scope_and_convention_are_those_of_the_row_and_a_turn_may_have_its_own(turns: Any) -> None:
    passages = [{**PASSAGES[0], "metadata": {"regions": "west"}}]
    row = {
        "id": "a",
        "passages": passages,
        "convention": "numeric",
        "access_scope": {"allowed": {"regions": ["west"]}},
        "turns": [says(ASK_HIRE, "LAKE-1"), says(ASK_HIRE, "LAKE-1", access_scope={"allowed": {"regions": ["east"]}})],
    }
    first, second = turns(row)
    assert "[1]" in first["answer"]
    assert (second["status"], second["cited"]) == ("UNANSWERED", [])
