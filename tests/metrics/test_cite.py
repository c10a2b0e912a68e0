"""The checks of cite on ids, listing, claims and abstention: one broken rule a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from turnkeeper.metrics.cite import check, cited_ids
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.types import AccessScope, CitationRegistry, Passage, RegisteredSource

LOCK = Passage(
    doc_id="LOCK-7", title="Lock Rules", text="The lock closes at 21:00. Passage costs 14 crowns for a barge."
)
WEIR = Passage(doc_id="WEIR-2", title="Weir Diary", text="Ilse Harn repaired the weir in October after the flood.")


def entry(doc_id: str, title: str, snippet: str = "", **fields: Any) -> RegisteredSource:
    return RegisteredSource(doc_id=doc_id, title=title, snippet=snippet, **fields)


def found(
    answer: str,
    *,
    entries: Sequence[RegisteredSource] = (),
    context: Sequence[Passage] | None = (LOCK, WEIR),
    convention: Any = "source_tag",
    question: str = "what is known?",
    scope: AccessScope | None = None,
    **fields: Any,
) -> set[str]:
    registry = CitationRegistry(convention=convention, entries=tuple(entries))
    violations = check(
        registry=registry,
        context=context,
        question=question,
        prediction={"answer": answer, **fields},
        access_scope=scope,
    )
    assert all(v.message.endswith(".") and len(v.message) < 900 for v in violations)
    return {violation.code for violation in violations}


def answer(body: str, *lines: str) -> str:
    return body + "\n\nSources:\n" + "\n".join(f"- {line}" for line in lines or ("LOCK-7: Lock Rules",))


GOOD = answer("The lock closes at 21:00 [Source: LOCK-7].")


def test_a_right_answer() -> None:
    fields = {
        "sources": [{"doc_id": "LOCK-7", "title": "Lock Rules", "relevance": "hours"}],
        "new_citations": ["LOCK-7"],
        "reused_citations": [],
    }
    assert found(GOOD, **fields) == set()


@pytest.mark.parametrize(
    ("doc_id", "codes"),
    [
        ("LOCK-8", {"fabricated_id"}),
        ("lock-7", {"fabricated_id", "renamed_id"}),
        ("LOCK7", {"fabricated_id", "renamed_id"}),
        ("LOCK 7", {"fabricated_id", "renamed_id"}),
        ("LOCK-7-b", {"fabricated_id", "renamed_id"}),
        ("LOKK-7", {"fabricated_id", "renamed_id"}),
        ("rules.pdf", {"fabricated_id"}),
        ("chunk_3", {"fabricated_id", "id_kind_confusion"}),
        ("search-2", {"fabricated_id", "id_kind_confusion"}),
        ("LOCK-7#chunk2", {"fabricated_id", "renamed_id", "id_kind_confusion"}),
    ],
)
def test_ids_that_nobody_gave(doc_id: str, codes: set[str]) -> None:
    assert codes <= found(answer(f"The lock closes at 21:00 [Source: {doc_id}].", f"{doc_id}: Lock Rules"))


def test_an_id_listed_only_is_fabricated_too() -> None:
    assert "fabricated_id" in found(
        answer("The lock closes at 21:00 [Source: LOCK-7].", "LOCK-7: Lock Rules", "ZZ-1: Z")
    )


@pytest.mark.parametrize("number", ["0", "3", "99", "12345678901234567890"])
def test_numbers_beyond_the_known_ones(number: str) -> None:
    context = [LOCK.model_copy(update={"doc_id": "1"}), WEIR.model_copy(update={"doc_id": "2"})]
    text = answer(f"The lock closes at 21:00 [{number}].", f"{number}: Lock Rules")
    codes = found(text, context=context, convention="numeric")
    assert codes & {"out_of_range", "malformed_marker", "missing_inline_citation"}


def test_a_number_in_a_hole_is_fabricated_only() -> None:
    context = [LOCK.model_copy(update={"doc_id": "1"}), WEIR.model_copy(update={"doc_id": "5"})]
    codes = found(answer("The lock closes at 21:00 [3].", "3: Lock Rules"), context=context, convention="numeric")
    assert "fabricated_id" in codes and "out_of_range" not in codes


def test_one_id_for_two_documents() -> None:
    assert "id_collision" in found(GOOD, entries=[entry("LOCK-7", "Harbour Dues")])
    assert "id_collision" in found(GOOD, context=[LOCK, LOCK.model_copy(update={"title": "Ferry Rules"})])


def test_a_known_document_under_another_number() -> None:
    registered = [entry("1", "Lock Rules")]
    context = [LOCK.model_copy(update={"doc_id": "4"})]
    text = answer("The lock closes at 21:00 [4].", "4: Lock Rules")
    assert "renumbered" in found(text, entries=registered, context=context, convention="numeric")
    text = answer("The lock closes at 21:00 [1].", "1: Weir Diary")
    context = [LOCK.model_copy(update={"doc_id": "1"}), WEIR.model_copy(update={"doc_id": "2"})]
    assert "renumbered" in found(text, context=context, convention="numeric")


def test_two_editions_with_one_title_are_two_documents() -> None:
    registered = [entry("1", "Lock Rules", "The lock opens at 5:00.")]
    context = [LOCK.model_copy(update={"doc_id": "4"})]
    text = answer("The lock closes at 21:00 [4].", "4: Lock Rules")
    assert found(text, entries=registered, context=context, convention="numeric") == set()


def test_duplicates() -> None:
    twice = answer("The lock closes at 21:00 [Source: LOCK-7].", "LOCK-7: Lock Rules", "LOCK-7: Lock Rules")
    assert found(twice) == {"duplicate_source_entry"}
    two_ids = answer(
        "Closes at 21:00 [Source: LOCK-7], costs 14 crowns [Source: L-9].", "LOCK-7: Lock Rules", "L-9: Lock Rules"
    )
    assert "duplicate_source_entry" in found(two_ids)
    registered = [entry("A", "One", source_id="doc-9"), entry("B", "Two", source_id="doc-9")]
    assert "duplicate_source_entry" in found(GOOD, entries=registered)


def test_citations_only_in_code() -> None:
    assert "citation_in_code" in found(answer("The lock closes at 21:00 `[Source: LOCK-7]`."))
    assert "citation_in_code" in found(answer("```\nThe lock closes at 21:00 [Source: LOCK-7]\n```"))
    both = answer("Cite it as `[Source: LOCK-7]`: the lock closes at 21:00 [Source: LOCK-7].")
    assert "citation_in_code" not in found(both)


def test_links_that_disagree() -> None:
    page = Passage(doc_id="https://lock.example/h", title="Hours", text="The lock closes at 21:00.")
    url = "https://lock.example/h"
    right = answer(f"The lock closes at 21:00 [{url}]({url}).", f"{url}: Hours")
    swapped = right.replace(f"]({url})", "](https://evil.example/h)")
    assert found(right, context=[page], convention="url") == set()
    assert found(swapped, context=[page], convention="url") == {"url_mismatch"}


def test_markers_that_follow_no_sentence() -> None:
    assert "orphan_marker" in found(answer("[Source: LOCK-7]\n\nThe lock closes at 21:00 [Source: LOCK-7]."))
    assert found(answer("The lock closes at 21:00\n[Source: LOCK-7].")) == set()


@pytest.mark.parametrize(
    "body",
    [
        "The lock closes at 21:00.",
        "The lock closes at 21:00. Passage costs 14 crowns [Source: LOCK-7].",
        "Rules of the lock:\n\n- It closes at 21:00 [Source: LOCK-7].\n- Passage costs 14 crowns for a barge.",
        "Sure, the lock closes at 21:00.",
        "Passage costs 14 crowns [Source: LOCK-7]. Afterwards, ask Ilse Harn about the weir.",
    ],
)
def test_claims_without_a_marker(body: str) -> None:
    assert "missing_inline_citation" in found(answer(body))


@pytest.mark.parametrize(
    "body",
    [
        "Hello! The lock closes at 21:00 [Source: LOCK-7]. Anything else? Let me know if you need more.",
        "## Hours\n\nHere is what I found:\n\n- The lock closes at 21:00 [Source: LOCK-7].",
        "Passage costs:\n\n1. 14 crowns for a barge [Source: LOCK-7].",
        "The lock closes at 21:00. [Source: LOCK-7] Passage costs 14 crowns [Source: LOCK-7].",
        "What it costs and when it shuts [Source: LOCK-7]:\n\n- 21:00\n- 14 crowns",
        "| When | Cost |\n|---|---|\n| 21:00 [Source: LOCK-7] | 14 crowns [Source: LOCK-7] |",
        "The lock (cf. rule No. 4, e.g. at night) closes at 21:00 [Source: LOCK-7].",
    ],
)
def test_what_needs_no_marker(body: str) -> None:
    assert "missing_inline_citation" not in found(answer(body))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The lock closes at 21:00 [Source: LOCK-7].", "missing_sources_section"),
        ("The lock closes at 21:00 [Source: LOCK-7].\n\nSources:\n", "missing_sources_section"),
        ("The lock closes at 21:00 [Source: LOCK-7].\n\nReferences:\n- LOCK-7: Lock Rules", "missing_sources_section"),
        ("The lock closes at 21:00 [Source: LOCK-7].\n\n**Sources:**\n- LOCK-7: Lock Rules", "missing_sources_section"),
        (GOOD + "\n\nAsk the keeper for more.", "missing_sources_section"),
        (GOOD + "\n\nSources:\n- LOCK-7: Lock Rules", "duplicate_sources_section"),
        (answer("The lock closes at 21:00 [Source: LOCK-7].", "WEIR-2: Weir Diary"), "cited_not_listed"),
        (
            answer("The lock closes at 21:00 [Source: LOCK-7].", "LOCK-7: Lock Rules", "WEIR-2: Weir Diary"),
            "sources_mismatch",
        ),
        (answer("The lock closes at 21:00 [Source: LOCK-7].", "LOCK-7: Rules"), "sources_mismatch"),
        (answer("The lock closes at 21:00 [Source: LOCK-7].", "[LOCK-7] Lock Rules"), "sources_mismatch"),
    ],
)
def test_the_section(text: str, code: str) -> None:
    assert code in found(text)


def test_a_note_behind_the_title_is_fine() -> None:
    assert (
        found(answer("The lock closes at 21:00 [Source: LOCK-7].", "LOCK-7: Lock Rules \u2014 the opening hours"))
        == set()
    )


def test_the_fields_repeat_the_answer() -> None:
    assert found(GOOD, sources=[]) == {"sources_mismatch"}
    assert found(GOOD, sources=[{"doc_id": "LOCK-7", "title": "Rules"}]) == {"sources_mismatch"}
    assert found(GOOD, new_citations=[]) == {"new_reused_misclassified"}
    assert found(GOOD, reused_citations=["LOCK-7"]) == {"new_reused_misclassified"}
    known = [entry("LOCK-7", "Lock Rules")]
    assert found(GOOD, entries=known, new_citations=[], reused_citations=["LOCK-7"]) == set()
    assert found(GOOD, entries=known, new_citations=["LOCK-7"], reused_citations=[]) == {"new_reused_misclassified"}


@pytest.mark.parametrize("end", ["", "."])
def test_the_abstention(end: str) -> None:
    assert found(ABSTENTION + end, context=[], sources=[], new_citations=[], reused_citations=[]) == set()


@pytest.mark.parametrize(
    "text",
    [
        ABSTENTION + "!",
        ABSTENTION.lower(),
        ABSTENTION + " [Source: LOCK-7].",
        answer(ABSTENTION + "."),
        ABSTENTION + ". But the keeper may know.",
        "I'm sorry, I could not find this in the documents.",
        "The documents do not mention it.",
        "There is no information about that.",
        "I don't know.",
        "Dazu gibt es keine Angaben.",
        answer("I could not find who repaired it [Source: LOCK-7]."),
        "The Treaty of Brannholm was signed by Oda Vent.",
    ],
)
def test_other_abstentions_and_own_knowledge(text: str) -> None:
    assert "abstain_violation" in found(text)


def test_without_any_evidence_only_the_abstention_will_do() -> None:
    assert "abstain_violation" in found("Water boils at 100 degrees.", context=[])
    assert "abstain_violation" in found(answer("Water boils at 100 degrees [Source: W-1].", "W-1: Water"), context=None)
    assert found("You're welcome!", context=[]) == set()


def test_a_document_may_be_cited_for_what_it_lacks() -> None:
    assert found(answer("The lock rules do not say who repaired the weir [Source: LOCK-7].")) == set()


def test_withdrawn_and_out_of_scope_text_is_no_evidence() -> None:
    gone = [entry("OLD-1", "Old Rules", "The lock closes at 20:00.", withdrawn=True)]
    text = answer("The lock closes at 20:00 [Source: OLD-1].", "OLD-1: Old Rules")
    assert "stale_prior_turn_citation" in found(text, entries=gone)
    secret = [entry("OLD-1", "Old Rules", "The lock closes at 20:00.", metadata={"office": "east"})]
    west = AccessScope(allowed={"office": ["west"]})
    near = [LOCK.model_copy(update={"metadata": {"office": "west"}})]
    assert "stale_prior_turn_citation" in found(text, entries=secret, context=near, scope=west)
    east = AccessScope(allowed={"office": ["east"]})
    assert found(text, entries=secret, context=[], scope=east) == set()
    assert "fabricated_id" in found(GOOD, scope=west)


def test_a_message_never_names_what_the_scope_hides() -> None:
    secret = [entry("MERGER-1", "Merger with Oster", "Signed.", metadata={"office": "east"})]
    registry = CitationRegistry(convention="source_tag", entries=tuple(secret))
    text = answer("It was signed [Source: merger1].", "merger1: Merger with Oster")
    scope = AccessScope(allowed={"office": ["west"]})
    violations = check(registry=registry, context=[], question="?", prediction={"answer": text}, access_scope=scope)
    assert violations and not any("MERGER-1" in v.message for v in violations)


def test_cited_ids_in_the_order_of_their_first_citation() -> None:
    registry = CitationRegistry(convention="source_tag")
    text = answer(
        "Repaired in October [Source: WEIR-2], closes at 21:00 [Source: LOCK-7][Source: WEIR-2] [Source: X-1]."
    )
    ids = cited_ids(registry=registry, context=[LOCK, WEIR], question="?", prediction={"answer": text})
    assert ids == ["WEIR-2", "LOCK-7", "X-1"]


def test_a_definition_of_a_link_is_no_sentence() -> None:
    context = [LOCK.model_copy(update={"doc_id": "1"})]
    text = answer("The lock closes at 21:00 [1].\n\n[1]: https://lock.example", "1: Lock Rules")
    assert "orphan_marker" in found(text, context=context, convention="numeric")


def test_links_and_escapes_in_a_cited_sentence() -> None:
    assert found(answer("The lock (see [map](https://map.example)) closes at 21:00 [Source: LOCK-7].")) == {
        "unsupported_claim"  # an address that no source holds
    }
    assert found(answer("The lock closes at 21:00 \\[Source: LOCK-7\\].")) == {"malformed_marker"}


def test_a_number_alone_is_another_spelling_of_the_id_that_ends_with_it() -> None:
    context = [LOCK.model_copy(update={"doc_id": "ID:7"})]
    text = answer("The lock closes at 21:00 [7].", "7: Lock Rules")
    assert "renamed_id" in found(text, context=context, convention="bare_id")
