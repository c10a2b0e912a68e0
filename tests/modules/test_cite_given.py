"""A reply that was given: how the session cites is learnt from it, and what it cites is registered."""

from __future__ import annotations

import pytest

from turnkeeper.modules._cite_given import after_reply, learn_convention
from turnkeeper.signatures.types import CitationRegistry, Passage, RegisteredSource

KILN = Passage(doc_id="KILN-4", title="Kiln manual", text="Fire stoneware at 1240 C.")
CLAY = Passage(doc_id="CLAY-1", title="Clay store", text="Clay is kept at 12 C.")


@pytest.mark.parametrize(
    ("reply", "convention"),
    [
        ("Fire it at 1240 C [Source: KILN-4].", "source_tag"), ("Fire it at 1240 C [KILN-4].", "bare_id"),
        ("Fire it at 1240 C [1].", "numeric"), ("Fire it at 1240 C [^1].", "footnote"),
        ("See [https://kiln.example/4].", "url"), ("Nothing is cited here.", None), ("The note [sic] said so.", None),
        ("Write `[1]` in the file.", None), ("Clay [CLAY-1] and kiln [1].", "bare_id"),
    ],
)  # fmt: skip
def test_the_first_citation_sets_the_convention(reply: str, convention: str | None) -> None:
    assert learn_convention(reply, ["KILN-4", "CLAY-1"]) == convention


def test_cited_documents_of_the_turn_are_registered() -> None:
    told = after_reply(CitationRegistry(), "Fire it at 1240 C [Source: KILN-4]. Or [Source: GHOST-1].", [KILN, CLAY], 3)
    assert told.convention == "source_tag"
    assert [(e.doc_id, e.title, e.snippet, e.first_turn) for e in told.entries] == [
        ("KILN-4", "Kiln manual", KILN.text, 3)
    ]


def test_numbers_go_by_the_titles_of_the_section() -> None:
    reply = "Kept at 12 C [1]. Fired at 1240 C [2].\n\nSources:\n- 1: Clay store\n- 2: Kiln manual"
    told = after_reply(CitationRegistry(), reply, [KILN, CLAY], 1)
    assert [(e.doc_id, e.source_id) for e in told.entries] == [("1", "CLAY-1"), ("2", "KILN-4")]


def test_numbers_without_a_section_are_the_places_of_the_documents() -> None:
    told = after_reply(CitationRegistry(), "Kept at 12 C [2]. Burnt [7].", [KILN, CLAY], 1)
    assert [(e.doc_id, e.source_id) for e in told.entries] == [("2", "CLAY-1")]


def test_a_registered_id_is_never_given_away() -> None:
    held = CitationRegistry(
        convention="numeric", entries=(RegisteredSource(doc_id="1", source_id="OLD-7", title="Old", snippet="x"),)
    )
    told = after_reply(held, "Fired at 1240 C [1].", [KILN], 2)
    assert told.entries == held.entries and told.convention == "numeric"


def test_a_session_that_cites_otherwise_does_not_relearn() -> None:
    held = CitationRegistry(convention="footnote")
    assert after_reply(held, "Fire it [Source: KILN-4].", [KILN], 2).convention == "footnote"


def test_a_failed_retrieval_registers_nothing() -> None:
    assert after_reply(CitationRegistry(), "Fire it [Source: KILN-4].", None, 1) == CitationRegistry()
