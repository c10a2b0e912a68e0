"""Golden rows of cite: the reader names what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.cite import GoldenRow, digest, load
from turnkeeper.errors import InputError, RowError
from turnkeeper.signatures.cite import ABSTENTION

BODY = "The lock opens at 6:00 [Source: LOCK-2] and boats pay 4 crowns [Source: LOCK-1]."
GOOD: dict[str, Any] = {
    "id": "a-1",
    "kind": "mixed_new_reused",
    "domain": "canals",
    "language": "en",
    "family": "a",
    "turn": 3,
    "history": [{"role": "user", "content": "What do boats pay?"}],
    "question": "And when does it open?",
    "registry": {
        "convention": "source_tag",
        "entries": [
            {"doc_id": "LOCK-1", "title": "Tolls", "snippet": "Boats pay 4 crowns.", "first_turn": 1, "last_turn": 2},
            {"doc_id": "LOCK-9", "title": "Gates", "snippet": "", "first_turn": 2, "last_turn": 2},
        ],
    },
    "context": [{"doc_id": "LOCK-2", "title": "Hours", "text": "The lock opens at 6:00."}],
    "gold": {
        "answer": f"{BODY}\n\nSources:\n- LOCK-2: Hours\n- LOCK-1: Tolls",
        "sources": [
            {"doc_id": "LOCK-2", "title": "Hours", "relevance": "the hour"},
            {"doc_id": "LOCK-1", "title": "Tolls", "relevance": "the toll"},
        ],
        "new_citations": ["LOCK-2"],
        "reused_citations": ["LOCK-1"],
        "must_cite": ["LOCK-2"],
        "may_cite": ["LOCK-1"],
        "facts": ["6:00"],
        "abstain": False,
    },
}
NOTHING: dict[str, Any] = {
    **{key: [] for key in ("sources", "new_citations", "reused_citations", "must_cite", "may_cite", "facts")},
    "answer": ABSTENTION,
    "abstain": True,
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def with_gold(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "gold": {**GOOD["gold"], **fields}}


def answering(body: str, *listed: str) -> dict[str, Any]:
    lines = listed or ("LOCK-2: Hours", "LOCK-1: Tolls")
    return with_gold(answer="\n".join([body, "", "Sources:", *(f"- {line}" for line in lines)]))


def entry(**fields: Any) -> dict[str, Any]:
    first, *rest = GOOD["registry"]["entries"]
    return {**GOOD, "registry": {**GOOD["registry"], "entries": [{**first, **fields}, *rest]}}


def found(*passages: dict[str, Any]) -> dict[str, Any]:
    return {**GOOD, "context": [*GOOD["context"], *passages]}


def test_a_good_row_loads(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, GOOD))
    assert row.registry.entries[0].last_turn == 2 and row.context is not None and row.context[0].title == "Hours"


def test_an_abstention_may_follow_a_failed_retrieval(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, {**GOOD, "context": None, "gold": NOTHING}))
    assert row.gold.abstain and row.context is None


def test_a_period_may_end_the_abstention(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, {**GOOD, "gold": {**NOTHING, "answer": f"{ABSTENTION}."}}))
    assert row.gold.answer.endswith(".")


@pytest.mark.parametrize(
    "aside",
    [
        "`[Source: X-1]` is yours.",
        'The board reads "[7]".',
        "See Re Lock [1998] 4.",
        "```py\na[0]\n```",
        "All (3) open.",
    ],
)
def test_code_quotes_years_and_asides_are_no_citations(aside: str, tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, answering(f"{BODY}\n\n{aside}")))
    assert aside in row.gold.answer


@pytest.mark.parametrize(
    ("convention", "doc_id", "mark"),
    [
        ("numeric", "12", "[12]"),
        ("footnote", "^3", "[^3]"),
        ("bare_id", "ID:2", "[ID:2]"),
        ("url", "https://lock.example/a?b=1", "[https://lock.example/a?b=1]"),
    ],
)
def test_every_convention_has_its_marker(convention: str, doc_id: str, mark: str, tmp_path: Path) -> None:
    gold = {
        **GOOD["gold"],
        "answer": f"The lock opens at 6:00 {mark}.\n\nSources:\n- {doc_id}: Hours",
        "sources": [{"doc_id": doc_id, "title": "Hours"}],
        "new_citations": [doc_id],
        "reused_citations": [],
        "must_cite": [doc_id],
        "may_cite": [],
    }
    context = [{**GOOD["context"][0], "doc_id": doc_id}]
    row = {**GOOD, "registry": {"convention": convention, "entries": []}, "context": context, "gold": gold}
    assert load("train", written(tmp_path, row))[0].gold.new_citations == (doc_id,)


def test_an_unknown_split_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no split 'val'; there is: train, dev, test"):
        load("val")


SCOPED = {"access_scope": {"canal": ["north"]}}
BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("a field too many", {**GOOD, "note": "x"}, "note", "unknown; there is: id, kind"),
    ("no context, not even null", {k: v for k, v in GOOD.items() if k != "context"}, "context", "is missing"),
    ("turn zero", {**GOOD, "turn": 0}, "turn", "greater than or equal to 1"),
    ("five facts", with_gold(facts=list("abcde")), "gold.facts", "at most 4"),
    ("an unknown id", answering(BODY.replace("LOCK-2", "LOCK-3")), "gold.answer", "'[Source: LOCK-3]' is no marker"),
    ("another style", answering(f"{BODY} It is old [1]."), "gold.answer", "'[1]' is no marker"),
    ("round brackets", answering(f"{BODY} Old (Source: LOCK-1)."), "gold.answer", "'(Source: LOCK-1)' is no marker"),
    ("fullwidth brackets", answering(f"{BODY} It is old 【1】."), "gold.answer", "'【1】' is no marker"),
    ("no marker", answering("It opens at 6:00."), "gold.answer", "cites nothing"),
    ("no Sources section", with_gold(answer=BODY), "gold.answer", "cites nothing above a Sources section"),
    ("a section in another order", answering(BODY, "LOCK-1: Tolls", "LOCK-2: Hours"), "gold.answer", "differ"),
    (
        "a section with more",
        answering(BODY, "LOCK-2: Hours", "LOCK-1: Tolls", "LOCK-9: Gates"),
        "gold.answer",
        "differ",
    ),
    ("a source not cited", answering(BODY.replace(" [Source: LOCK-1]", "")), "gold.sources", "this order: LOCK-2"),
    (
        "another title",
        with_gold(sources=[{"doc_id": "LOCK-2", "title": "Times"}, GOOD["gold"]["sources"][1]]),
        "gold.sources",
        "'LOCK-2' has the title 'Hours'",
    ),
    ("a source without text", answering(f"{BODY} Old [Source: LOCK-9]."), "gold.answer", "yet has no text"),
    ("a withdrawn source", entry(withdrawn=True), "gold.answer", "yet is withdrawn"),
    ("a source out of scope", {**GOOD, **SCOPED}, "gold.answer", "yet is out of scope"),
    (
        "new called reused",
        with_gold(new_citations=[], reused_citations=["LOCK-2", "LOCK-1"]),
        "gold.new_citations",
        "by",
    ),
    ("nothing that must be cited", with_gold(must_cite=[]), "gold.must_cite", "empty"),
    ("a must that is not cited", with_gold(must_cite=["LOCK-2", "LOCK-9"]), "gold.must_cite", "does not cite"),
    ("cited, neither must nor may", with_gold(may_cite=[]), "gold.may_cite", "leave out"),
    ("a may without text", with_gold(may_cite=["LOCK-1", "LOCK-9"]), "gold.may_cite", "'LOCK-9' is a must"),
    ("no fact", with_gold(facts=[]), "gold.facts", "at least one"),
    ("a fact of nowhere", with_gold(facts=["7:00"]), "gold.facts", "'7:00' does not stand"),
    ("another abstention", {**GOOD, "gold": {**NOTHING, "answer": "I don't know"}}, "gold.answer", "is exactly"),
    ("an abstention that cites", {**GOOD, "gold": {**NOTHING, "must_cite": ["LOCK-1"]}}, "gold.must_cite", "has none"),
    ("registered today", entry(last_turn=3), "registry.entries.0.last_turn", "1 to 3 is not before 3"),
    ("registered twice", entry(doc_id="LOCK-9"), "registry.entries.1.doc_id", "'LOCK-9' is registered twice"),
    ("no convention", {**GOOD, "registry": {"entries": GOOD["registry"]["entries"]}}, "registry.convention", "null"),
    (
        "ids of another convention",
        {**GOOD, "registry": {**GOOD["registry"], "convention": "numeric"}},
        "registry.entries.0.doc_id",
        "'LOCK-1' is no id of the convention 'numeric'",
    ),
    ("a passage without id", found({"doc_id": " ", "title": "x"}), "context.1.doc_id", "is no id of"),
    ("a passage without title", found({"doc_id": "LOCK-4"}), "context.1.title", "'', known as ''"),
    ("a passage with two titles", found({"doc_id": "LOCK-1", "title": "Fees"}), "context.1.title", "known as 'Tolls'"),
    ("a decomposed id", found({"doc_id": "SCHLU\u0308-1", "title": "x"}), "context.1.doc_id", "not in NFC"),
]


@pytest.mark.parametrize(("row", "field", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_row_names_file_line_and_field(row: dict[str, Any], field: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(RowError, match=re.escape(says)) as caught:
        load("train", written(tmp_path, {**GOOD, "id": "first"}, row))
    assert (caught.value.line, caught.value.field) == (2, field)


def test_a_scope_lets_through_what_holds_its_attributes(tmp_path: Path) -> None:
    inside = entry(metadata={"canal": "north"})
    inside["context"] = [{**GOOD["context"][0], "metadata": {"canal": ["north", "south"]}}]
    assert load("train", written(tmp_path, {**inside, **SCOPED}))[0].access_scope is not None


@pytest.mark.parametrize("scope", [{"doc_ids": ["LOCK-2"]}, {"allowed": {}, "restricted_terms": ["crowns"]}])
def test_a_scope_knows_ids_and_restricted_terms(scope: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"LOCK-1\] is cited, yet is out of scope"):
        load("train", written(tmp_path, {**GOOD, "access_scope": scope}))


def test_brackets_may_belong_to_an_id(tmp_path: Path) -> None:
    gold = {
        **GOOD["gold"],
        "answer": "It opened at 7:00 [Source: Box 4 [old]].\n\nSources:\n- Box 4 [old]: Old Hours",
        "sources": [{"doc_id": "Box 4 [old]", "title": "Old Hours"}],
        "new_citations": ["Box 4 [old]"],
        "reused_citations": [],
        "must_cite": ["Box 4 [old]"],
        "may_cite": [],
        "facts": ["7:00"],
    }
    row = found({"doc_id": "Box 4 [old]", "title": "Old Hours", "text": "The lock opened at 7:00."})
    assert load("train", written(tmp_path, {**row, "gold": gold}))[0].gold.new_citations == ("Box 4 [old]",)


def test_the_digest_minds_words_and_not_the_order_of_fields(tmp_path: Path) -> None:
    first = digest("train", written(tmp_path, GOOD))
    assert digest("train", written(tmp_path, dict(reversed(GOOD.items())))) == first
    assert digest("train", written(tmp_path, {**GOOD, "question": "When does it open?"})) != first


def test_a_row_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        GoldenRow.model_validate(GOOD).question = "x"  # type: ignore[misc]
