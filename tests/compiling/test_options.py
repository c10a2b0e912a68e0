"""Options: what may be asked for, and the rows that a compile works on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.compiling import CompileOptions, Limits
from turnkeeper.compiling.options import dev_rows, lm_label
from turnkeeper.data import reformulate as golden
from turnkeeper.errors import InputError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"behaviour": "magic"}, "reformulate"),
        ({"optimizer": "magic"}, "labeled"),
        ({"form": "magic"}, "referents, rewrite"),
        ({"adapter": "magic"}, "compact"),
        ({"budget": "magic"}, "light, medium, heavy"),
        ({"slug": "../up"}, "--slug"),
        ({"candidates": 0}, "--candidates 0"),
        ({"golden": Path("no/such/folder")}, "no/such/folder"),
    ],
)
def test_a_wrong_option_names_what_there_is(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CompileOptions(**changes).validated()


def test_auto_is_every_form_and_three_adapters() -> None:
    options = CompileOptions()
    assert options.forms(options.validated()) == ("referents", "rewrite")
    assert options.adapters() == ("compact", "chat", "json")


def test_a_small_dev_set_holds_every_kind_it_can() -> None:
    rows = golden.load("dev")
    chosen = dev_rows(rows, CompileOptions(budget="light"))
    assert len(chosen) == 32
    assert len({row.kind for row in chosen}) == min(32, len({row.kind for row in rows}))


def test_the_dev_rows_do_not_depend_on_the_seed() -> None:
    rows = golden.load("dev")
    assert dev_rows(rows, CompileOptions(seed=1)) == dev_rows(rows, CompileOptions(seed=2))


def test_few_calls_mean_fewer_rows_so_that_three_programs_are_scored() -> None:
    assert len(dev_rows(golden.load("dev"), CompileOptions(limits=Limits(calls=60)))) == 20


def test_heavy_takes_all_rows() -> None:
    rows = golden.load("dev")
    assert dev_rows(rows, CompileOptions(budget="heavy")) == rows


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("llama-cpp/qwen2.5-coder-1.5b-q4_k_m@sha256:cc324af0", "qwen2.5-coder-1.5b-q4_k_m"),
        ("openai/gpt-4o-mini", "openai-gpt-4o-mini"),
        ("hosted_vllm/Org/Model:v1", "hosted_vllm-org-model-v1"),
    ],
)
def test_a_model_string_becomes_a_file_name(model: str, label: str) -> None:
    assert lm_label(model) == label


def test_the_journal_is_found_again_by_the_same_command() -> None:
    path = CompileOptions(seed=3).journal_for("openai/gpt-4o-mini")
    assert path == Path(".turnkeeper/reformulate-openai-gpt-4o-mini-labeled-3.journal.jsonl")
