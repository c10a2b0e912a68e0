"""Support: numbers, names and content words of a claim against the text that it cites."""

from __future__ import annotations

import pytest

from turnkeeper.metrics.cite import check
from turnkeeper.signatures.types import CitationRegistry, Passage, RegisteredSource

DEPOT = (
    "D-1",
    "Depot Plan",
    "Tram 6 leaves the depot at 05:10. Ana Velk signed the plan on 3 March 2031. Fare: 1,250 crowns.",
)
MILL = (
    "M-2",
    "Mill Report",
    "The Tarn mill grinds 40 sacks a day. Dust filters are replaced every six weeks by contractors.",
)


def _codes(claim: str, doc_id: str = "D-1", *, question: str = "what?", stored: bool = True) -> set[str]:
    context = [Passage(doc_id=i, title=title, text=text) for i, title, text in (DEPOT, MILL)]
    title = {i: t for i, t, _ in (DEPOT, MILL)}[doc_id]
    entries: tuple[RegisteredSource, ...] = ()
    if not stored:
        context = [passage for passage in context if passage.doc_id != doc_id]
        entries = (RegisteredSource(doc_id=doc_id, title=title),)
    registry = CitationRegistry(convention="source_tag", entries=entries)
    text = f"{claim} [Source: {doc_id}].\n\nSources:\n- {doc_id}: {title}"
    return {v.code for v in check(registry=registry, context=context, question=question, prediction={"answer": text})}


@pytest.mark.parametrize(
    "claim",
    [
        "Tram 6 leaves at 5:10",
        "Tram six leaves the depot at ten past five, that is 5:10",
        "It was signed by Ana Velk on 2031-03-03",
        "It was signed by Velk in March 2031",
        "The fare is 1250 crowns",
        "Yes",
        "It leaves the depot early in the morning",
        "According to the Depot Plan, tram 6 leaves at 05:10",
    ],
)
def test_said_in_other_words(claim: str) -> None:
    assert _codes(claim) - {"unsupported_claim"} == set()
    if "ten past" not in claim:
        assert _codes(claim) == set()


@pytest.mark.parametrize(
    "claim",
    ["Tram 7 leaves at 5:10", "Tram 6 leaves at 5:20", "Ola Brandt signed the plan", "It was signed in April 2031"],
)
def test_said_nowhere(claim: str) -> None:
    assert _codes(claim) == {"unsupported_claim"}


@pytest.mark.parametrize(
    "claim",
    [
        "The mill grinds 40 sacks a day",
        "Dust filters are replaced every 6 weeks",
        "Contractors replace the dust filters",
    ],
)
def test_said_by_another_document(claim: str) -> None:
    assert _codes(claim) == {"misattributed"}
    assert _codes(claim, "M-2") == set()


def test_a_source_without_text_refutes_nothing_unless_another_fits() -> None:
    assert _codes("The plan has 12 pages", stored=False) == set()
    assert _codes("The mill grinds 40 sacks a day", stored=False) == {"misattributed", "stale_prior_turn_citation"}


def test_the_question_needs_no_source() -> None:
    assert (
        _codes("No, 17 is not a tram of Sunnhaven; tram 6 leaves at 05:10", question="Is 17 a tram of Sunnhaven?")
        == set()
    )


def _multi(answer: str, convention: str = "numeric") -> set[str]:
    context = [
        Passage(doc_id="1", title="Depot Plan", text=DEPOT[2]),
        Passage(doc_id="2", title="Mill Report", text=MILL[2]),
    ]
    registry = CitationRegistry(convention=convention)  # type: ignore[arg-type]
    text = answer + "\n\nSources:\n- 1: Depot Plan\n- 2: Mill Report"
    return {v.code for v in check(registry=registry, context=context, question="?", prediction={"answer": text})}


def test_each_segment_answers_to_its_own_markers() -> None:
    assert _multi("Tram 6 leaves at 05:10 [1], and the mill grinds 40 sacks [2].") == set()
    assert _multi("Tram 6 leaves at 05:10 [2], and the mill grinds 40 sacks [1].") == {"misattributed"}


def test_a_group_is_read_together() -> None:
    assert _multi("Tram 6 leaves at 05:10 while the mill grinds 40 sacks [1, 2].") == set()


def test_the_end_of_a_sentence_answers_to_its_markers_too() -> None:
    assert "unsupported_claim" in _multi("Tram 6 [1] leaves at 07:45, the mill grinds 40 sacks [2] on 99 days.")


def test_code_is_left_out() -> None:
    assert _multi("Tram 6 leaves at 05:10, as `f(999)` says [1], and the mill grinds 40 sacks [2].") == set()


@pytest.mark.parametrize(
    ("claim", "text", "ok"),
    [
        ("Die Hütte hat zwölf Betten", "Die Hütte hat 12 Betten.", True),
        ("Die Hütte hat 13 Betten", "Die Hütte hat zwölf Betten.", False),
        ("La cabane compte 12 lits", "The hut has twelve beds.", True),
        ("小屋有12张床", "这间小屋一共有12张床位。", True),
        ("小屋有15张床", "这间小屋一共有12张床位。", False),
        ("Die Hütte kostet 1.200 Kronen", "Die Hütte kostet 1200 Kronen.", True),
    ],
)
def test_other_languages(claim: str, text: str, ok: bool) -> None:
    registry = CitationRegistry(convention="numeric")
    answer = f"{claim} [1].\n\nSources:\n- 1: T"
    context = [Passage(doc_id="1", title="T", text=text)]
    violations = check(registry=registry, context=context, question="?", prediction={"answer": answer})
    assert {v.code for v in violations} == (set() if ok else {"unsupported_claim"})
