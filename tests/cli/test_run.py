"""`turnkeeper run`: no row lost, no row computed twice, nothing of another run overwritten."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.errors import SetupError
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice

Rows = Callable[[Path], list[dict[str, Any]]]


def row(name: str, query: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "history": [], "query": query or f"query {name}", **more}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(cli: Any, write_jsonl: Any, tmp_path: Path, out: Path) -> Callable[..., Any]:
    """`run(row, row, ..., options=[...])` writes the input and runs the command."""

    def call(*rows: Any, options: tuple[object, ...] = ()) -> Any:
        return cli("run", "reformulate", "--in", write_jsonl(tmp_path / "in.jsonl", *rows), "--out", out, *options)

    return call


def test_an_output_row_has_its_fields_and_the_extras(run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:  # REF-08
    assert run(row("a", kind="k", prediction="given", ok="given")).code == 0
    (made,) = rows_of(out)
    assert made["prediction"] == {
        "standalone_query": "QUERY A",
        "resolved_references": [{"mention": "it", "referent": "the lamp", "turn": 0}],
        "access_constraints_applied": [],
        "action": "rewrite",
    }
    assert (made["id"], made["ok"], made["kind"], made["lm_attempts"], made["fallback"]) == ("a", True, "k", 1, False)
    assert made["usage"]["prompt_tokens"] == 9 and made["latency_ms"] >= 0 and made["warnings"] == []


def test_a_second_run_computes_nothing(run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:
    run(row("a"), row("b"))
    before = rows_of(out)
    again = run(row("a"), row("b"))
    assert "reused 2 of 2" in again.err
    assert (len(keeper.queries), keeper.loads, rows_of(out)) == (2, 1, before)


def test_a_changed_row_is_computed_again_and_new_extras_are_taken(
    run: Any, rows_of: Rows, out: Path, keeper: Any
) -> None:
    run(row("a", kind="old"), row("b"))
    run(row("a", kind="new"), row("b", "other words"))
    assert keeper.queries == ["query a", "query b", "other words"]
    assert rows_of(out)[0]["kind"] == "new"
    assert rows_of(out)[1]["prediction"]["standalone_query"] == "OTHER WORDS"


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(
    run: Any, rows_of: Rows, out: Path, keeper: Any
) -> None:
    keeper.trouble["query c"] = KeyboardInterrupt()
    stopped = run(row("a"), row("b"), row("c"), row("d"))
    assert stopped.code == 130 and "2 of 4 rows are kept" in stopped.err
    assert [r["id"] for r in rows_of(out)] == ["a", "b"]
    keeper.trouble.clear()
    assert "reused 2 of 4" in run(row("a"), row("b"), row("c"), row("d")).err
    assert keeper.queries == ["query a", "query b", "query c", "query c", "query d"]


@pytest.mark.parametrize("torn", ['{"id": "b", "prediction": {"standa', '{"id": "b"}\n', "\x00\x00\n", "[]\n"])
def test_a_torn_line_is_repaired(torn: str, run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:
    run(row("a"))
    out.write_text(out.read_text() + torn)
    assert run(row("a"), row("b")).code == 0
    assert [r["id"] for r in rows_of(out)] == ["a", "b"]
    assert keeper.queries == ["query a", "query b"]


def test_the_output_has_the_order_of_the_input(run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:
    run(row("b"))
    run(row("c"), row("b"), row("a"))
    assert [r["id"] for r in rows_of(out)] == ["c", "b", "a"]


def test_threads_work_at_once_and_keep_the_order(run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:
    together = threading.Barrier(2, timeout=240)
    ask = type(keeper).__call__

    class Slow(type(keeper)):  # type: ignore[misc]
        def __call__(self, **inputs: Any) -> Any:
            together.wait()
            return ask(self, **inputs)

    keeper.__class__ = Slow
    names = [f"r{n}" for n in range(8)]
    assert run(*map(row, names), options=("--threads", 2)).code == 0
    assert [r["id"] for r in rows_of(out)] == names


def test_bad_rows_give_error_rows_in_their_place_and_exit_code_2(
    run: Any, rows_of: Rows, out: Path, keeper: Any, tmp_path: Path
) -> None:
    done = run(row("a"), "{torn", {"id": "b", "history": []}, row("a"), row("c"))
    assert done.code == 2
    made = rows_of(out)
    assert [r["id"] for r in made] == ["a", None, "b", "a", "c"]
    assert made[2]["error"] == {
        "file": str(tmp_path / "in.jsonl"), "line": 3, "field": "query", "message": "is missing"
    }  # fmt: skip
    assert "stands on line 1" in made[3]["error"]["message"]
    assert keeper.queries == ["query a", "query c"]


def test_a_row_that_fails_unexpectedly_costs_no_other_and_is_tried_again(
    run: Any, rows_of: Rows, out: Path, keeper: Any
) -> None:
    keeper.trouble["query a"] = ZeroDivisionError("secret words")
    done = run(row("a"), row("b"))
    assert done.code == 1
    assert rows_of(out)[0]["error"]["message"] == "unexpected ZeroDivisionError"
    keeper.trouble.clear()
    assert run(row("a"), row("b")).code == 0
    assert keeper.queries == ["query a", "query b", "query a"]


def test_a_setup_error_stops_the_run_and_keeps_what_is_done(run: Any, rows_of: Rows, out: Path, keeper: Any) -> None:
    keeper.trouble["query b"] = SetupError("start the server first")
    done = run(row("a"), row("b"))
    assert (done.code, done.err.splitlines()[-1]) == (2, "turnkeeper: start the server first")
    assert [r["id"] for r in rows_of(out)] == ["a"]


def test_the_fallback_rate_comes_first(run: Any, keeper: Any, fallen_back: ReformulateResult) -> None:
    keeper.trouble["query b"] = fallen_back
    done = run(row("a"), row("b"), options=("--json",))
    assert done.code == 0
    assert next(iter(done.rows()[0].items())) == ("fallback_rate", 0.5)
    assert done.rows()[0]["by_code"] == {"too_long": 1}
    assert "fallback rate 50.0% (1 rows)" in run(row("a"), row("b")).err


def test_rows_whose_lm_was_away_are_asked_again(run: Any, keeper: Any, fallen_back: ReformulateResult) -> None:
    away = Notice(code="lm_error", message="The LM call failed: APIConnectionError.")
    keeper.trouble["query a"] = fallen_back.model_copy(update={"warnings": (away,)})
    first = run(row("a"), options=("--json",))
    assert (first.code, first.rows()[0]["lm_errors"]) == (1, 1)
    assert "1 rows whose LM call failed" in run(row("a")).err
    assert keeper.queries == ["query a", "query a"]


@pytest.mark.parametrize(
    "options",
    [("--lm", "openai/other"), ("--program", "zero-shot"), ("--risk-level", "high"), ("--api-base", "http://h:1/v1")],
)
def test_another_run_may_not_mix_into_the_file(options: tuple[str, str], run: Any, out: Path, keeper: Any) -> None:
    run(row("a"))
    before = out.read_bytes()
    refused = run(row("a"), row("b"), options=options)
    assert refused.code == 2 and options[1] in refused.err and "--overwrite" in refused.err
    assert out.read_bytes() == before
    assert run(row("a"), options=(*options, "--overwrite")).code == 0
    assert json.loads(out.with_name("out.jsonl.meta.json").read_text())[options[0][2:].replace("-", "_")] == options[1]


def test_no_key_in_an_address_reaches_the_sidecar(run: Any, out: Path, keeper: Any) -> None:
    run(row("a"), options=("--api-base", "http://nora:canary-Zk3@h:1/v1"))
    assert "canary" not in out.with_name("out.jsonl.meta.json").read_text()


def test_another_artifact_behind_auto_may_not_mix_in(run: Any, keeper: Any) -> None:
    run(row("a"))
    keeper.program_id = "newer"
    refused = run(row("a"), row("b"))
    assert refused.code == 2 and "program_id was 'stand-in', now 'newer'" in refused.err


def test_a_file_that_is_no_run_is_left_alone(run: Any, out: Path, keeper: Any) -> None:
    out.write_text("my thesis\n")
    refused = run(row("a"))
    assert refused.code == 2 and "is not the output of a run" in refused.err
    assert out.read_text() == "my thesis\n"


def test_a_program_that_cannot_be_loaded_costs_nothing(
    run: Any, out: Path, keeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from turnkeeper.cli import _behaviours

    run(row("a"))
    before = out.read_bytes()

    def fail(behaviour: str, **options: Any) -> Any:
        raise SetupError("no weights: turnkeeper models pull")

    monkeypatch.setattr(_behaviours, "load_program", fail)
    failed = run(row("a"), options=("--overwrite",))
    assert (failed.code, failed.err) == (2, "turnkeeper: no weights: turnkeeper models pull\n")
    assert out.read_bytes() == before


def test_the_input_as_output_is_refused(cli: Any, write_jsonl: Any, tmp_path: Path, keeper: Any) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", row("a"))
    done = cli("run", "reformulate", "--in", file, "--out", file, "--overwrite")
    assert done.code == 2 and "is the input file" in done.err
    assert file.read_text()


def test_a_risk_level_that_is_none_is_named(run: Any, keeper: Any) -> None:
    done = run(row("a"), options=("--risk-level", "extreme"))
    assert done.code == 2 and "'extreme': must be normal or high" in done.err


def test_progress_elsewhere_is_plain_lines(run: Any, keeper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnkeeper.cli._progress.PLAIN_SECONDS", 0.0)
    done = run(row("a"), row("b"))
    assert "run reformulate: 1/2 rows 0 fallbacks (0 s)" in done.err
    assert "\x1b" not in done.err and "\r" not in done.err
