"""`turnkeeper check cite`: the output row holds what the prediction cites beside the violations."""

from pathlib import Path
from typing import Any

ROW = {
    "id": "a",
    "turn": 2,
    "registry": {"convention": "numeric", "entries": [{"doc_id": "1", "title": "Peat Map"}]},
    "context": [{"doc_id": "2", "title": "Heath Map", "text": "The heath path is 8 km long."}],
    "question": "How long is the heath path?",
    "prediction": {
        "answer": "The heath path is 8 km long [2].\n\nSources:\n- 2: Heath Map",
        "sources": [{"doc_id": "2", "title": "Heath Map", "relevance": "its length"}],
        "new_citations": ["2"],
        "reused_citations": [],
    },
}


def test_findings_and_what_is_cited(cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path) -> None:
    fabricated = {**ROW, "id": "b", "prediction": {"answer": "It is 8 km long [9].\n\nSources:\n- 9: Heath Map"}}
    out = tmp_path / "out.jsonl"
    done = cli("check", "cite", "--in", write_jsonl(tmp_path / "in.jsonl", ROW, fabricated), "--out", out)
    assert done.code == 1
    first, second = rows_of(out)
    assert first == {**ROW, "ok": True, "violations": [], "cited_ids": ["2"]}
    assert {"fabricated_id", "out_of_range"} <= {v["code"] for v in second["violations"]}
    assert second["cited_ids"] == ["9"]


def test_a_failed_retrieval_and_an_unusable_prediction(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    row = {**ROW, "context": None, "prediction": None}
    checked = cli("check", "cite", "--in", write_jsonl(tmp_path / "in.jsonl", row), "--json").rows()[0]
    assert [v["code"] for v in checked["violations"]] == ["unparsable"] and checked["cited_ids"] == []


def test_a_row_without_its_registry_is_named(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != "registry"}
    done = cli("check", "cite", "--in", write_jsonl(tmp_path / "in.jsonl", row))
    assert done.code == 2 and "registry" in done.err


def test_an_unknown_convention_is_named(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    row = {**ROW, "registry": {"convention": "harvard", "entries": []}}
    done = cli("check", "cite", "--in", write_jsonl(tmp_path / "in.jsonl", row))
    assert done.code == 2 and "convention" in done.err
