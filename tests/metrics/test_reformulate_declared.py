"""check of reformulate: the references that a prediction declares, against the conversation."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.reformulate import Reformulation
from turnkeeper.signatures.types import ResolvedReference, Turn


def talk(*messages: str) -> list[Turn]:
    return [Turn(role="assistant" if n % 2 else "user", content=text) for n, text in enumerate(messages)]


def codes(history: list[Turn], query: str, prediction: Any) -> set[str]:
    return {v.code for v in check(history=history, query=query, prediction=prediction)}


BIKES = talk("Which bikes can I rent in Tolvik?", "The Gull 7, the Otter and the Finch.")


def reference(mention: str, referent: str, turn: int | None = None) -> Reformulation:
    resolved = (ResolvedReference(mention=mention, referent=referent, turn=turn),)
    return Reformulation(standalone_query="How much does the Otter cost?", resolved_references=resolved)


@pytest.mark.parametrize(
    ("mention", "referent", "turn"),
    [
        ("that one", "the Otter", 1),
        ("it", "the Heron", 1),
        ("it", "the Otter", 9),
        ("it", "the Ott", 1),
        ("", "the Otter", 1),
    ],
)
def test_reference_that_does_not_hold_is_flagged(mention: str, referent: str, turn: int) -> None:  # REF-08
    assert codes(BIKES, "How much does it cost?", reference(mention, referent, turn)) == {"unsupported_reference"}


def test_reference_that_holds_passes() -> None:  # REF-08
    assert codes(BIKES, "How much does it cost?", reference("it", "the Otter", 1)) == set()


BAND = talk(
    "Did the band Low Fen tour after their second album?",
    "Yes. Singer, drummer and driver shared a van kept at the Ashgrove depot. A tour plan exists.",
)


@pytest.mark.parametrize(
    "referent",
    ["Low Fen's second album", "the singer, the drummer and the driver", "the tour plan", "at the Ashgrove depot"],
)
def test_referent_may_be_told_in_several_places(referent: str) -> None:  # REF-08
    resolved = [{"mention": "it", "referent": referent}]
    result = {"standalone_query": f"How much did {referent} cost?", "resolved_references": resolved}
    assert codes(BAND, "How much did it cost?", result) == set()


@pytest.mark.parametrize("referent", ["Low Fen's third album", "the Ashgrove hotel", "the pilot", ""])
def test_referent_with_a_word_that_stands_nowhere_is_flagged(referent: str) -> None:  # REF-08
    resolved = [{"mention": "it", "referent": referent}]
    result = {"standalone_query": "How much did the album cost?", "resolved_references": resolved}
    assert "unsupported_reference" in codes(BAND, "How much did it cost?", result)


def test_referent_of_another_language_needs_its_names_and_numbers() -> None:
    german = talk("Wie viele Leihtage gibt es in Tolvik?", "In Tolvik gibt es 28 Leihtage, sagt Herr Orvik.")
    resolved = [{"mention": "them", "referent": "the 28 loan days"}]
    result = {"standalone_query": "can I extend the 28 loan days?", "resolved_references": resolved}
    assert codes(german, "can I extend them?", result) == set()


@pytest.mark.parametrize(
    ("mention", "query", "result"),
    [
        ("the smaller one of them", "what does the smaller one of them cost?", "what does the Otter cost?"),
        ("the bike you named halfway", "the bike you named halfway, what does it cost?", "What does the Otter cost?"),
        ("over there", "can I rent over there?", "can I rent the Otter?"),
    ],
)
def test_declared_mention_may_vanish(mention: str, query: str, result: str) -> None:
    resolved = [{"mention": mention, "referent": "the Otter"}]
    assert codes(BIKES, query, {"standalone_query": result, "resolved_references": resolved}) == set()


@pytest.mark.parametrize(("mention", "referent"), [("rusty frame", "the Finch"), ("frame", "the Heron")])
def test_declaration_that_the_result_does_not_bear_out_frees_nothing(mention: str, referent: str) -> None:
    resolved = [{"mention": mention, "referent": referent}]
    result = {"standalone_query": "can I rent the Otter?", "resolved_references": resolved}
    assert "dropped_term" in codes(BIKES, "can I rent the Otter with the rusty frame?", result)


def test_declared_mention_keeps_its_identifier() -> None:
    resolved = [{"mention": "the model X-204b", "referent": "the Otter"}]
    result = {"standalone_query": "can I rent the Otter?", "resolved_references": resolved}
    assert codes(BIKES, "can I rent the model X-204b?", result) == {"dropped_term"}
