"""Golden rows of expand: the reader names what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.expand import GoldenRow, digest, load
from turnkeeper.errors import InputError, RowError
from turnkeeper.signatures.types import Exclusion

GOOD: dict[str, Any] = {
    "id": "a-1",
    "kind": "carried",
    "domain": "retail",
    "language": "en",
    "family": "a",
    "history": [
        {"role": "user", "content": "Garden tables, no plastic please"},
        {"role": "assistant", "content": "The Aldra and the Brona are made of teak."},
    ],
    "query": "which is larger",
    "standalone_query": "which garden table is larger, the Aldra or the Brona",
    "domain_context": {"aliases": {"plastic": ["resin"]}},
    "gold": {
        "expanded_query": "which garden table is larger, the Aldra or the Brona size dimensions",
        "negation_constraints": ["plastic"],
        "expansion_terms_added": ["size", "dimensions"],
        "acceptable_terms": ["measure"],
        "relevant_terms": ["cm", "width"],
    },
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def with_gold(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "gold": {**GOOD["gold"], **fields}}


def with_query(text: str) -> dict[str, Any]:
    return with_gold(expanded_query=text, expansion_terms_added=[])


def test_a_good_row_loads(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, GOOD))
    assert row.gold.negation_constraints == ("plastic",)
    assert row.exclusions is None and row.gold.vague is False


def test_a_state_may_be_carried(tmp_path: Path) -> None:
    carried = {**GOOD, "history": [], "exclusions": [{"phrase": "plastic", "cue": "no"}]}
    (row,) = load("train", written(tmp_path, carried))
    assert row.exclusions == (Exclusion(phrase="plastic", cue="no"),)


def test_a_row_needs_no_terms(tmp_path: Path) -> None:
    gold = {"expanded_query": "which is larger", "negation_constraints": [], "expansion_terms_added": []}
    (row,) = load("train", written(tmp_path, {**GOOD, "gold": gold}))
    assert row.gold.relevant_terms == ()


def test_an_unknown_split_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no split 'val'; there is: train, dev, test"):
        load("val")


BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("a field too many", {**GOOD, "note": "x"}, "note", "unknown; there is: id, kind"),
    ("a field too many inside", with_gold(note="x"), "gold.note", "Extra inputs"),
    ("a field missing", {k: v for k, v in GOOD.items() if k != "family"}, "family", "is missing"),
    (
        "no constraints, not even none",
        {**GOOD, "gold": {"expanded_query": "x", "expansion_terms_added": []}},
        "gold.negation_constraints",
        "is missing",
    ),
    ("nine added terms", with_gold(expansion_terms_added=list("abcdefghi")), "gold.expansion_terms_added", "at most 8"),
    ("an exclusion of nobody", with_gold(negation_constraints=["steel"]), "gold.negation_constraints", "nobody said"),
    ("half a word of the user", with_gold(negation_constraints=["plast"]), "gold.negation_constraints", "nobody said"),
    (
        "a term that is not added",
        with_gold(expansion_terms_added=["extent"]),
        "gold.expansion_terms_added",
        "is not in the expanded query",
    ),
    (
        "a term that was there",
        with_gold(expansion_terms_added=["garden table"]),
        "gold.expansion_terms_added",
        "stands in the query already",
    ),
    (
        "a relevant word that was there",
        with_gold(relevant_terms=["cm", "Larger"]),
        "gold.relevant_terms",
        "stands in the query already",
    ),
    ("the excluded phrase", with_query("larger garden table, not PLASTIC"), "gold.expanded_query", "'plastic' stands"),
    ("its other name", with_query("larger resin table"), "gold.expanded_query", "'resin' stands"),
    ("a term that leaks", with_gold(acceptable_terms=["plastic-free"]), "gold.acceptable_terms", "'plastic' stands"),
    ("a relevant word that leaks", with_gold(relevant_terms=["resin"]), "gold.relevant_terms", "'resin' stands"),
    (
        "a turn that is not there",
        {**GOOD, "exclusions": [{"phrase": "plastic", "turn": 2}]},
        "exclusions.0.turn",
        "2 is no index into 2 messages",
    ),
]


@pytest.mark.parametrize(("row", "field", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_row_names_file_line_and_field(row: dict[str, Any], field: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(RowError, match=re.escape(says)) as caught:
        load("train", written(tmp_path, {**GOOD, "id": "first"}, row))
    assert (caught.value.line, caught.value.field) == (2, field)


def test_a_phrase_within_a_word_is_no_leak(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, with_query("larger plasticine table")))
    assert row.gold.expanded_query == "larger plasticine table"


def test_the_digest_minds_words_and_not_the_order_of_fields(tmp_path: Path) -> None:
    first = digest("train", written(tmp_path, GOOD))
    assert digest("train", written(tmp_path, dict(reversed(GOOD.items())))) == first
    assert digest("train", written(tmp_path, {**GOOD, "query": "which is larger?"})) != first


def test_a_row_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        GoldenRow.model_validate(GOOD).query = "x"  # type: ignore[misc]
