"""EXP-10: passages that assert what was ruled out are found, by their own polarity (design 5.7)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.metrics._contradictions import Contradiction, contradictions
from turnkeeper.signatures.types import Exclusion, Passage

LABELLED = Path(__file__).parent / "labelled" / "contradictions.tsv"


def flagged(text: str, phrase: str = "drawers", *, title: str = "", **more: Any) -> bool:
    passage = Passage(doc_id="d1", title=title, text=text)
    return bool(contradictions([passage], [Exclusion(phrase=phrase, **more)]))


@pytest.mark.parametrize(
    "text",
    [
        "An oak table that has no drawers.",
        "A drawer-free oak table.",
        "Made without drawers.",
        "It does not come with drawers.",
        "The drawers are not included.",
        "Neither drawers nor a lock.",
        "It was never fitted with drawers.",
        "Since last year it no longer has drawers.",
        "It is free of drawers and knobs.",
        "No doors, hinges or drawers.",
        "Baskets instead of drawers.",
        "Drawers: none. Doors: two.",
        "Does it come with drawers? No.",
        "Drawers? We don't make any.",
        "It could do with drawers, but has none.",
        "Does not contain: drawers, shelves.",
        "The joiner decided against drawers.",
    ],
)
def test_denied_is_no_contradiction(text: str) -> None:
    assert not flagged(text)


@pytest.mark.parametrize(
    "text",
    [
        "An oak table with two drawers.",
        "No shelves but three drawers.",
        "No shelves, no lock, and three drawers.",
        "The table has not only a lock but also drawers.",
        "You will not find a table without drawers here.",
        "The drawers never jam.",
        "The key of the drawers is not included.",
        "Do not overfill the drawers.",
        "If the drawers jam, rub them with wax.",
        "It isn't drawer-free.",
        "Nothing but drawers from top to bottom.",
        "Does it come with drawers? Yes.",
        "Drawers: 4",
    ],
)
def test_asserted_is_a_contradiction(text: str) -> None:
    assert flagged(text)


@pytest.mark.parametrize(
    "text",
    ["Optional drawers fit below.", "Drawers are sold separately.", "Drawers cost extra.", "With or without drawers."],
)
def test_what_can_be_had_without_is_no_contradiction(text: str) -> None:
    assert not flagged(text)


@pytest.mark.parametrize(
    "text", ["Almost no salt.", "Low in salt.", "May contain traces of salt.", "Not every bag has salt."]
)
def test_some_is_not_none(text: str) -> None:
    assert flagged(text, "salt")


@pytest.mark.parametrize(
    "text",
    [
        "Unlike Oslo, the town has a beach.",
        "Rents are lower than in Oslo.",
        "A village an hour north of Oslo.",
        "It is not as large as Oslo.",
        "If you come from Oslo, take the tram.",
    ],
)
def test_mention_beside_the_point_is_no_assertion(text: str) -> None:
    assert not flagged(text, "Oslo")


def test_denied_here_and_asserted_there_is_flagged() -> None:
    assert flagged("The small one has no drawers. The large one has five drawers.")


def test_title_counts() -> None:
    assert flagged("Made of oak.", title="Table with drawers")
    assert not flagged("Made of oak.", title="Table without drawers")


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("ferries", "You take the FERRY.", True),
        ("running", "He ran every day.", True),
        ("crème brûlée", "Creme brulee for six.", True),
        ("Tromsø", "A week in Tromso.", True),
        ("lock-in", "A lock in of a year.", True),
        ("art", "A party in Cartagena.", False),
        ("C++", "Written in C.", False),
        ("war films", "A war novel and a love film.", False),
        ("", "Anything.", False),
    ],
)
def test_phrase_is_found_in_every_form_and_on_its_borders(phrase: str, text: str, expected: bool) -> None:
    assert flagged(text, phrase) is expected


def test_aliases_count_and_the_phrase_is_reported() -> None:
    passage = Passage(doc_id="d1", text="Runs on k8s, in every region.")
    (found,) = contradictions([passage], [Exclusion(phrase="Kubernetes", aliases=("k8s",))])
    assert found == Contradiction(doc_id="d1", phrase="Kubernetes", span="Runs on k8s")


def test_span_is_the_asserting_clause_as_written() -> None:
    passage = Passage(doc_id="d1", text="Not cheap. It has no door, but THREE Drawers on the left; the rest is oak.")
    (found,) = contradictions([passage], [Exclusion(phrase="drawer")])
    assert found.span == "but THREE Drawers on the left"


def test_revoked_is_passed_over() -> None:
    assert not flagged("Two drawers.", status="revoked")


def test_field_is_compared_by_value() -> None:
    named = Passage(doc_id="d1", text="Sold by Brask.", metadata={"vendor": "Colwyn"})
    held = Passage(doc_id="d2", text="A lamp.", metadata={"vendor": ["BRASK", "Colwyn"]})
    bare = Passage(doc_id="d3", text="Sold by Brask.")
    found = contradictions([named, held, bare], [Exclusion(phrase="Brask", field="vendor")])
    assert [c.doc_id for c in found] == ["d2", "d3"]


def test_document_ruled_out_by_its_id_is_flagged() -> None:
    found = contradictions([Passage(doc_id="DOC-7", text="x")], [Exclusion(phrase="doc-7")])
    assert [c.doc_id for c in found] == ["DOC-7"]


def test_order_is_that_of_the_passages_then_of_the_exclusions() -> None:
    passages = [Passage(doc_id=name, text="A lamp of glass and steel.") for name in ("b", "a")]
    found = contradictions(passages, [Exclusion(phrase="steel"), Exclusion(phrase="glass")])
    assert [(c.doc_id, c.phrase) for c in found] == [("b", "steel"), ("b", "glass"), ("a", "steel"), ("a", "glass")]


def is_for_tuning(phrase: str, text: str) -> bool:
    """The half of the labelled list that rules may be tuned on; the other half is only counted."""
    return hashlib.sha256(f"{phrase}\t{text}".encode()).digest()[0] % 2 == 0


@pytest.mark.parametrize(("tuning", "precision", "recall"), [(True, 0.96, 0.96), (False, 0.93, 0.95)])
def test_labelled_list(tuning: bool, precision: float, recall: float) -> None:
    rows = [line.split("\t") for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 390
    counted = [
        (label == "+", flagged(text, phrase)) for label, phrase, text in rows if is_for_tuning(phrase, text) is tuning
    ]
    hits = sum(wanted and got for wanted, got in counted)
    assert hits / sum(got for _, got in counted) >= precision
    assert hits / sum(wanted for wanted, _ in counted) >= recall
