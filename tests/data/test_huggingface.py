"""The datasets view says what the JSONL says."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import turnkeeper.data
from turnkeeper.data import carry_forward, cite, expand
from turnkeeper.data import reformulate as golden
from turnkeeper.errors import InputError, SetupError


def test_the_view_holds_every_row_in_order() -> None:
    pytest.importorskip("datasets", reason="needs pip install 'turnkeeper[compile]'")
    rows, view = golden.load("dev"), turnkeeper.data.load("reformulate", "dev")
    assert list(view["id"]) == [row.id for row in rows]
    scopes = [json.loads(text) if text else None for text in view["access_scope"]]
    assert scopes == [row.access_scope.model_dump(mode="json") if row.access_scope else None for row in rows]
    assert view[3]["gold"] == rows[3].gold.model_dump(mode="json")


def test_the_view_of_expand_holds_every_row_and_its_domain_context_as_text() -> None:
    pytest.importorskip("datasets", reason="needs pip install 'turnkeeper[compile]'")
    rows, view = expand.load("dev"), turnkeeper.data.load("expand", "dev")
    contexts = [json.loads(text) if text else None for text in view["domain_context"]]
    assert contexts == [row.domain_context.model_dump(mode="json") if row.domain_context else None for row in rows]
    assert view[3]["gold"] == rows[3].gold.model_dump(mode="json")


def test_the_view_of_cite_holds_every_row_and_its_metadata_as_text() -> None:
    pytest.importorskip("datasets", reason="needs pip install 'turnkeeper[compile]'")
    rows, view = cite.load("dev"), turnkeeper.data.load("cite", "dev")
    assert view[3]["gold"] == rows[3].gold.model_dump(mode="json")
    assert [shown is None for shown in view["context"]] == [row.context is None for row in rows]
    held = [[json.loads(e["metadata"] or "{}") for e in registry["entries"]] for registry in view["registry"]]
    assert held == [[entry.metadata for entry in row.registry.entries] for row in rows]


def test_the_view_of_carry_forward_holds_every_row_with_its_ledger() -> None:
    pytest.importorskip("datasets", reason="needs pip install 'turnkeeper[compile]'")
    rows, view = carry_forward.load("dev"), turnkeeper.data.load("carry_forward", "dev")
    assert view[3]["gold"] == rows[3].gold.model_dump(mode="json")
    held = [[entry["question"] for entry in ledger] for ledger in view["ledger"]]
    assert held == [[entry.question for entry in row.ledger] for row in rows]


def in_columns(value: Any) -> Any:
    """A dumped row as the columns hold it: what has other keys in every row is text."""
    if isinstance(value, list):
        return [in_columns(each) for each in value]
    if not isinstance(value, dict):
        return value
    as_text = ("access_scope", "domain_context", "metadata")
    return {
        name: (json.dumps(held, sort_keys=True) if held else "") if name in as_text else in_columns(held)
        for name, held in value.items()
    }


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("module", [golden, expand, cite, carry_forward])
def test_every_field_of_every_row_is_in_the_view(module: Any, split: str) -> None:
    pytest.importorskip("datasets", reason="needs pip install 'turnkeeper[compile]'")
    view = turnkeeper.data.load(module.__name__.rpartition(".")[2], split)
    rows = module.load(split)
    assert len(view) == len(rows) > 40
    assert list(view) == [in_columns(row.model_dump(mode="json")) for row in rows]


def test_importing_the_package_is_enough_and_loads_no_datasets() -> None:
    code = (
        "import sys, turnkeeper; load = turnkeeper.data.load; print('datasets' in sys.modules); print(load.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False", "turnkeeper.data.huggingface"], done.stderr


def test_an_unknown_set_or_split_lists_the_known() -> None:
    with pytest.raises(InputError, match="reformulate"):
        turnkeeper.data.load("magic", "dev")
    with pytest.raises(InputError, match="train, dev, test"):
        turnkeeper.data.load("reformulate", "magic")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(SetupError, match=r"turnkeeper\[compile\]"):
        turnkeeper.data.load("reformulate", "dev")
