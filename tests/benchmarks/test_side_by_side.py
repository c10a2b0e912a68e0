"""`benchmarks/side_by_side.py`: every approach sees the same turns, nothing is asked twice, no failure is hidden."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dspy import lm15

NAMES = [
    "copy", "chat-roles", "one-message", "dspy-chat", "dspy-json", "dspy-demos-chat", "dspy-demos-json",
    "turnkeeper-zero-shot", "turnkeeper-bare", "turnkeeper-guarded",
]  # fmt: skip
RESOLVED = "Is the Orvane kettle loud?"
HISTORY = [
    {"role": "user", "content": "Tell me about the Orvane kettle."},
    {"role": "assistant", "content": "It boils a litre in two minutes."},
]


def task(name: str, query: str = "Is it loud?", **more: Any) -> dict[str, Any]:
    return {"id": name, "history": HISTORY, "query": query, "human_rewrite": RESOLVED, "family": name, **more}


def text_of(request: Any) -> str:
    return "\n".join([request.system or "", *(message.text or "" for message in request.messages)])


def answer(request: Any) -> str:
    """Answer in the format that the prompt asks for, as a model that always knows the referent would."""
    prompt = text_of(request)
    if '"referents"' in (request.system or ""):
        return json.dumps({"referents": [{"mention": "it", "referent": "the Orvane kettle"}]})
    if "JSON object" in prompt:
        return json.dumps({"standalone_query": RESOLVED})
    if "[[ ## completed ## ]]" in prompt:
        return f"[[ ## standalone_query ## ]]\n{RESOLVED}\n\n[[ ## completed ## ]]"
    return RESOLVED


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("side_by_side")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def compare(bench: Any, tmp_path: Path, out: Path, repository: Path) -> Callable[..., int]:
    """`compare(lm, task, ..., options=[...])` writes the turns and runs the benchmark with the shipped program."""
    (shipped,) = (repository / "optimized" / "reformulate").glob("*labeled.json")

    def call(lm: Any, *tasks: dict[str, Any], options: tuple[str, ...] = ()) -> int:
        source = tmp_path / "tasks.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in tasks), encoding="utf-8")
        given = ["--tasks", str(source), "--out", str(out), "--program", str(shipped), *options]
        return int(bench.main(given, lm=lm))

    return call


def rows_of(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = {(row["approach"], row["id"]): row for row in rows}
    assert len(found) == len(rows), "a row stands there twice"
    return found


def line_of(printed: str, title: str) -> list[str]:
    (line,) = [line for line in printed.splitlines() if line.startswith(f"| {title} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_approach_answers_every_turn_with_one_call(
    compare: Any, scripted_lm: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lm = scripted_lm(*[answer] * 18)
    assert compare(lm, task("a"), task("b")) == 0
    rows = rows_of(out)
    assert list(rows) == [(name, turn) for name in NAMES for turn in ("a", "b")]
    assert {row["prediction"] for (name, _), row in rows.items() if name != "copy"} == {RESOLVED}
    assert rows["copy", "a"]["prediction"] == "Is it loud?" and rows["copy", "a"]["calls"] == 0
    assert {row["calls"] for (name, _), row in rows.items() if name != "copy"} == {1}
    assert len([line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]) == len(NAMES) + 3


def test_calls_and_tokens_are_those_that_reached_the_engine(compare: Any, scripted_lm: Any, out: Path) -> None:
    lm = scripted_lm(*[answer] * 9)
    compare(lm, task("a"))
    rows = [row for row in rows_of(out).values() if row["approach"] != "copy"]
    assert [row["prompt_tokens"] for row in rows] == [len(text_of(r).split()) for r in lm.engine.requests]
    assert [row["answer_tokens"] for row in rows] == [len(answer(r).split()) for r in lm.engine.requests]


def test_all_see_the_same_cut_of_the_history(compare: Any, scripted_lm: Any) -> None:
    early = [{"role": "user", "content": "How old is the Quillmarsh bridge?"}]
    long = {"role": "assistant", "content": " ".join(f"word{n}" for n in range(300))}
    middle = [{"role": "user", "content": "Go on."}, long, {"role": "user", "content": "And then?"}, long]
    lm = scripted_lm(*[answer] * 9)
    compare(lm, task("a", "Is it older than the Quillmarsh one?", history=[*early, *middle, *HISTORY]))
    prompts = [text_of(request) for request in lm.engine.requests]
    assert len(prompts) >= 8
    for prompt in prompts:
        assert "word59" in prompt and "word60" not in prompt
        assert "How old is" not in prompt and "boils a litre" in prompt


def test_the_history_is_replayed_as_roles_or_quoted_in_one_message(compare: Any, scripted_lm: Any) -> None:
    lm = scripted_lm(*[answer] * 2)
    compare(lm, task("a"), options=("--approaches", "chat-roles,one-message"))
    roles, quoted = lm.engine.requests
    assert [message.role for message in roles.messages] == ["user", "assistant", "user"]
    assert roles.messages[-1].text == "Is it loud?"
    assert [message.role for message in quoted.messages] == ["user"]
    assert "assistant: It boils a litre in two minutes." in quoted.messages[0].text
    assert {(r.config.temperature, r.config.max_tokens) for r in (roles, quoted)} == {(0.0, 120)}


def test_dspy_gets_the_demos_of_the_compiled_free_rewrite_and_120_tokens(compare: Any, scripted_lm: Any) -> None:
    lm = scripted_lm(*[answer] * 4)
    compare(lm, task("a"), options=("--approaches", "dspy-chat,dspy-json,dspy-demos-chat,dspy-demos-json"))
    shots = [sum(m.role == "assistant" for m in request.messages) for request in lm.engine.requests]
    assert shots == [0, 0, 13, 13]
    assert all("What does a mooring buoy cost in Port Arle?" in text_of(r) for r in lm.engine.requests[2:])
    assert {request.config.max_tokens for request in lm.engine.requests} == {120}


@pytest.mark.parametrize(
    ("name", "title", "calls"),
    [("dspy-chat", "DSPy Predict, zero-shot, ChatAdapter", 2), ("dspy-json", "DSPy Predict, zero-shot, JSONAdapter", 1),
     ("turnkeeper-bare", "turnkeeper, compiled, bare", 1), ("turnkeeper-guarded", "turnkeeper, compiled, guarded", 2)],
)  # fmt: skip
def test_an_unparsable_reply_is_a_counted_fallback_to_the_raw_query(
    name: str, title: str, calls: int, compare: Any, scripted_lm: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lm = scripted_lm(*["I cannot say."] * calls, answer)
    assert compare(lm, task("a"), task("b"), options=("--approaches", name)) == 0
    rows = rows_of(out)
    failed, fine = rows[name, "a"], rows[name, "b"]
    assert (failed["prediction"], failed["fallback"], failed["error"]) == ("Is it loud?", True, None)
    assert (failed["calls"], fine["fallback"], fine["prediction"]) == (calls, False, RESOLVED)
    printed = capsys.readouterr().out
    assert line_of(printed, title)[1] == "50.0" and line_of(printed, "copy of the raw query")[1] == "–"


def test_an_empty_reply_and_too_long_a_prompt_are_fallbacks_too(compare: Any, scripted_lm: Any, out: Path) -> None:
    lm = scripted_lm("  \n", lm15.ContextLengthError("5000 tokens"))
    assert compare(lm, task("a"), task("b"), options=("--approaches", "one-message")) == 0
    for turn in ("a", "b"):
        row = rows_of(out)["one-message", turn]
        assert (row["prediction"], row["fallback"], row["error"]) == ("Is it loud?", True, None)


@pytest.mark.parametrize("name", ["one-message", "dspy-json", "turnkeeper-bare", "turnkeeper-guarded"])
def test_an_outage_is_told_and_asked_again(
    name: str, compare: Any, scripted_lm: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--approaches", name)
    lm = scripted_lm(answer, lm15.TimeoutError("too slow"), answer)
    assert compare(lm, task("a"), task("b"), options=only) == 1
    assert rows_of(out)[name, "b"]["error"] == "LMTimeoutError"
    assert "the LM failed on 1 turns" in capsys.readouterr().out
    assert compare(lm, task("a"), task("b"), options=only) == 0
    assert rows_of(out)[name, "b"]["prediction"] == RESOLVED and lm.engine.calls == 3


def test_a_second_run_asks_nothing_and_prints_the_same(
    compare: Any, scripted_lm: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lm = scripted_lm(*[answer] * 18)
    compare(lm, task("a"), task("b"))
    first, kept = capsys.readouterr(), out.read_bytes()
    assert compare(lm, task("a"), task("b")) == 0
    again = capsys.readouterr()
    assert (lm.engine.calls, out.read_bytes(), again.out) == (18, kept, first.out)
    assert "reused 20 of 20 rows" in again.err


def test_a_changed_turn_and_a_torn_line_are_asked_again_and_no_other(compare: Any, scripted_lm: Any, out: Path) -> None:
    lm = scripted_lm(*[answer] * 3, answer, answer)
    only = ("--approaches", "one-message")
    compare(lm, task("a"), task("b"), task("c"), options=only)
    text = out.read_text(encoding="utf-8")
    out.write_text(text[:-20], encoding="utf-8")  # c is the last row
    compare(lm, task("a"), task("b", "Is it heavy?"), task("c"), options=only)
    assert ["Is it heavy?" in text_of(request) for request in lm.engine.requests[3:]] == [True, False]
    assert set(rows_of(out)) == {(name, turn) for name in ("copy", "one-message") for turn in "abc"}


def test_a_changed_prompt_is_asked_again(compare: Any, scripted_lm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = scripted_lm(*[answer] * 3)
    both = ("--approaches", "chat-roles,one-message")
    compare(lm, task("a"), options=both)
    monkeypatch.setattr(importlib.import_module("_approaches"), "ONE_MESSAGE", "Make it one question.")
    compare(lm, task("a"), options=both)
    assert [request.system for request in lm.engine.requests[2:]] == ["Make it one question."]


def test_ctrl_c_keeps_what_is_done(compare: Any, scripted_lm: Any, out: Path) -> None:
    def stop(request: Any) -> str:
        raise KeyboardInterrupt

    lm = scripted_lm(answer, stop, answer)
    only = ("--approaches", "one-message")
    assert compare(lm, task("a"), task("b"), options=only) == 130
    assert ("one-message", "a") in rows_of(out) and ("one-message", "b") not in rows_of(out)
    assert compare(lm, task("a"), task("b"), options=only) == 0
    assert lm.engine.calls == 3


def test_rows_of_another_program_are_not_overwritten(
    compare: Any, scripted_lm: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--approaches", "one-message")
    compare(scripted_lm(answer), task("a"), options=only)
    assert compare(scripted_lm(answer), task("a"), options=only) == 2
    assert "holds rows of another run: model was" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--approaches", "one-message,cpoy"), "no approach 'cpoy'"),
        (("--rows", "2"), "1 of 1 rows can be compared"),
        (("--program", "auto"), "no compiled program for scripted/"),
    ],
)
def test_bad_options_are_named(
    options: tuple[str, ...], message: str, compare: Any, scripted_lm: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(scripted_lm(), task("a"), options=options) == 2
    assert message in capsys.readouterr().err


def test_it_runs_from_the_root_of_the_repository(repository: Path, tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/side_by_side.py", "--tasks", "absent.jsonl", "--out", str(tmp_path / "o")]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "absent.jsonl: cannot be read" in done.stderr
