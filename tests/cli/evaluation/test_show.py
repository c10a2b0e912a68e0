"""`turnkeeper show`: what a program sends, without an LM."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.lms.counting import Counter
from turnkeeper.optimized import Artifact

from ...evaluation.conftest import ROWS, write_rows
from ..conftest import Cli


def show(cli: Cli, golden_dir: Path, *options: object) -> Any:
    return cli("show", "reformulate", "--golden", golden_dir, *options)


def test_show_gives_the_messages_of_a_row_without_an_lm(cli: Cli, golden_dir: Path) -> None:
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1")
    assert done.code == 0 and "row r1, predictor referents" in done.out and "Query: Does it whistle?" in done.out
    assert '[assistant, prefilled]\n{"referents": [{"mention": "it", "referent": "…"}]}' in done.out


def test_show_as_json(cli: Cli, golden_dir: Path) -> None:
    (said,) = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1", "--json").rows()
    assert [m["role"] for m in said["messages"]] == ["system", "user"] and said["row"] == "r1"


def test_show_diff_gives_what_differs(cli: Cli, golden_dir: Path, artifact: Artifact) -> None:
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1", "--diff", artifact.path)
    assert "-row r1, predictor referents" in done.out and "+row r1, predictor rewrite" in done.out


def test_show_diff_of_the_same(cli: Cli, golden_dir: Path) -> None:
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1", "--diff", "zero-shot")
    assert done.out == "" and "no difference" in done.err


def test_show_names_a_row_that_is_not_there(cli: Cli, golden_dir: Path) -> None:
    assert show(cli, golden_dir, "--program", "zero-shot", "--row", "r99").code == 2


def test_show_says_when_rules_suffice(cli: Cli, golden_dir: Path, tmp_path: Path) -> None:
    thanks = ROWS[0].gold.model_copy(
        update={"standalone_query": "Thanks!", "action": "unchanged", "must_contain": ("thanks",)}
    )
    write_rows(golden_dir, [ROWS[0].model_copy(update={"query": "Thanks!", "gold": thanks})])
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r0")
    assert done.out == "" and "rules suffice" in done.err


class Words:
    """A tokenizer of words, with the messages and the prefilled text as it was given them."""

    def __call__(self, messages: Any, fixed: Any) -> int:
        return sum(len(text.split()) for text in (*(text for _, text in messages), *fixed))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Counter | None], None]:
    return lambda counter: monkeypatch.setattr("turnkeeper.lms.counting.counter_of", lambda spec, model: counter)


def test_show_says_how_many_tokens_a_call_has(cli: Cli, golden_dir: Path, counted: Any) -> None:
    counted(Counter(Words(), False, "the tokenizer of tiny.gguf"))
    asked = ("--program", "zero-shot", "--row", "r1")
    (said,) = show(cli, golden_dir, *asked, "--json").rows()
    words = sum(len(m["content"].split()) for m in said["messages"])
    assert said["tokens"] > words and said["tokens_estimated"] is False, "the prefilled text counts, too"
    done = show(cli, golden_dir, *asked)
    assert f"row r1, predictor referents, {said['tokens']} tokens\n" in done.out
    assert "counted by the tokenizer of tiny.gguf" in done.err


def test_show_calls_an_estimate_one(cli: Cli, golden_dir: Path, counted: Any) -> None:
    counted(Counter(Words(), True, "LiteLLM"))
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1")
    assert "tokens (estimate)" in done.out and "counted by LiteLLM" in done.err


def test_show_diff_gives_the_tokens_of_both(cli: Cli, golden_dir: Path, artifact: Artifact, counted: Any) -> None:
    counted(Counter(Words(), False, "words"))
    done = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1", "--diff", artifact.path)
    assert re.search(r"zero-shot: referents \d+ tokens; .*tiny\.json: rewrite \d+ tokens", done.err)


def test_show_without_anything_to_count_by_shows_the_messages(cli: Cli, golden_dir: Path, counted: Any) -> None:
    counted(None)
    (said,) = show(cli, golden_dir, "--program", "zero-shot", "--row", "r1", "--json").rows()
    assert said["tokens"] is None and said["messages"]
