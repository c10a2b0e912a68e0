"""Facts sort as values do, and hold what was given."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.retrieval._facts import ends, equal, facts_of, permitted, said
from turnkeeper.signatures.types import Passage

integers = st.integers(-(1 << 64) + 1, (1 << 64) - 1)
numbers = integers | st.floats(allow_nan=False)


@given(numbers, numbers)
def test_numbers_sort_as_numbers(one: float, other: float) -> None:
    first, second = equal("n", one), equal("n", other)
    assert first is not None and second is not None
    assert (first < second) == (one < other) and (first == second) == (one == other)


@given(st.text(max_size=50), st.text(max_size=50))
def test_texts_sort_as_texts(one: str, other: str) -> None:
    first, second = equal("t", one), equal("t", other)
    assert first is not None and second is not None
    assert (first < second) == (one < other) and (first == second) == (one == other)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_field_never_runs_into_a_value(field: str, value: str, other: str, other_value: str) -> None:
    assert (equal(field, value) == equal(other, other_value)) == ((field, value) == (other, other_value))


@given(st.text(max_size=20), st.text() | numbers)
def test_ends_enclose_all_values_of_a_field(field: str, value: str | float) -> None:
    below, above = ends(field, value)
    assert below <= str(equal(field, value)) < above
    assert not below <= str(equal(field + "x", value)) < above


@pytest.mark.parametrize("value", [float("nan"), 1 << 64, -(1 << 64)])
def test_a_number_without_a_place_equals_nothing(value: float) -> None:
    assert equal("n", value) is None


def test_lists_objects_and_dates_are_read() -> None:
    metadata = {"tags": ["a", ["b"]], "author": {"name": "Ilse", "born": 1990}, "on": date(2031, 3, 1), "none": None}
    facts = facts_of(Passage(doc_id="d", metadata=metadata))
    held = [("tags", "a"), ("tags", "b"), ("author.name", "Ilse"), ("author.born", 1990), ("on", "2031-03-01")]
    assert all(equal(field, value) in facts for field, value in [*held, ("doc_id", "d"), ("doc_ids", "d")])
    assert not any(equal("none", value) in facts for value in ("None", "null", ""))


def test_a_scope_reads_numbers_and_booleans_as_text_and_a_clause_any_case() -> None:
    facts = facts_of(Passage(doc_id="d", metadata={"level": 2, "open": True, "maker": "Ilse  BRANDT"}))
    assert all(set(permitted(field, value)) & facts for field, value in [("level", "2"), ("open", "true")])
    assert not set(permitted("maker", "ilse brandt")) & facts
    assert set(said("maker", "ilse brandt")) & facts


def test_metadata_without_end_are_cut_off() -> None:
    deep: dict[str, object] = {}
    deep["self"] = deep
    assert len(facts_of(Passage.model_construct(doc_id="d", metadata=deep))) == 4


def test_long_values_are_told_apart() -> None:
    assert equal("f", "a" * 5_000) != equal("f", "a" * 4_999 + "b")
    assert len(str(equal("f", "a" * 5_000))) < 1_000
