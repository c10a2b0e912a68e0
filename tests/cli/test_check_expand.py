"""`turnkeeper check expand`: the output row holds what was detected beside the violations."""

from pathlib import Path
from typing import Any


def test_findings_and_what_was_detected(cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path) -> None:
    good = {
        "id": "a", "history": [], "query": "shelves without glass", "domain_context": {"aliases": {"glass": ["pane"]}},
        "prediction": {"expanded_query": "shelves rack", "negation_constraints": ["glass"]},
    }  # fmt: skip
    leaky = {**good, "id": "b", "prediction": {"expanded_query": "shelves with panes", "negation_constraints": []}}
    out = tmp_path / "out.jsonl"
    done = cli("check", "expand", "--in", write_jsonl(tmp_path / "in.jsonl", good, leaky), "--out", out)
    assert done.code == 1
    first, second = rows_of(out)
    detected = {"negation_constraints": ["glass"], "vague": False, "revoked": []}
    assert first == {**good, "ok": True, "violations": [], **detected}
    assert [v["code"] for v in second["violations"]] == ["excluded_term_present", "dropped_exclusion"]


def test_an_unusable_prediction_is_a_finding(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", {"id": "a", "history": [], "query": "q", "prediction": None})
    assert cli("check", "expand", "--in", source, "--json").rows()[0]["violations"][0]["code"] == "unparsable"


def test_a_misspelt_status_of_an_exclusion_is_named(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    given = {"id": "a", "history": [], "query": "q", "exclusions": [{"phrase": "x", "status": "off"}], "prediction": {}}
    done = cli("check", "expand", "--in", write_jsonl(tmp_path / "in.jsonl", given))
    assert done.code == 2 and "exclusions" in done.err
