"""`turnkeeper bench`: which rows are measured, what is asked, and what the figures say."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import DRAWS, FIXED, Draw
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice, Usage

SAID = [{"role": "user", "content": "Tell me of the Tarn ferry."}, {"role": "assistant", "content": "It is green."}]
TURNS = [
    ("cast19_90_1", [], "Tell me of the Tarn ferry.", "Tell me of the Tarn ferry."),
    ("cast19_90_2", SAID, "Who owns it?", "Who owns the Tarn ferry?"),
    ("cast19_90_3", SAID, "Does it carry bikes?", "Does the Tarn ferry carry bikes?"),
    ("cast19_91_2", SAID, "Is that so?", None),
    ("cast19_92_2", SAID, "How old is it?", "How old is the Tarn ferry?"),
]
PASSAGES = [{"_id": "p-1", "title": "Ferry", "text": "The Tarn ferry is owned by nobody."}] + [
    {"_id": f"p-{n}", "title": "", "text": f"who owns house number{n}"} for n in range(2, 9)
]


def turn(name: str, history: list[Any], query: str, rewrite: str | None) -> dict[str, Any]:
    return {"id": name, "history": history, "query": query, "human_rewrite": rewrite}


@pytest.fixture
def turns(write_jsonl: Any, tmp_path: Path) -> Path:
    path: Path = write_jsonl(tmp_path / "cast.jsonl", *(turn(*one) for one in TURNS))
    return path


@pytest.fixture
def mtrag(write_jsonl: Any, tmp_path: Path) -> Path:
    row = {
        "task_id": "m7<::>2", "domain": "govt", "history": SAID, "query": "Who owns it?",
        "official_rewrite": "Who owns the Tarn ferry?", "gold_passages": ["p-1"],
    }  # fmt: skip
    with gzip.open(tmp_path / "passages_govt.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(passage) + "\n" for passage in PASSAGES)
    path: Path = write_jsonl(tmp_path / "mtrag.jsonl", row, {**row, "task_id": "m8<::>2", "gold_passages": []})
    return path


def predictions(write_jsonl: Any, tmp_path: Path, **queries: str) -> Path:
    rows = [
        {
            "id": name, "prediction": {"standalone_query": query}, "fallback": name.endswith("_3"), "latency_ms": 500.0,
            "warnings": [], "usage": {"calls": 2, "prompt_tokens": 30, "completion_tokens": 4},
        }
        for name, query in queries.items()
    ]  # fmt: skip
    path: Path = write_jsonl(tmp_path / "said.jsonl", *rows)
    return path


def test_rewrite_measures_turns_with_a_history_and_a_reference(
    bench: Any, turns: Path, write_jsonl: Any, tmp_path: Path
) -> None:
    said = predictions(
        write_jsonl, tmp_path,
        cast19_90_2="Who owns the Tarn ferry?", cast19_90_3="Does it carry bikes?",
        cast19_92_2="How old is the Zarq ferry?",
    )  # fmt: skip
    found = bench("rewrite", turns, "--ids", "all", "--predictions", said)
    assert (found["rows"], found["set"], found["code"]) == (3, "cast", 0)
    assert found["left_out"] == {"nothing said before": 1, "no rewrite in the set": 1}
    ours, copy = found["measures"]["ours"], found["measures"]["copy"]
    assert (
        ours["exact"]["mean"] == ours["residual"]["mean"] == ours["invented"]["mean"] == pytest.approx(1 / 3, abs=1e-6)
    )
    assert (copy["exact"]["mean"], copy["residual"]["mean"], copy["invented"]["mean"]) == (0.0, 1.0, 0.0)
    assert found["differences"]["ours minus copy"]["rouge_l"]["mean"] == pytest.approx(
        ours["rouge_l"]["mean"] - copy["rouge_l"]["mean"], abs=1e-5
    )
    assert found["differences"]["ours minus copy"]["rouge_l"]["verdict"] == "no claim: 2 changed rows"


def test_fallbacks_and_costs_come_first(bench: Any, cli: Any, turns: Path, write_jsonl: Any, tmp_path: Path) -> None:
    said = predictions(write_jsonl, tmp_path, cast19_90_2="a", cast19_90_3="b", cast19_92_2="c")
    found = bench("rewrite", turns, "--ids", "all", "--predictions", said)
    assert (found["fallback_rate"], found["fallbacks"], found["missing"]) == (pytest.approx(1 / 3, abs=1e-6), 1, 0)
    assert (found["lm_calls"], found["prompt_tokens"], found["completion_tokens"]) == (6, 90, 12)
    assert (found["seconds"], found["median_latency_ms"]) == (1.5, 500.0)
    shown = cli("bench", "rewrite", turns, "--ids", "all", "--predictions", said)
    assert shown.out.splitlines()[0] == "bench rewrite: fallback rate 33.3% (1 rows), 0 without an answer"


def test_a_turn_without_an_answer_counts_as_an_empty_one(
    bench: Any, turns: Path, write_jsonl: Any, tmp_path: Path
) -> None:
    said = predictions(write_jsonl, tmp_path, cast19_90_2="Who owns the Tarn ferry?", other="x")
    found = bench("rewrite", turns, "--ids", "all", "--predictions", said)
    assert (found["rows"], found["missing"], found["code"]) == (3, 2, 1)
    assert found["measures"]["ours"]["rouge_l"]["mean"] == pytest.approx(1 / 3, abs=1e-6)


def test_ids_choose_the_rows_in_the_order_of_the_file(bench: Any, turns: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("cast19_92_2\ncast19_90_3\n", encoding="utf-8")
    assert bench("rewrite", turns, "--ids", ids, "--program", "copy")["rows"] == 2
    one = bench("rewrite", turns, "--ids", ids, "--program", "copy", "--rows", 1)
    assert one["measures"]["copy"]["rouge_l"]["mean"] == pytest.approx(2 * 3 / (4 + 6))  # does … carry bikes


@pytest.mark.parametrize(
    ("ids", "said"),
    [(None, "150 of 150 ids of the fixed ids of cast are not in it"), ("cast19_90_2\nnone\n", "1 of 2 ids")],
)
def test_an_id_that_is_not_in_the_file_stops_the_measure(
    ids: str | None, said: str, cli: Any, turns: Path, tmp_path: Path
) -> None:
    (tmp_path / "ids.txt").write_text(ids or "", encoding="utf-8")
    options = () if ids is None else ("--ids", tmp_path / "ids.txt")
    done = cli("bench", "rewrite", turns, "--program", "copy", *options)
    assert done.code == 2 and said in done.err and "--ids all" in done.err


YEARS = [(32, "4", 57), (85, "4", 34), (106, "4", 33), (132, "1-5", 26)]
"""Of a year of TREC CAsT: a topic, one of its turns that is a fixed id, and how many of the year's are."""


@pytest.mark.parametrize(("topic", "number", "held"), YEARS)
def test_of_the_fixed_ids_a_published_year_measures_those_that_it_holds(
    topic: int, number: str, held: int, bench: Any, cli: Any, tmp_path: Path
) -> None:
    path = tmp_path / "topics.json"
    said = [("9-9", "Tell me of the Tarn ferry.", None), (number, "Who owns it?", "Who owns the Tarn ferry?")]
    turns = [{"number": n, "raw_utterance": q, "manual_rewritten_utterance": r or q} for n, q, r in said]
    path.write_text(json.dumps([{"number": topic, "turn": turns}]), encoding="utf-8")
    found = bench("rewrite", path, "--program", "copy")
    assert (found["set"], found["rows"], found["ids"]) == ("cast", 1, "fixed, 1 of 150")
    assert "ids fixed, 1 of 150" in cli("bench", "rewrite", path, "--program", "copy").out
    year = {32: 19, 85: 20, 106: 21, 132: 22}[topic]
    assert sum(name.startswith(f"cast{year}_") for name in FIXED["cast"]) == held


def published(conversation: int, number: int) -> dict[str, Any]:
    said = ["Tell me of the Tarn ferry.", "It is green."] if number > 1 else []
    return {
        "Context": said, "Question": "Who owns it?", "Rewrite": "Who owns the Tarn ferry?",
        "Conversation_no": conversation, "Turn_no": number,
    }  # fmt: skip


def test_of_qrecc_a_rule_draws_rows_that_can_be_measured(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [published(conversation, number) for conversation in range(9) for number in (1, 2)]
    path = tmp_path / "qrecc_test.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    few = bench("rewrite", path, "--program", "copy")
    assert (few["set"], few["rows"], few["ids"], few["left_out"]) == ("qrecc", 9, "fixed, 9 of 150", {})
    assert bench("rewrite", path, "--ids", "all", "--program", "copy")["left_out"] == {"nothing said before": 9}
    monkeypatch.setitem(DRAWS, "qrecc", Draw(seed=7, rows=4))
    drawn = bench("rewrite", path, "--program", "copy")
    assert (drawn["rows"], drawn["ids"]) == (4, "fixed")


def test_of_qrecc_the_same_rows_are_drawn_in_any_order_of_the_file(
    bench: Any, keeper: Any, rows_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(DRAWS, "qrecc", Draw(seed=7, rows=4))
    rows, asked = [published(conversation, 2) for conversation in range(9)], []
    for order in (1, -1):
        path, out = tmp_path / f"test{order}.json", tmp_path / f"out{order}.jsonl"
        path.write_text(json.dumps(rows[::order]), encoding="utf-8")
        assert bench("rewrite", path, "--out", out)["rows"] == 4
        asked.append([row["id"] for row in rows_of(out)])
    assert asked[0] == asked[1][::-1] and len(keeper.queries) == 8
    smallest = sorted(range(9), key=lambda n: hashlib.sha256(f"7:{n}_2".encode()).hexdigest())[:4]
    assert set(asked[0]) == {f"{n}_2" for n in smallest}


def test_a_program_is_asked_once_a_row_and_goes_on(
    bench: Any, turns: Path, keeper: Any, rows_of: Any, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    first = bench("rewrite", turns, "--ids", "all", "--rows", 2, "--out", out)
    assert keeper.queries == ["Who owns it?", "Does it carry bikes?"]
    assert (first["program"]["program_id"], first["prompt_tokens"], first["lm_calls"]) == ("stand-in", 18, 2)
    again = bench("rewrite", turns, "--ids", "all", "--out", out)
    assert keeper.queries[2:] == ["How old is it?"] and again["program"]["reused"] == 2
    assert again["program"]["program_id"] == "stand-in"
    assert again["measures"]["ours"]["rouge_l"] == again["measures"]["copy"]["rouge_l"]  # upper case is no other word
    fewer = bench("rewrite", turns, "--ids", "all", "--rows", 1, "--out", out)
    assert (fewer["rows"], len(keeper.queries)) == (1, 3)
    assert [row["id"] for row in rows_of(out)] == ["cast19_90_2", "cast19_90_3", "cast19_92_2"]


def test_ctrl_c_keeps_what_is_done(cli: Any, turns: Path, keeper: Any, tmp_path: Path) -> None:
    keeper.trouble["Does it carry bikes?"] = KeyboardInterrupt()
    command = ("bench", "rewrite", turns, "--ids", "all", "--out", tmp_path / "out.jsonl")
    stopped = cli(*command)
    assert stopped.code == 130 and "1 of 3 rows are kept" in stopped.err
    keeper.trouble.clear()
    assert "reused 1 of 3" in cli(*command).err
    assert keeper.queries.count("Who owns it?") == 1


def test_the_output_of_run_is_gone_on_with(
    bench: Any, cli: Any, turns: Path, keeper: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    rows = write_jsonl(tmp_path / "in.jsonl", *(turn(*one) for one in TURNS))
    assert cli("run", "reformulate", "--in", rows, "--out", tmp_path / "out.jsonl").code == 0
    asked = len(keeper.queries)
    assert bench("rewrite", turns, "--ids", "all", "--out", tmp_path / "out.jsonl")["program"]["reused"] == 3
    assert len(keeper.queries) == asked


def test_a_row_that_fails_and_an_lm_that_fails_give_exit_1(bench: Any, turns: Path, keeper: Any) -> None:
    keeper.trouble["Who owns it?"] = ValueError("broken")
    found = bench("rewrite", turns, "--ids", "all")
    assert (found["missing"], found["code"]) == (1, 1)
    keeper.trouble["Who owns it?"] = ReformulateResult(
        standalone_query="Who owns it?", ok=False, fallback=True, usage=Usage(),
        warnings=(Notice(code="lm_error", message="The LM is away."),),
    )  # fmt: skip
    found = bench("rewrite", turns, "--ids", "all")
    assert (found["missing"], found["lm_errors"], found["fallbacks"], found["code"]) == (0, 1, 1, 1)


def test_retrieval_compares_the_arms_with_and_without_the_leg(
    bench: Any, mtrag: Path, write_jsonl: Any, tmp_path: Path
) -> None:
    said = predictions(write_jsonl, tmp_path, **{"m7<::>2": "Tarn ferry"})
    found = bench("retrieval", mtrag, "--pool", tmp_path, "--ids", "all", "--predictions", said)
    assert (found["rows"], found["left_out"]) == (1, {"no relevant passages": 1})
    means = {arm: values["ndcg_at_5"]["mean"] for arm, values in found["measures"].items()}
    assert means == {
        "last turn": 0.0, "last turn + context": 1.0,
        "data set's own LLM rewrite": 1.0, "data set's own LLM rewrite + context": 1.0,
        "ours": 1.0, "ours + context": 1.0,
    }  # fmt: skip
    assert found["differences"]["ours minus last turn"]["recall_at_5"]["mean"] == 1.0
    off = bench("retrieval", mtrag, "--pool", tmp_path, "--ids", "all", "--predictions", said, "--context-weight", "0")
    assert off["measures"]["last turn + context"]["ndcg_at_5"]["mean"] == 0.0


def test_retrieval_without_any_rewrite_has_no_arm_for_it(bench: Any, mtrag: Path, tmp_path: Path) -> None:
    row = {**json.loads(mtrag.read_text(encoding="utf-8").splitlines()[0]), "official_rewrite": None}
    options = ("--pool", tmp_path, "--ids", "all", "--program", "copy")
    mtrag.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert list(bench("retrieval", mtrag, *options)["measures"]) == [
        "last turn", "last turn + context", "ours", "ours + context",
    ]  # fmt: skip
    other = {**row, "task_id": "m9<::>2", "official_rewrite": "Who owns the Tarn ferry?"}
    mtrag.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n", encoding="utf-8")
    found = bench("retrieval", mtrag, *options)
    assert (
        found["program"]["without_rewrite"],
        found["measures"]["data set's own LLM rewrite"]["ndcg_at_5"]["mean"],
    ) == (
        1,
        0.5,
    )


def test_retrieval_needs_relevant_passages_and_a_pool(cli: Any, turns: Path, mtrag: Path, tmp_path: Path) -> None:
    done = cli("bench", "retrieval", turns, "--pool", tmp_path, "--ids", "all", "--program", "copy")
    assert done.code == 2 and "cast has no turn with relevant passages" in done.err
    (tmp_path / "none").mkdir()
    done = cli("bench", "retrieval", mtrag, "--pool", tmp_path / "none", "--ids", "all", "--program", "copy")
    assert done.code == 2 and "no passages of 'govt'" in done.err


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("exclusions", (), "cast is no set for this; there is: nevir, quest, excluir"),
        ("rewrite", ("--set", "magic"), "no public set 'magic'"),
        ("rewrite", ("--ids", "gone.txt"), "--ids gone.txt: No such file"),
        ("rewrite", ("--ids", "all", "--program", "copy", "--out", "x.jsonl"), "--out is for the predictions"),
    ],
)
def test_what_makes_no_sense_is_bad_input(
    command: str, options: tuple[str, ...], said: str, cli: Any, turns: Path
) -> None:
    done = cli("bench", command, turns, *options)
    assert done.code == 2 and said in done.err


def test_a_bad_row_is_named_by_file_line_and_field(cli: Any, turns: Path, tmp_path: Path) -> None:
    with turns.open("a", encoding="utf-8") as file:
        file.write(
            json.dumps({"id": "cast19_93_1", "history": [{"role": "robot", "content": "x"}], "query": "q"}) + "\n"
        )
    done = cli("bench", "rewrite", turns, "--ids", "all", "--program", "copy")
    assert done.code == 2 and "cast.jsonl:6: field `history.0.role`" in done.err


def test_names_from_a_file_cannot_move_the_cursor(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "odd\x1b[2J.jsonl", turn(*TURNS[1]))
    done = cli("bench", "rewrite", path, "--ids", "all", "--program", "copy")
    assert done.code == 0 and "\x1b" not in done.out + done.err and "\\x1b" in done.out


def test_the_sets_say_what_their_files_look_like(cli: Any) -> None:
    told = {row["name"]: row for row in cli("bench", "sets", "--json").rows()}
    assert list(told) == ["canard", "qrecc", "cast", "mtrag", "nevir", "quest", "excluir"]
    assert {name: row["fixed_ids"] for name, row in told.items()} == {
        "canard": 150, "qrecc": 0, "cast": 150, "mtrag": 341, "nevir": 200, "quest": 43, "excluir": 200,
    }  # fmt: skip
    rules = {name: row["fixed_rule"] for name, row in told.items() if row["fixed_rule"]}
    assert rules == {"qrecc": {"seed": 7, "rows": 150}}
    shown = cli("bench", "sets").out
    assert all(row["licence"] in shown and row["citation"] in shown for row in told.values())
    assert "qrecc (rewrite, the 150 smallest SHA-256 of '7:<id>'):" in shown
    assert "nevir (exclusions, 200 fixed ids):" in shown
