"""`turnkeeper check carry_forward`: the ledger after the turn, and whether a person has to look, in the output row."""

from pathlib import Path
from typing import Any

WINE = {"question": "How many barrels are left?", "first_asked_turn": 2, "attempts": 1, "missing_evidence": "a count"}
ROW = {
    "id": "a",
    "turn": 3,
    "ledger": [WINE],
    "question": "Who owns the press?",
    "context": [],
    "prediction": {
        "current_answer": {"text": None, "citations": [], "status": "UNANSWERED"},
        "resolved_questions": [],
        "updated_unresolved_questions": [
            {"question": "How many barrels are left?", "missing_evidence": "a count of May"},
            {"question": "Who owns the press?", "missing_evidence": "a deed"},
        ],
    },
}
SLIM = ("question", "first_asked_turn", "attempts", "missing_evidence")


def _slim(ledger: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(entry[name] for name in SLIM) for entry in ledger]


def test_the_ledger_after_good_and_bad_turns(cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path) -> None:
    dropped = {**ROW["prediction"], "updated_unresolved_questions": []}  # type: ignore[dict-item]
    bad = {**ROW, "id": "b", "turn": 6, "prediction": dropped}
    failed = {**ROW, "id": "c", "context": None}
    out = tmp_path / "out.jsonl"
    done = cli("check", "carry_forward", "--in", write_jsonl(tmp_path / "in.jsonl", ROW, bad, failed), "--out", out)
    assert done.code == 1
    first, second, third = rows_of(out)
    assert first["ok"] and first["violations"] == [] and not first["human_review"]
    assert _slim(first["ledger_after"]) == [
        ("How many barrels are left?", 2, 2, "a count of May"),
        ("Who owns the press?", 3, 1, "a deed"),
    ]
    assert [entry["question_id"] for entry in first["ledger_after"]] == ["q2", "q3"]
    assert {v["code"] for v in second["violations"]} == {"silently_dropped", "current_question_lost"}
    assert second["ledger_after"] == [WINE] and second["human_review"]
    assert third["violations"][0]["code"] == "retrieval_failed" and third["ledger_after"] == [WINE]


def test_an_unusable_prediction(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    row = {**ROW, "prediction": "{broken"}
    checked = cli("check", "carry_forward", "--in", write_jsonl(tmp_path / "in.jsonl", row), "--json").rows()[0]
    assert [v["code"] for v in checked["violations"]] == ["unparsable"] and checked["ledger_after"] == [WINE]


def test_a_row_without_its_ledger_is_named(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != "ledger"}
    done = cli("check", "carry_forward", "--in", write_jsonl(tmp_path / "in.jsonl", row))
    assert done.code == 2 and "ledger" in done.err


def test_a_turn_counts_from_one(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    done = cli("check", "carry_forward", "--in", write_jsonl(tmp_path / "in.jsonl", {**ROW, "turn": 0}))
    assert done.code == 2 and "turn" in done.err
