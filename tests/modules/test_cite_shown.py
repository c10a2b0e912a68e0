"""Ids that are shown: registered ones stay, a retriever's are used, new ones follow the pattern."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._markers import find_markers, written
from turnkeeper.modules._cite_evidence import evidence
from turnkeeper.modules._cite_registry import after_turn
from turnkeeper.modules._cite_shown import readable, with_shown_ids
from turnkeeper.signatures.types import CitationRegistry, Convention, Passage, RegisteredSource

CONVENTIONS: tuple[Convention, ...] = ("source_tag", "numeric", "bare_id", "url", "footnote")


def entry(doc_id: str, source_id: str = "", title: str = "") -> RegisteredSource:
    return RegisteredSource(doc_id=doc_id, source_id=source_id or doc_id, title=title, snippet="Some text.")


def registry(*entries: RegisteredSource, convention: Convention = "source_tag") -> CitationRegistry:
    return CitationRegistry(convention=convention, entries=entries)


def ids(told: CitationRegistry, *passages: Passage, **options: Any) -> list[str]:
    return [p.doc_id for p in with_shown_ids(told, passages, **options).passages]


def without_id(text: str) -> Passage:
    return Passage(doc_id="", title="", text=text)


@pytest.mark.parametrize(
    ("held", "new"),
    [
        (["DOC-001"], "DOC-002"), (["DOC-001", "DOC-009"], "DOC-010"), (["KB-99"], "KB-100"), (["A § 3"], "A § 4"),
        (["doc_alpha"], "doc_1"), (["rules"], "rules-1"), ([], "DOC-001"), (["v2/page-07.md"], "v2/page-08.md"),
        (["DOC-001", "handbook"], "DOC-002"), (["DOC-002", "https://a.example/x9"], "DOC-003"),
        (["DOC-١"], "DOC-1"),
    ],
)  # fmt: skip
def test_the_pattern_is_continued(held: list[str], new: str) -> None:
    assert ids(registry(*map(entry, held)), without_id("Something else.")) == [new]


def test_a_new_id_is_next_to_no_id_of_the_retriever() -> None:
    told = registry(entry("DOC-001"))
    passages = (without_id("a"), Passage(doc_id="DOC-002", text="b"), without_id("c"))
    assert ids(told, *passages) == ["DOC-003", "DOC-002", "DOC-004"]


def test_a_spelling_of_a_taken_id_is_not_given() -> None:
    assert ids(registry(entry("doc 2"), entry("DOC-001")), without_id("a")) == ["DOC-003"]


def test_a_passage_without_an_id_is_known_again_by_its_text() -> None:
    told = registry(entry("DOC-001"))
    first = with_shown_ids(told, [without_id("a text")])
    shown = first.passages[0].doc_id
    grown = registry(entry("DOC-001"), entry(shown, first.source_ids[shown]), entry("DOC-009"))
    assert ids(grown, without_id("a text"), without_id("another")) == [shown, "DOC-010"]


def test_a_retrievers_id_that_stands_for_another_document_gets_a_new_one() -> None:
    told = registry(entry("DOC-001"), entry("DOC-002", "text:ab12"))
    found = with_shown_ids(told, [Passage(doc_id="DOC-002", text="The retriever's own.")])
    assert found.passages[0].doc_id == "DOC-003" and found.source_ids == {"DOC-003": "DOC-002"}


@pytest.mark.parametrize("convention", ["numeric", "footnote"])
def test_numbers_are_the_registrys(convention: Convention) -> None:
    caret = "^" if convention == "footnote" else ""
    told = registry(entry(f"{caret}1", "88"), entry(f"{caret}3", "2"), convention=convention)
    passages = [Passage(doc_id=i, text=i) for i in ("2", "1", "88", "4711", "1")]
    assert ids(told, *passages) == [f"{caret}{n}" for n in (3, 4, 1, 5, 4)]


def test_rows_give_the_numbers_that_are_shown() -> None:
    told = registry(entry("1", "88", "Boats"), convention="numeric")
    rows = [Passage(doc_id="1", title="Boats"), Passage(doc_id="2", title="Cars")]
    assert ids(told, *rows, as_shown=True) == ["1", "2"]
    other = Passage(doc_id="1", title="Trains")  # no row: the retriever's own number, by the title
    assert ids(told, other, as_shown=True) == ["2"]


@pytest.mark.parametrize("odd", ["a\nb", " x", "x" * 400, "a`b`c", "\u202eabc", "]", "**"])
def test_an_id_that_no_marker_can_hold_gets_another(odd: str) -> None:
    found = with_shown_ids(registry(entry("DOC-001")), [Passage(doc_id=odd, text="t")])
    assert found.passages[0].doc_id == "DOC-002" and found.source_ids == {"DOC-002": odd}


@pytest.mark.parametrize("odd", ["A § 3", "§ 5 (2)", "file name.pdf", "a [old]", "ID:2", "https://a.example/b?c=1"])
def test_an_id_that_a_marker_can_hold_is_used_as_it_is(odd: str) -> None:
    assert ids(registry(entry("DOC-001")), Passage(doc_id=odd, text="t")) == [odd]


def test_the_scope_goes_by_the_retrievers_id() -> None:
    told = registry(convention="numeric")
    shown = with_shown_ids(told, [Passage(doc_id="88", text="Boats.")]).passages
    assert shown[0].doc_id == "1" and shown[0].metadata["doc_ids"] == "88"


source_ids = st.one_of(
    st.sampled_from(["", "DOC-1", "DOC-2", "DOC-002", "doc-2", "1", "2", "3", "^1", "a [b]", "\u00e9", "e\u0301"]),
    st.text(max_size=6),
)
turns = st.lists(st.lists(st.tuples(source_ids, st.sampled_from("abc")), max_size=5), max_size=8)


@settings(max_examples=150, deadline=None)
@given(convention=st.sampled_from(CONVENTIONS), session=turns, data=st.data())
def test_over_a_session_no_id_moves_and_none_is_given_twice(
    convention: Convention, session: list[list[tuple[str, str]]], data: st.DataObject
) -> None:
    state = CitationRegistry(convention=convention)
    ever: dict[str, str] = {}  # the retriever's id, or the text of a passage without one, to the shown id once cited
    for number, turn in enumerate(session, 1):
        passages = [Passage(doc_id=doc_id, text=text) for doc_id, text in turn]
        found = with_shown_ids(state, passages)
        assert found == with_shown_ids(state, passages)
        by_shown: dict[str, str] = {}
        for given_passage, shown in zip(passages, found.passages, strict=True):
            source = unicodedata.normalize("NFC", given_passage.doc_id)
            source = source if source.strip() else f"text {given_passage.text}"
            same = unicodedata.normalize("NFC", shown.doc_id)
            assert by_shown.setdefault(same, source) == source
            assert ever.get(source, shown.doc_id) == shown.doc_id
            assert all(ever[other] != shown.doc_id for other in ever if other != source)
            assert (shown.text, shown.title) == (given_passage.text, given_passage.title)
        offered = evidence(state, found.passages)
        cited = [item.doc_id for item in offered if data.draw(st.booleans())]
        before = state.entries
        state = after_turn(state, cited, offered, found.passages, convention, number, found.source_ids)
        assert [e.doc_id for e in state.entries[: len(before)]] == [e.doc_id for e in before]
        for given_passage, shown in zip(passages, found.passages, strict=True):
            if shown.doc_id in cited:
                source = unicodedata.normalize("NFC", given_passage.doc_id)
                ever[source if source.strip() else f"text {given_passage.text}"] = shown.doc_id
        assert len({unicodedata.normalize("NFC", e.doc_id) for e in state.entries}) == len(state.entries)
        assert len({unicodedata.normalize("NFC", e.source_id) for e in state.entries}) == len(state.entries)


@settings(max_examples=150, deadline=None)
@given(convention=st.sampled_from(CONVENTIONS), doc_id=st.text(min_size=1, max_size=12))
def test_what_counts_as_readable_is_read_back(convention: Convention, doc_id: str) -> None:
    if readable(doc_id, convention):
        told = find_markers(f"Boats wait {written(doc_id, convention)}.", [doc_id], convention)
        assert [m.ids for m in told] == [(unicodedata.normalize("NFC", doc_id),)]
