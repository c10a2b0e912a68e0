"""MTRAG: tasks, with rewrites and relevant passages from the folder beside, and pools."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import mtrag
from turnkeeper.errors import InputError, RowError

from .conftest import Write

ASKED = [
    {"speaker": "user", "text": "Do swifts land?", "metadata": {"author_type": "human"}},
    {"speaker": "agent", "text": "Seldom."},
    {"speaker": "user", "text": "Where do they sleep?"},
]


def task(turn: int, collection: str = "mt-rag-clapnq-elser-512-100-20240503") -> dict[str, Any]:
    return {
        "conversation_id": "c7", "task_id": f"c7<::>{turn}", "Collection": collection, "turn": turn,
        "contexts": [{"document_id": "retrieved"}], "input": ASKED[: 2 * turn - 1], "Multi-Turn": float("nan"),
    }  # fmt: skip


def published(tmp_path: Path, jsonl: Write, *tasks: dict[str, Any]) -> Path:
    folder = tmp_path / "retrieval_tasks" / "clapnq"
    jsonl("retrieval_tasks/clapnq/clapnq_rewrite.jsonl", {"_id": "c7<::>2", "text": "|user|: Where do swifts sleep?"})
    (folder / "qrels").mkdir()
    judged = "query-id\tcorpus-id\tscore\nc7<::>2\tp-1\t1\nc7<::>2\tp-2\t1\nc7<::>2\tp-3\t0\n"
    (folder / "qrels" / "dev.tsv").write_text(judged, encoding="utf-8")
    return jsonl("generation_tasks/reference.jsonl", *tasks)


def test_a_task_has_the_rewrite_and_the_judged_passages(tmp_path: Path, jsonl: Write) -> None:
    first, second = mtrag.read(published(tmp_path, jsonl, task(1), task(2)))
    assert (first.id, first.history, first.rewrite, first.gold_passages) == ("c7<::>1", (), None, ())
    assert (second.query, second.rewrite) == ("Where do they sleep?", "Where do swifts sleep?")
    assert (second.conversation, second.domain, second.gold_passages) == ("c7", "clapnq", ("p-1", "p-2"))
    assert [turn.role for turn in second.history] == ["user", "assistant"]


def test_a_task_file_alone_has_neither(jsonl: Write) -> None:
    (one,) = mtrag.read(jsonl("alone/generation_tasks/reference.jsonl", task(2, "mt-rag-ibmcloud-elser-512-100")))
    assert (one.domain, one.rewrite, one.gold_passages) == ("cloud", None, ())


def test_the_trimmed_lines_hold_it_all(jsonl: Write) -> None:
    row = {
        "task_id": "c7<::>2", "domain": "govt", "turn": 2, "history": [{"role": "user", "content": "Do swifts land?"}],
        "query": "Where do they sleep?", "official_rewrite": None, "gold_passages": ["p-9"],
    }  # fmt: skip
    (one,) = mtrag.read(jsonl("mtrag.jsonl", row))
    assert (one.id, one.conversation, one.domain) == ("c7<::>2", "c7", "govt")
    assert (one.rewrite, one.gold_passages) == (None, ("p-9",))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (task(2, "mt-rag-banking-1"), "field `Collection`: 'mt-rag-banking-1' is of no domain; there is: clapnq"),
        ({**task(2), "input": ASKED[:2]}, "field `input`: the last message must be the user's"),
        ({**task(2), "input": []}, "field `input`:"),
        (task(1), "field `id`: 'c7<::>1' stands on line 1 already"),
    ],
)
def test_a_bad_task_is_named(bad: dict[str, Any], said: str, jsonl: Write) -> None:
    with pytest.raises(RowError, match=rf"reference\.jsonl:2: {said}"):
        list(mtrag.read(jsonl("alone/generation_tasks/reference.jsonl", task(1), bad)))


@pytest.mark.parametrize("name", ["passages_fiqa.jsonl.gz", "passages_fiqa.jsonl", "fiqa.jsonl.gz", "fiqa.jsonl"])
def test_a_pool_is_found_under_each_name(name: str, tmp_path: Path) -> None:
    rows = [{"_id": "p-1", "title": "", "text": "A loan."}, {"_id": "p-2", "text": "A bond.", "url": "u"}]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert [(one.id, one.title, one.text) for one in mtrag.read_pool(tmp_path, "fiqa")] == [
        ("p-1", "", "A loan."), ("p-2", "", "A bond."),
    ]  # fmt: skip


def test_a_pool_without_the_domain_or_with_an_id_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no passages of 'govt'; one of passages_govt\.jsonl\.gz"):
        mtrag.read_pool(tmp_path, "govt")
    (tmp_path / "govt.jsonl").write_text('{"_id": "p", "text": "a"}\n' * 2, encoding="utf-8")
    with pytest.raises(RowError, match=r"govt\.jsonl:2: field `_id`: 'p' stands twice"):
        mtrag.read_pool(tmp_path, "govt")
