"""Golden rows of reformulate: the reader names what is wrong, demos are complete."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.reformulate import Asked, Demo, GoldenRow, bare_referent, contains, digest, load, to_demos
from turnkeeper.errors import InputError, RowError
from turnkeeper.signatures.types import Turn

GOOD: dict[str, Any] = {
    "id": "a-1",
    "kind": "pronoun_thing",
    "domain": "retail",
    "language": "en",
    "family": "a",
    "history": [{"role": "user", "content": "Do you sell the Aldra lamp?"}],
    "query": "Is it dimmable?",
    "access_scope": None,
    "gold": {
        "standalone_query": "Is the Aldra lamp dimmable?",
        "action": "rewrite",
        "resolved_references": [{"mention": "it", "referent": "the Aldra lamp", "turn": 0}],
        "acceptable": [],
        "must_contain": ["Aldra"],
        "must_not_contain": ["it"],
    },
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def with_gold(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "gold": {**GOOD["gold"], **fields}}


def test_a_good_row_loads(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, GOOD))
    assert row.history == (Turn(role="user", content="Do you sell the Aldra lamp?"),)


def test_an_unknown_split_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no split 'val'; there is: train, dev, test"):
        load("val")


BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("a field too many", {**GOOD, "note": "x"}, "note", "unknown; there is: id, kind"),
    ("a field too many inside", with_gold(note="x"), "gold.note", "Extra inputs"),
    ("a field missing", {k: v for k, v in GOOD.items() if k != "family"}, "family", "is missing"),
    ("no scope, not even null", {k: v for k, v in GOOD.items() if k != "access_scope"}, "access_scope", "is missing"),
    ("an unknown action", with_gold(action="skip"), "gold.action", "'rewrite'"),
    ("unchanged yet changed", with_gold(action="unchanged"), "gold.standalone_query", "differs from the query"),
    ("nothing to look for", with_gold(must_contain=[]), "gold.must_contain", "at least 1 item"),
    ("a gold without its own phrase", with_gold(must_contain=["Brona"]), "gold.must_contain", "'Brona' is missing"),
    ("a gold with its distractor", with_gold(must_not_contain=["LAMP"]), "gold.must_not_contain", "'LAMP' stands in"),
    ("an acceptable one with it", with_gold(acceptable=["Is it Aldra?"]), "gold.must_not_contain", "'it' stands in"),
]


@pytest.mark.parametrize(("row", "field", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_row_names_file_line_and_field(row: dict[str, Any], field: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(RowError, match=re.escape(says)) as caught:
        load("train", written(tmp_path, {**GOOD, "id": "first"}, row))
    assert (caught.value.line, caught.value.field) == (2, field)


@pytest.mark.parametrize(
    ("reference", "field"),
    [
        ({"mention": "she", "referent": "the Aldra lamp", "turn": 0}, "mention"),
        ({"mention": "it", "referent": "the Aldra lamp", "turn": 1}, "turn"),
        ({"mention": "it", "referent": "the Brona lamp", "turn": 0}, "referent"),
        ({"mention": "it", "referent": "the Aldra lamp", "turn": None}, "referent"),
    ],
)
def test_a_reference_to_nothing_is_named(reference: dict[str, Any], field: str, tmp_path: Path) -> None:
    with pytest.raises(RowError) as caught:
        load("train", written(tmp_path, with_gold(resolved_references=[reference])))
    assert caught.value.field == f"gold.resolved_references.0.{field}"


def test_the_digest_minds_words_and_not_the_order_of_fields(tmp_path: Path) -> None:
    first = digest("train", written(tmp_path, GOOD))
    assert digest("train", written(tmp_path, dict(reversed(GOOD.items())))) == first
    assert digest("train", written(tmp_path, {**GOOD, "query": "Is it dimmable??"})) != first


def test_a_referent_may_bring_its_own_article_and_preposition(tmp_path: Path) -> None:
    reference = {"mention": "it", "referent": "at an Aldra lamp", "turn": 0}
    (row,) = load("train", written(tmp_path, with_gold(resolved_references=[reference])))
    assert bare_referent(row.gold.resolved_references[0].referent) == "Aldra lamp"


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("The IT desk", "it", True),
        ("a kitten", "it", False),
        ("青岚的价格", "价格", True),
        ("Cafe\u0301 Ost", "café", True),
    ],
)
def test_phrases_are_found_at_word_boundaries_except_in_scripts_without_spaces(
    text: str, phrase: str, found: bool
) -> None:
    assert contains(text, phrase) is found


# Demos


def asks(asked: Asked) -> Any:
    def ask(history: Sequence[Turn], query: str, form: str) -> Asked:
        return asked

    return ask


ROW = GoldenRow.model_validate(GOOD)


def test_a_rewrite_demo_is_complete() -> None:
    (demo,) = to_demos(ROW, "rewrite", asks(Asked("rewrite", "user: Do you sell the Aldra lamp?")))
    assert demo.predictor == "rewrite" and demo.fields == {
        "history": "user: Do you sell the Aldra lamp?",
        "query": "Is it dimmable?",
        "correction_feedback": "",
        "standalone_query": "Is the Aldra lamp dimmable?",
    }


def test_a_referents_demo_is_complete() -> None:
    (demo,) = to_demos(ROW, "referents", asks(Asked("referents", "h", ("it",))))
    assert demo == Demo(
        "referents",
        {
            "history": "h",
            "query": "Is it dimmable?",
            "correction_feedback": "",
            "mentions": ["it"],
            "referents": [{"mention": "it", "referent": "the Aldra lamp"}],
        },
    )


@pytest.mark.parametrize("predictor", ["referents", "rewrite"])
def test_a_demo_has_exactly_the_fields_of_the_signature(predictor: Any) -> None:
    from turnkeeper.signatures.reformulate_forms import ResolveReferents, RewriteQuery

    signature = {"referents": ResolveReferents, "rewrite": RewriteQuery}[predictor]
    (demo,) = to_demos(ROW, "referents", asks(Asked(predictor, "h", ("it",))))
    assert set(demo.fields) == set(signature.fields)


@pytest.mark.parametrize("asked", [Asked("nothing", "h"), Asked("referents", "h", ("they",)), Asked("referents", "h")])
def test_there_is_no_demo_where_nothing_is_asked_or_the_gold_does_not_say(asked: Asked) -> None:
    assert to_demos(ROW, "referents", asks(asked)) == []


def test_a_mention_cut_shorter_than_the_gold_takes_its_referent() -> None:
    reference = {"mention": "that lamp", "referent": "the Aldra lamp", "turn": 0}
    row = GoldenRow.model_validate({**with_gold(resolved_references=[reference]), "query": "Is that lamp dimmable?"})
    (demo,) = to_demos(row, "referents", asks(Asked("referents", "h", ("that",))))
    assert demo.fields["referents"] == [{"mention": "that", "referent": "the Aldra lamp"}]
