"""Each adapter from end to end: compile, gate, evaluate and run, on an LM that answers in the adapter's own format.

The engine says that it takes skeletons, as the embedded one does: only `compact` may send one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.data import reformulate as golden
from turnkeeper.optimized import read_artifact

from ..compiling.reading import all_rows, reading_lm, small_golden
from .conftest import Cli

FORMATS = {
    "compact": ("Answer with one line of JSON", '{"'),
    "chat": ("[[ ## completed ## ]]", "[[ ## "),
    "json": ("Outputs will be a JSON object", '{"'),
}


@pytest.fixture(scope="module")
def golden_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_golden(tmp_path_factory.mktemp("golden"), train=14, dev=6, test=6)


class Seen:
    """What reached the engine, and what it said."""

    def __init__(self, lm: dspy.LM) -> None:
        self.systems: list[str] = []
        self.replies: list[str] = []
        self.requests: list[Any] = []
        engine = lm.engine
        complete, reply = engine.complete, engine.reply

        def watched(request: Any) -> Any:
            self.requests.append(request)
            return complete(request)

        def told(system: str, said: Any) -> str:
            self.systems.append(system)
            self.replies.append(reply(system, said))
            return self.replies[-1]

        engine.supports_skeleton = True
        engine.complete, engine.reply = watched, told

    def in_the_format_of(self, adapter: str) -> None:
        """Every call was in this adapter's format, and a skeleton came with `compact` alone."""
        system, reply = FORMATS[adapter]
        assert self.systems and all(system in text for text in self.systems)
        assert all(text.startswith(reply) for text in self.replies)
        skeletons = [(request.config.extensions or {}).get("skeleton") for request in self.requests]
        assert all(skeletons) if adapter == "compact" else not any(skeletons)
        assert not any("skeleton" in str(request.config) for request in self.requests if adapter != "compact")


@pytest.fixture
def lm(golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Seen]:
    """`lm()` makes the LM of every command from here on; `least` demos it needs to be right."""

    def make(least: int = 1) -> Seen:
        made = reading_lm(all_rows(golden_dir), least=least)
        monkeypatch.setattr("turnkeeper.resolve_lm", lambda *a, **o: made, raising=False)
        return Seen(made)

    return make


def turns(golden_dir: Path, path: Path) -> Path:
    """The test rows as input of `run`."""
    rows = [
        {"id": row.id, "query": row.query, "history": [turn.model_dump() for turn in row.history], "access_scope": None}
        for row in golden.load("test", golden_dir)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("adapter", ["compact", "chat", "json"])
def test_compiled_in_form_referents(
    adapter: str, cli: Cli, lm: Callable[..., Seen], golden_dir: Path, tmp_path: Path
) -> None:
    seen, places = lm(), ("--golden", golden_dir)
    where = ("--form", "referents", "--adapter", adapter, "--out", "programs", "--no-track")
    done = cli("compile", "reformulate", *where, *places)
    assert done.code == 0, done.err
    artifact = Path(done.out.strip())
    manifest = read_artifact(artifact).manifest
    assert (manifest.adapter, manifest.form) == (adapter, "referents")
    assert manifest.metrics["dev"]["mean"] > 0.7 > 0.4 > manifest.metrics["zero_shot"]["mean"]
    assert manifest.metrics["demos"]["referents"] > 0
    seen.in_the_format_of(adapter)

    seen = lm()
    gated = cli("gate", "--programs", "programs", *places, "--live")
    assert gated.code == 0 and "6 with the same text, every score as recorded" in gated.out

    evaluated = cli("evaluate", "reformulate", "--split", "test", "--program", artifact, *places, "--bare", "--json")
    (summary,) = evaluated.rows()
    assert evaluated.code == 0 and summary["errors"] == 0 and summary["form"] == "referents"
    assert summary["components"]["score"]["mean"] == manifest.metrics["test"]["mean"]

    ran = cli("run", "reformulate", "--in", turns(golden_dir, tmp_path / "in.jsonl"), "--out", "out.jsonl",
              "--program", artifact)  # fmt: skip
    assert ran.code == 0, ran.err
    recorded = {e["id"]: e["prediction"]["standalone_query"] for e in manifest.metrics["test_predictions"]}
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    right = [row for row in rows if row["lm_attempts"] == 1 and row["ok"]]  # the guard asks again where a check fails
    assert len(right) >= 4
    assert all(row["prediction"]["standalone_query"] == recorded[row["id"]] for row in right)
    seen.in_the_format_of(adapter)


@pytest.mark.parametrize("adapter", ["compact", "chat", "json"])
def test_zero_shot_in_form_referents(
    adapter: str, cli: Cli, lm: Callable[..., Seen], golden_dir: Path, tmp_path: Path
) -> None:
    seen = lm(least=0)
    shape = ("--program", "zero-shot", "--form", "referents", "--adapter", adapter)
    evaluated = cli("evaluate", "reformulate", "--golden", golden_dir, *shape, "--bare", "--json")
    (summary,) = evaluated.rows()
    assert evaluated.code == 0 and summary["components"]["score"]["mean"] > 0.7 and summary["lm_calls"] == 6
    ran = cli("run", "reformulate", "--in", turns(golden_dir, tmp_path / "in.jsonl"), "--out", "out.jsonl", *shape)
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert ran.code == 0 and sum(row["ok"] and not row["fallback"] for row in rows) >= 4
    seen.in_the_format_of(adapter)


def test_an_answer_in_another_format_is_a_bad_answer_and_one_call(
    cli: Cli, lm: Callable[..., Seen], golden_dir: Path
) -> None:
    seen = lm(least=0)
    seen.requests.clear()
    from turnkeeper import resolve_lm

    resolve_lm().engine.reply = lambda system, said: "I do not know."
    for adapter in FORMATS:
        done = cli("evaluate", "reformulate", "--golden", golden_dir, "--program", "zero-shot", "--adapter", adapter,
                   "--bare", "--json")  # fmt: skip
        (summary,) = done.rows()
        assert summary["errors"] == 0 and summary["components"]["score"]["mean"] == 0.0
    assert len(seen.requests) == 18


@pytest.mark.parametrize("command", ["evaluate", "run"])
def test_an_artifact_of_another_adapter_or_form_is_refused(
    command: str, cli: Cli, lm: Callable[..., Seen], golden_dir: Path, tmp_path: Path
) -> None:
    lm()
    done = cli("compile", "reformulate", "--form", "referents", "--adapter", "chat", "--no-track",
               "--golden", golden_dir, "--out", "programs")  # fmt: skip
    shared = ("--program", done.out.strip())
    files = ("--in", turns(golden_dir, tmp_path / "in.jsonl"), "--out", "out.jsonl")
    where = ("--golden", golden_dir) if command == "evaluate" else files
    refused = cli(command, "reformulate", *where, *shared, "--adapter", "json")
    assert refused.code == 2 and "was compiled with ChatAdapter, not JSONAdapter" in refused.err
    refused = cli(command, "reformulate", *where, *shared, "--form", "rewrite")
    assert refused.code == 2 and "was compiled with referents, not rewrite" in refused.err
    unknown = cli(command, "reformulate", *where, *shared, "--adapter", "magic")
    assert unknown.code == 2 and "must be one of chat, compact, json" in unknown.err


def test_rows_run_through_another_adapter_are_not_mixed(
    cli: Cli, lm: Callable[..., Seen], golden_dir: Path, tmp_path: Path
) -> None:
    lm(least=0)
    shared = ("run", "reformulate", "--in", turns(golden_dir, tmp_path / "in.jsonl"), "--out", "out.jsonl")
    assert cli(*shared, "--program", "zero-shot", "--adapter", "chat").code == 0
    other = cli(*shared, "--program", "zero-shot", "--adapter", "json")
    assert other.code == 2 and "holds rows of another run: adapter was 'chat', now 'json'" in other.err
