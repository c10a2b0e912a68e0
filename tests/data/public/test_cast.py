"""TREC CAsT: the formats of four years."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.public import cast
from turnkeeper.errors import RowError

from .conftest import Write

TOPIC_2019 = {
    "number": 31, "title": "kites", "turn": [
        {"number": 1, "raw_utterance": "Who made the first kite? "}, {"number": 2, "raw_utterance": "How big was it?"},
    ],
}  # fmt: skip
TOPIC_2021 = {
    "number": 110, "turn": [
        {"number": 1, "raw_utterance": "Are newts shy?", "manual_rewritten_utterance": "Are newts shy?",
         "passage": "They hide by day.", "canonical_result_id": "X_1", "passage_id": 0},
        {"number": 2, "raw_utterance": "Where?", "manual_rewritten_utterance": "Where do newts hide?", "passage": ""},
    ],
}  # fmt: skip


def path_2022(*turns: tuple[str, str]) -> dict[str, Any]:
    said = [
        {"number": n, "utterance": u, "manual_rewritten_utterance": f"{u} (alone)", "response": f"Reply {n}."}
        for n, u in turns
    ]
    return {"number": 140, "turn": said}


def test_2019_reads_its_rewrites_from_the_table_beside(array: Write) -> None:
    path = array("evaluation_topics_v1.0.json", TOPIC_2019)
    table = path.with_name("evaluation_topics_annotated_resolved_v1.0.tsv")
    table.write_text("31_1\tWho made the first kite?\n31_2\tHow big was the first kite?\n", encoding="utf-8")
    first, second = cast.read(path)
    assert (first.id, second.id, second.conversation) == ("cast19_31_1", "cast19_31_2", "cast19_31")
    assert (first.query, second.rewrite) == ("Who made the first kite?", "How big was the first kite?")
    assert [turn.role for turn in second.history] == ["user"]


def test_2019_alone_has_no_rewrites(array: Write) -> None:
    assert [turn.rewrite for turn in cast.read(array("topics_v1.0.json", TOPIC_2019))] == [None, None]


def test_a_resolved_utterance_that_stands_twice_is_named(array: Write) -> None:
    path = array("evaluation_topics_v1.0.json", TOPIC_2019)
    path.with_name("evaluation_topics_annotated_resolved_v1.0.tsv").write_text("31_1\ta\n31_1\tb\n", encoding="utf-8")
    with pytest.raises(RowError, match=r"resolved_v1\.0\.tsv:2: .*'31_1' stands twice"):
        list(cast.read(path))


def test_2021_replies_with_passages(array: Write) -> None:
    first, second = cast.read(array("2021_manual_evaluation_topics_v1.0.json", TOPIC_2021))
    assert (first.id, second.id) == ("cast21_110_1", "cast21_110_2")
    assert [turn.content for turn in second.history] == ["Are newts shy?", "They hide by day."]
    assert second.rewrite == "Where do newts hide?"


def test_2022_gives_a_shared_turn_once_with_the_first_history(array: Write) -> None:
    shared = ("1-1", "What is a weir?")
    path = array("flat.json", path_2022(shared, ("1-3", "And a lock?")), path_2022(shared, ("2-1", "Is it old?")))
    rows = list(cast.read(path))
    assert [row.id for row in rows] == ["cast22_140_1-1", "cast22_140_1-3", "cast22_140_2-1"]
    assert [turn.content for turn in rows[2].history] == ["What is a weir?", "Reply 1-1."]
    assert rows[2].rewrite == "Is it old? (alone)"


def test_2022_paths_that_disagree_are_named(array: Write) -> None:
    path = array("flat.json", path_2022(("1-1", "What is a weir?")), path_2022(("1-1", "What is a lock?")))
    with pytest.raises(RowError, match=r"field `\[1\]\.turn`: cast22_140_1-1 has other words"):
        list(cast.read(path))


def test_the_trimmed_lines_keep_the_conversation(jsonl: Write) -> None:
    path = jsonl("cast.jsonl", {"id": "cast22_140_2-1", "history": [], "query": "Is it old?", "human_rewrite": "x"})
    assert [(row.id, row.conversation) for row in cast.read(path)] == [("cast22_140_2-1", "cast22_140")]


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ({**TOPIC_2019, "number": 150}, r"field `\[0\]\.number`: 150 is no topic"),
        ({"number": 31, "turn": [{"number": 1}]}, r"field `\[0\]\.turn\.0\.raw_utterance`: is missing"),
        ({"number": 31}, r"field `\[0\]\.turn`: is missing"),
    ],
)
def test_a_bad_topic_is_named(topic: dict[str, Any], said: str, array: Write, tmp_path: Path) -> None:
    with pytest.raises(RowError, match=said):
        list(cast.read(array("topics.json", topic)))
