"""`turnkeeper exclusions`: the detector over rows."""

from pathlib import Path
from typing import Any


def row(name: str, query: str, *history: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(history)]
    return {"id": name, "history": turns, "query": query, **more}


def test_the_output_row_is_the_input_row_and_what_was_read(
    cli: Any, write_jsonl: Any, rows_of: Any, tmp_path: Path
) -> None:
    given = [
        row("a", "shelves without glass", kind="x"),
        row("b", "glass is fine after all", "shelves without glass or cork", "Here."),
        row("c", "nothing boring", exclusions=[{"phrase": "cork"}]),
    ]
    out = tmp_path / "out.jsonl"
    done = cli("exclusions", "--in", write_jsonl(tmp_path / "in.jsonl", *given), "--out", out)
    assert done.code == 0
    assert "3 of 3 rows rule something out, 1 vaguely, 1 take something back" in done.err
    read = [
        {"negation_constraints": ["glass"], "vague": False, "revoked": []},
        {"negation_constraints": ["cork"], "vague": False, "revoked": ["glass"]},
        {"negation_constraints": ["cork"], "vague": True, "revoked": []},
    ]
    assert rows_of(out) == [{**one, **found} for one, found in zip(given, read, strict=True)]


def test_lines_for_a_person_and_json_for_a_machine(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", row("a", "no glass, nothing boring"), row("b", "shelves"))
    assert cli("exclusions", "--in", source).out == "a: glass (vague)\nb: -\n"
    assert [r["negation_constraints"] for r in cli("exclusions", "--in", source, "--json").rows()] == [["glass"], []]
    summary = cli("exclusions", "--in", source, "--out", tmp_path / "out.jsonl", "--json").rows()
    assert summary == [{"rows": 2, "constrained": 1, "vague": 1, "revoked": 0}]


def test_a_bad_row_is_exit_code_2_and_nothing_is_written(cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", row("a", "q"), {"id": "b", "history": []})
    done = cli("exclusions", "--in", source, "--out", tmp_path / "out.jsonl")
    assert (done.code, done.err) == (2, f"turnkeeper: {source}:2: field `query`: is missing\n")
    assert not (tmp_path / "out.jsonl").exists()
