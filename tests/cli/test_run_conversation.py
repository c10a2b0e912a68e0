"""`turnkeeper run conversation`: whole conversations with their documents and what happens between the turns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import turnkeeper
from turnkeeper.cli import _behaviours
from turnkeeper.errors import SetupError

from ..conversation.reading import ASK_HIRE, ASK_HOURS, ASK_NIGHT, LAKE, Reader, lm_of

PASSAGES = [p.model_dump(include={"doc_id", "title", "text"}) for p in LAKE]
Run = Callable[..., Any]


def talk(name: str, *turns: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "passages": PASSAGES, "turns": list(turns), **more}


def says(user: str, *docs: str, **more: Any) -> dict[str, Any]:
    return {"user": user, "docs": list(docs), **more}


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def loads(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the programs that were loaded; each is answered by the reader."""
    loaded: list[str] = []
    lm = lm_of(reader)

    def load(name: str, **options: Any) -> Any:
        loaded.append(name)
        return turnkeeper.load(name, lm=lm, program="zero-shot", risk_level=options["risk_level"])

    monkeypatch.setattr(_behaviours, "load_program", load)
    return loaded


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(cli: Any, write_jsonl: Any, tmp_path: Path, out: Path, loads: list[str]) -> Run:
    """`run(row, ..., options=[...])` writes the rows and runs the command."""

    def call(*rows: Any, options: tuple[object, ...] = ()) -> Any:
        return cli("run", "conversation", "--in", write_jsonl(tmp_path / "in.jsonl", *rows), "--out", out, *options)

    return call


@pytest.fixture
def turns(run: Run, rows_of: Any, out: Path) -> Callable[..., list[dict[str, Any]]]:
    """`turns(row)` runs one row that goes well and gives its turns."""

    def call(row: dict[str, Any], *options: object) -> list[dict[str, Any]]:
        done = run(row, options=options)
        assert done.code == 0, done.err
        found: list[dict[str, Any]] = rows_of(out)[0]["turns"]
        return found

    return call


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


def test_filler_turns_push_the_history_out_and_nothing_else(turns: Any) -> None:
    filler = {"event": "filler_turns", "count": 30, "text": "a word on oars"}
    first, second = turns(
        talk("a", says("Which boats are there without engines?", "LAKE-1"), filler, says(ASK_HIRE, "LAKE-1"))
    )
    assert (first["turn"], second["turn"], second["negation_constraints"]) == (1, 32, ["engines"])
    assert [one["first_asked_turn"] for one in second["open_questions"]] == [1]


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


BAD = [
    ({"id": "b"}, "turns"),
    ({"id": "b", "turns": []}, "turns"),
    (talk("b", {"event": "add_doc", "doc_id": "LAKE-1"}), "no user turn"),
    (talk("b", says("", "LAKE-1")), "turns.0.user.user"),
    (talk("b", says(ASK_HIRE, "LAKE-9")), "LAKE-9"),
    (talk("b", says(ASK_HIRE), {"event": "remove_doc", "doc_id": "LAKE-9"}), "LAKE-9"),
    (talk("b", says(ASK_HIRE), {"event": "explode"}), "turns.1"),
    (talk("b", says(ASK_HIRE), {"event": "branch", "from_turn": 2}), "from_turn"),
    (talk("b", says(ASK_HIRE), {"event": "filler_turns", "count": 0}), "count"),
    (talk("b", {"user": ASK_HIRE, "dcos": []}), "dcos"),
    (talk("b", says(ASK_HIRE), passages=[{"title": "no id"}]), "passages"),
    (talk("b", says(ASK_HIRE), convention="harvard"), "convention"),
]


@pytest.mark.parametrize(("bad", "named"), BAD)
def test_a_bad_row_names_line_and_field_and_costs_no_other(
    bad: Any, named: str, run: Run, rows_of: Any, out: Path, tmp_path: Path
) -> None:
    done = run(talk("a", says("Good morning!")), bad)
    assert done.code == 2
    good, wrong = rows_of(out)
    assert good["ok"] and len(good["turns"]) == 1
    assert (wrong["id"], wrong["error"]["file"], wrong["error"]["line"]) == ("b", str(tmp_path / "in.jsonl"), 2)
    assert named in f"{wrong['error']['field']} {wrong['error']['message']}"


def test_torn_and_double_rows_have_their_error_rows(run: Run, rows_of: Any, out: Path) -> None:
    assert run("{torn", talk("a", says("Hello!")), talk("a", says("Hello!"))).code == 2
    assert [("error" in row) for row in rows_of(out)] == [True, False, True]


def test_a_second_run_plays_nothing(run: Run, rows_of: Any, out: Path, reader: Reader, loads: list[str]) -> None:
    row = talk("a", says(ASK_HIRE, "LAKE-1"), kind="old")
    run(row)
    reader.steps()
    again = run({**row, "kind": "new"})
    assert (again.code, reader.steps(), len(loads)) == (0, [], 4)
    assert "reused 1 of 1" in again.err and rows_of(out)[0]["kind"] == "new"


def test_docs_that_are_left_out_and_docs_that_are_null_are_two_rows(run: Run, rows_of: Any, out: Path) -> None:
    run(talk("a", {"user": ASK_HIRE, "docs": None}))
    assert "reused 1" not in run(talk("a", {"user": ASK_HIRE})).err
    assert rows_of(out)[0]["turns"][0]["cited"] == ["LAKE-1"]
    assert "reused 1 of 1" in run(talk("a", {"user": ASK_HIRE, "expect": {"cites": ["LAKE-1"]}})).err


def test_ctrl_c_keeps_the_rows_that_are_done_and_the_same_command_goes_on(
    run: Run, rows_of: Any, out: Path, reader: Reader
) -> None:
    rows = [talk("a", says(ASK_HIRE, "LAKE-1")), talk("b", says(ASK_HOURS, "LAKE-2"), says(ASK_NIGHT, "LAKE-3"))]
    answer = reader._found

    def interrupted(question: str, passages: Any) -> Any:
        if "night" in question:
            raise KeyboardInterrupt
        return answer(question, passages)

    reader._found = interrupted  # type: ignore[method-assign]
    stopped = run(*rows)
    assert stopped.code == 130 and "1 of 2 rows are kept" in stopped.err
    reader._found = answer  # type: ignore[method-assign]
    assert "reused 1 of 2" in run(*rows).err
    assert [(row["id"], len(row["turns"])) for row in rows_of(out)] == [("a", 1), ("b", 2)]


def test_a_row_whose_lm_failed_is_played_again(run: Run, rows_of: Any, out: Path, reader: Reader) -> None:
    row = talk("a", says(ASK_HIRE, "LAKE-1"))
    reader.trouble["cite"] = ConnectionError("down")
    failed = run(row)
    assert failed.code == 1 and rows_of(out)[0]["fallback"]
    reader.trouble.clear()
    assert run(row).code == 0 and rows_of(out)[0]["turns"][0]["cited"] == ["LAKE-1"]


def test_an_lm_that_cannot_be_had_stops_the_run(run: Run, monkeypatch: pytest.MonkeyPatch, out: Path) -> None:
    def load(name: str, **options: Any) -> Any:
        raise SetupError("no such server")

    monkeypatch.setattr(_behaviours, "load_program", load)
    done = run(talk("a", says(ASK_HIRE)))
    assert done.code == 2 and "no such server" in done.err


def test_the_summary_is_one_json_object(run: Run) -> None:
    done = run(talk("a", says(ASK_HIRE, "LAKE-1"), says("Thanks!")), options=("--json",))
    summary = json.loads(done.out)
    assert (summary["rows"], summary["turns"], summary["fallbacks"], summary["bad_rows"]) == (1, 2, 0, 0)
    assert summary["most_lm_calls"] == 2 and summary["lm_calls"] == 2 and summary["median_latency_ms"] >= 0


@pytest.mark.parametrize("option", ["--form", "--adapter"])
def test_options_of_one_behaviour_are_refused(option: str, run: Run) -> None:
    done = run(talk("a", says("Hello!")), options=(option, "compact"))
    assert done.code == 2 and option in done.err


def test_a_file_of_another_run_is_not_overwritten(run: Run, out: Path) -> None:
    run(talk("a", says("Hello!")))
    assert run(talk("a", says("Hello!")), options=("--risk-level", "high")).code == 2
    assert run(talk("a", says("Hello!")), options=("--risk-level", "high", "--overwrite")).code == 0
